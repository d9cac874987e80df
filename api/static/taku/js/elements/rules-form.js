/** House rules as a form: built from what the API says there is, so it knows no rule by itself. */

import { ask, define, el, page, put, say, show } from "../dom.js";
import { t } from "../i18n.js";
import { valueText } from "./rules-table.js";

/** "+0.21 points in 100 bet" of a value, in words; "" while it is unknown. */
export function effectText(option, value) {
  const effect = option.effect?.find((one) => one.value === value);
  if (!effect || effect.points === null || effect.points === 0) return "";
  const points = Math.abs(effect.points);
  const text = new Intl.NumberFormat(page.lang, { maximumFractionDigits: 2 }).format(points);
  return t(effect.points > 0 ? "rules.effect_more" : "rules.effect_less", { points: text });
}

/** What the rules cost on average, in words, from the edge per point of the first bet; "" while it is being computed. */
export function edgeText(edge) {
  if (edge === null || edge === undefined) return t("rules.edge_unknown");
  const points = new Intl.NumberFormat(page.lang, { maximumFractionDigits: 1, minimumFractionDigits: 1 }).format(Math.abs(edge * 100));
  return t(edge < 0 ? "rules.edge_less" : "rules.edge_more", { points });
}

export class RulesFormElement extends HTMLElement {
  #known = null;
  #rules = null;
  #inputs = new Map();
  #editable = false;
  #edge = el("p.edge");
  #presets = null;
  #said = el("p.said", { role: "status" });

  /** @param known the answer of `GET rules/`, once */
  build(known) {
    if (this.#known) return;
    this.#known = known;
    this.#presets = el(
      "div.presets",
      { role: "group", "aria-label": t("rules.presets") },
      ...known.presets.map((preset) =>
        el("button.btn.plain", { type: "button", "data-preset": preset.key, title: preset.summary, onclick: () => this.#preset(preset) }, preset.name),
      ),
    );
    this.append(this.#edge, this.#presets, this.#said, el("div.options", {}, ...known.options.map((option) => this.#row(option))));
  }

  #row(option) {
    const id = `rule-${option.key}`;
    const input = option.values
      ? el(
          "select.field",
          { id, onchange: () => this.#chosen(option, option.values[input.selectedIndex].value) },
          ...option.values.map(({ label }) => el("option", {}, label)),
        )
      : el("input.field", {
          id,
          type: "text",
          inputmode: "numeric",
          autocomplete: "off",
          onchange: () => this.#typed(option, input),
        });
    const mark = el("span.mark", { hidden: true }, t("rules.changed"));
    const effect = el("p.effect");
    const value = el("p.value");
    const fault = el("p.fault", { id: `${id}-fault`, role: "alert", hidden: true });
    put(input, "aria-describedby", `${id}-help ${id}-fault`);
    this.#inputs.set(option.key, { option, input, mark, effect, value, fault });
    return el(
      "div.option",
      {},
      el("div.head", {}, el("label", { for: id }, option.name), mark),
      el("p.hint", { id: `${id}-help` }, option.summary),
      input,
      value,
      fault,
      effect,
      el("details", {}, el("summary", {}, t("rules.why")), el("p", {}, option.explanation)),
    );
  }

  /** @param rules the options in force; @param editable the host's, or a guest's to read */
  update({ rules, editable, edge }) {
    this.#rules = rules;
    this.#editable = editable;
    say(this.#edge, edgeText(edge));
    show(this.#presets, editable);
    for (const { option, input, mark, effect, value, fault } of this.#inputs.values()) {
      const now = rules[option.key];
      show(mark, now !== option.default);
      show(input, editable);
      show(say(value, editable ? "" : valueText(option, now)), !editable);
      say(effect, effectText(option, now));
      if (document.activeElement !== input || input.tagName === "SELECT") {
        if (option.values) input.selectedIndex = option.values.findIndex((one) => one.value === now);
        else input.value = String(now);
        put(input, "aria-invalid", null);
        show(fault, false);
      }
    }
    for (const button of this.#presets.children) {
      const preset = this.#known.presets.find(({ key }) => key === button.dataset.preset);
      put(button, "aria-pressed", this.#is(preset) ? "true" : "false");
    }
  }

  /** Whether the rules in force are this preset's; what only sets size and pace does not count. */
  #is(preset) {
    const pace = ["initial_chips", "max_bet", "rounds", "rebuys", "turn_seconds"];
    return this.#known.options.every(
      ({ key, default: usual }) => pace.includes(key) || this.#rules[key] === (preset.rules[key] ?? usual),
    );
  }

  #preset(preset) {
    const pace = ["initial_chips", "max_bet", "rounds", "rebuys", "turn_seconds"];
    const change = {};
    for (const { key, default: usual } of this.#known.options) {
      if (!pace.includes(key)) change[key] = preset.rules[key] ?? usual;
    }
    this.#ask(change);
  }

  #typed(option, input) {
    const plain = input.value.normalize("NFKC").replace(/[\s,、，点]/g, "");
    if (/^\d+$/.test(plain)) this.#chosen(option, Number(plain));
    else this.fault(option.key, t("rules.not_a_number"));
  }

  /** A value that cannot stand with another is changed together with it, and that is said. */
  #chosen(option, value) {
    const change = { [option.key]: value };
    for (const conflict of option.conflicts) {
      const other = this.#known.options.find(({ key }) => key === conflict.option);
      if (conflict.value !== null) {
        if (value !== conflict.value || this.#rules[other.key] !== conflict.option_value) continue;
        change[other.key] = other.values.find((one) => one.value !== conflict.option_value).value;
      } else if (value > this.#rules[other.key]) change[other.key] = value;
      else continue;
      this.#together(other, change[other.key], conflict.detail);
    }
    // And the other way round: a number that may not be greater than this one.
    for (const other of this.#known.options) {
      const limit = other.conflicts.find((one) => one.value === null && one.option === option.key);
      if (!limit || this.#rules[other.key] <= value) continue;
      change[other.key] = value;
      this.#together(other, value, limit.detail);
    }
    this.#ask(change);
  }

  #together(other, value, why) {
    say(this.#said, t("rules.together", { name: other.name, value: valueText(other, value), why }));
  }

  #ask(rules) {
    if (!this.#editable) return;
    // The next change is compared with this one, whether or not it has been answered.
    this.#rules = { ...this.#rules, ...rules };
    ask(this, "rules-change", { rules });
  }

  /** What the server says against a value, at its field. */
  fault(key, text) {
    const row = this.#inputs.get(key);
    if (!row) return;
    put(row.input, "aria-invalid", "true");
    show(say(row.fault, text), true);
    row.input.focus();
  }
}

define("taku-rules-form", RulesFormElement);
