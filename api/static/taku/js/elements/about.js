/** What one can do about another player, on their profile: block them, and tell staff about them. */

import { post, put as send, remove } from "../api.js";
import { define, el, page, put, say, show } from "../dom.js";
import { t } from "../i18n.js";
import { openSheet } from "./sheet.js";

const REASONS = ["name", "cheating", "stalling", "other"];
const LONGEST = 500;

export class AboutElement extends HTMLElement {
  #block = el("button.btn.plain", { type: "button", onclick: () => this.#turn() });
  #report = el("button.btn.plain", { type: "button", onclick: () => this.#openReport() }, t("about.report"));
  #said = el("p.hint", { role: "status" });
  #busy = false;

  connectedCallback() {
    if (this.firstChild) return;
    this.append(el("div.ways", {}, this.#block, this.#report), this.#said);
    this.#draw(page.about.blocked ? "about.blocked" : null);
  }

  #draw(key) {
    say(this.#block, t(page.about.blocked ? "about.unblock" : "about.block"));
    say(this.#said, t(key ?? "about.block_does"));
  }

  async #turn() {
    if (this.#busy) return;
    this.#busy = true;
    const path = `players/me/blocks/${page.about.player}/`;
    try {
      await (page.about.blocked ? remove(path) : send(path));
      page.about.blocked = !page.about.blocked;
      this.#draw(page.about.blocked ? "about.blocked" : "about.unblocked");
    } catch (problem) {
      say(this.#said, problem.sentence ?? t("error.error"));
    }
    this.#busy = false;
  }

  #openReport() {
    const { player, name, match } = page.about;
    const fault = el("p.fault", { role: "alert", hidden: true });
    const text = el("textarea.field", { id: "report-text", rows: 3, maxlength: LONGEST });
    const reasons = REASONS.map((reason, number) => {
      const radio = el("input", { type: "radio", name: "reason", value: reason });
      radio.checked = number === 0;
      return el("label.choice", {}, radio, el("span", {}, t(`about.reason_${reason}`)));
    });
    let sending = false;
    const tell = async (event) => {
      event.preventDefault();
      if (sending) return;
      sending = true;
      show(fault, false);
      const reason = new FormData(event.currentTarget).get("reason");
      try {
        await post("reports/", { player, reason, text: text.value, ...(match ? { match } : {}) });
        dialog.close();
        say(this.#said, t("about.reported"));
      } catch (problem) {
        show(say(fault, problem.errors?.[0]?.detail ?? problem.sentence ?? t("error.error")), true);
      }
      sending = false;
    };
    const form = el(
      "form.report",
      { novalidate: true, onsubmit: tell },
      el("p", {}, t(match ? "about.report_match" : "about.report_why")),
      el("fieldset.choices", {}, el("legend", {}, t("about.reason")), ...reasons),
      el("label", { for: text.id }, t("about.text")),
      text,
      fault,
      el("button.btn.primary.big", {}, t("about.send")),
    );
    const dialog = openSheet(t("about.report_title", { name }), form);
    put(dialog, "onclose", () => this.#report.focus());
  }
}

define("taku-about", AboutElement);
