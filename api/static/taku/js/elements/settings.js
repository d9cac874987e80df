/** One's name and settings; what is chosen counts at once, and is kept on the account or in a cookie. */

import { patch, prefs } from "../api.js";
import { guardComposition } from "../composing.js";
import { define, el, page, put, say, show } from "../dom.js";
import { t } from "../i18n.js";

const LASTS = 400 * 24 * 3600;

/** Makes the page look as the settings say. */
export function apply(settings) {
  const root = document.documentElement;
  put(root, "data-theme", settings.theme);
  put(root, "data-motion", settings.motion);
  put(root, "data-suits", settings.four_colours ? "4" : "2");
}

/** Keeps what was chosen: on the account if there is one, and for this browser. */
async function keep(change) {
  Object.assign(page.settings, change);
  apply(page.settings);
  const secure = location.protocol === "https:" ? "; Secure" : "";
  const text = encodeURIComponent(JSON.stringify({ ...prefs(), ...change }));
  document.cookie = `prefs=${text}; Path=/; Max-Age=${LASTS}; SameSite=Lax${secure}`;
  if (page.player) await patch("players/me/", { settings: change });
}

export class SettingsElement extends HTMLElement {
  #status = el("p.saved", { role: "status" });

  connectedCallback() {
    if (this.firstChild) return;
    const settings = page.settings;
    this.append(
      page.player ? this.#name() : el("p", {}, t("settings.visitor")),
      this.#choices("language", ["ja", "en"], { after: () => location.reload() }),
      this.#choices("theme", ["system", "light", "dark"]),
      this.#choices("motion", ["system", "full", "none"]),
      this.#choices("suits", [false, true], { key: "four_colours" }),
      el(
        "fieldset",
        {},
        el("legend", {}, t("settings.play")),
        this.#check("shortcuts"),
        this.#check("advice"),
        this.#check("hide_ratings"),
        "vibrate" in navigator ? this.#check("vibration") : null,
        this.#percent("confirm_over", settings.confirm_over),
      ),
      this.#volume(settings.volume),
      this.#status,
    );
  }

  async #save(change, after = null) {
    try {
      await keep(change);
      say(this.#status, t("settings.saved"));
      after?.();
    } catch (problem) {
      say(this.#status, problem.errors?.[0]?.detail ?? problem.sentence ?? t("error.error"));
    }
  }

  #name() {
    const field = el("input.field", { id: "display-name", value: page.player.display_name, maxlength: 60, autocomplete: "nickname" });
    const fault = el("p.fault", { role: "alert", id: "name-fault", hidden: true });
    put(field, "aria-describedby", "name-hint name-fault");
    let busy = false;
    guardComposition(field);
    const rename = async (event) => {
      event.preventDefault();
      if (busy) return;
      busy = true;
      show(fault, false);
      put(field, "aria-invalid", null);
      try {
        const player = await patch("players/me/", { display_name: field.value });
        page.player.display_name = player.display_name;
        field.value = player.display_name;
        say(this.#status, t("settings.renamed", { name: player.display_name }));
      } catch (problem) {
        put(field, "aria-invalid", "true");
        show(say(fault, problem.errors?.[0]?.detail ?? problem.sentence), true);
        field.focus();
      }
      busy = false;
    };
    return el(
      "form.rename",
      { novalidate: true, onsubmit: rename },
      el("label", { for: "display-name" }, t("settings.name")),
      el("div.joined", {}, field, el("button.btn.plain.big", {}, t("settings.rename"))),
      el("p.hint", { id: "name-hint" }, t("settings.name_hint")),
      fault,
    );
  }

  #choices(name, values, { key = name, after = null } = {}) {
    const radios = values.map((value) => {
      const input = el("input", { type: "radio", name: key, value: String(value), onchange: () => this.#save({ [key]: value }, after) });
      input.checked = page.settings[key] === value;
      return el("label.choice", {}, input, el("span", key === "language" ? { lang: value } : {}, t(`settings.${name}_${value}`)));
    });
    return el("fieldset.choices", {}, el("legend", {}, t(`settings.${name}`)), ...radios);
  }

  #check(key) {
    const input = el("input", { type: "checkbox", onchange: () => this.#save({ [key]: input.checked }) });
    input.checked = page.settings[key];
    return el("label.check", {}, input, el("span", {}, t(`settings.${key}`)));
  }

  #percent(key, value) {
    const select = el(
      "select.field",
      { id: key, onchange: () => this.#save({ [key]: select.value === "" ? null : Number(select.value) }) },
      ...[null, 25, 50, 75].map((percent) =>
        el("option", { value: percent ?? "" }, percent === null ? t("settings.confirm_never") : t("settings.confirm_percent", { n: percent })),
      ),
    );
    select.value = value ?? "";
    return el("div.line", {}, el("label", { for: key }, t("settings.confirm_over")), select);
  }

  #volume(value) {
    const said = el("output", { for: "volume" });
    const input = el("input", { id: "volume", type: "range", min: 0, max: 100, step: 10, value });
    const tell = () => {
      const now = Number(input.value);
      put(input, "aria-valuetext", now ? `${now}%` : t("settings.volume_off"));
      say(said, input.getAttribute("aria-valuetext"));
    };
    put(input, "oninput", tell);
    put(input, "onchange", async () => {
      const volume = Number(input.value);
      this.#save({ volume });
      if (volume) (await import("../sounds.js")).play("turn", volume);
    });
    tell();
    return el("div.line", {}, el("label", { for: "volume" }, t("settings.volume"), " ", said), input);
  }
}

define("taku-settings", SettingsElement);
