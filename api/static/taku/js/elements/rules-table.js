/** The rules in force as a table: name and value in words, what was changed marked. */

import { el } from "../dom.js";
import { t } from "../i18n.js";

/** A value in words: the option's own label, else a number or yes and no. */
export function valueText(option, value) {
  const known = option.values?.find((one) => one.value === value);
  if (known) return known.label;
  if (value === null) return t("value.none");
  if (typeof value === "boolean") return t(value ? "value.yes" : "value.no");
  return typeof value === "number" ? t("value.number", { n: value }) : String(value);
}

/** @param known the answer of `GET rules/`; @param rules the options in force */
export function rulesTable(known, rules) {
  const options = known.options ?? known.rules ?? known;
  const rows = options.map((option) => {
    const changed = rules[option.key] !== option.default;
    return el(
      changed ? "tr.changed" : "tr",
      {},
      el("th", { scope: "row" }, option.name),
      el("td", {}, valueText(option, rules[option.key]), changed ? el("span.mark", {}, t("rules.changed")) : null),
    );
  });
  return el("table.rules", {}, el("caption.vh", {}, t("table.rules")), el("tbody", {}, ...rows));
}
