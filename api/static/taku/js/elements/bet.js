/** The stake of the next round: a text field, quick sums, and a bet put ahead while others decide. */

import { guardComposition } from "../composing.js";
import { ask, define, el, enable, enabled, put, say } from "../dom.js";
import { t } from "../i18n.js";

const QUICK = [
  ["add10", 10],
  ["add50", 50],
  ["add100", 100],
  ["max", null],
  ["same", null],
  ["clear", null],
];

/** "２００点" and "1,000" are numbers too; null for what is none. */
export function parseAmount(text) {
  const plain = text.normalize("NFKC").replace(/[\s,、，点]/g, "");
  return /^\d{1,6}$/.test(plain) ? Number(plain) : null;
}

export class BetElement extends HTMLElement {
  #turn = null;
  #last = null;
  #ahead = null;
  #mode = "closed";
  #field = el("input", {
    id: "bet-amount",
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    enterkeyhint: "done",
    maxlength: 9,
    "aria-describedby": "bet-hint",
  });
  #composing = guardComposition(this.#field);
  #hint = el("span.vh", { id: "bet-hint" });
  #submit = el("button.btn.primary.big", { type: "submit" });
  #quick = QUICK.map(([name, amount]) =>
    el(
      "button.btn.quick",
      { type: "button", "data-quick": name, onclick: () => this.quick(name) },
      amount === null ? t(`bet.${name}`) : `+${amount}`,
    ),
  );

  connectedCallback() {
    if (this.firstChild) return;
    const form = el(
      "form.betting",
      { novalidate: true, autocomplete: "off", onsubmit: (event) => this.#submitted(event) },
      el(
        "label.amount",
        { for: "bet-amount" },
        el("span.vh", {}, t("bet.label")),
        this.#field,
        el("span.unit", { "aria-hidden": "true" }, t("bet.unit")),
      ),
      this.#hint,
      this.#submit,
      el("div.quicks", { role: "group", "aria-label": t("bet.quick") }, ...this.#quick),
    );
    put(this.#field, "onfocus", () => this.#field.select());
    this.append(form);
  }

  get amount() {
    return parseAmount(this.#field.value);
  }

  set amount(value) {
    this.#field.value = value === null ? "" : String(value);
  }

  /**
   * @param mode "turn" (my bet is asked), "ahead" (others are asked before me), "closed"
   * @param legal the server's `{min, max, step}` on my turn, else null
   * @param last what was bet in the round before, or null
   * @param ahead the amount put ahead, or null
   */
  update({ mode, legal, last, ahead, fallback, busy }) {
    if (this.#field.value === "" && last === null && mode !== "closed" && !this.touched) this.amount = fallback;
    if (last !== this.#last) {
      this.#last = last;
      if (last !== null && document.activeElement !== this.#field) this.amount = last;
    }
    this.#turn = mode === "turn" ? legal : null;
    this.#ahead = ahead;
    this.#mode = mode;
    if (mode === "turn" && legal && this.amount > legal.max && document.activeElement !== this.#field) {
      this.amount = legal.max;
    }
    put(this.#field, "readonly", mode === "closed" || ahead !== null);
    const label = ahead !== null ? "bet.take_back" : mode === "ahead" ? "bet.ahead" : "bet.place";
    say(this.#submit, t(label));
    this.#submit.classList.toggle("primary", mode !== "ahead");
    enable(this.#submit, mode !== "closed" && !busy);
    for (const button of this.#quick) {
      const name = button.dataset.quick;
      const known = name === "max" ? this.#turn !== null : name === "same" ? this.#last !== null : true;
      enable(button, mode !== "closed" && ahead === null && known);
    }
    say(this.#hint, this.#turn ? t("bet.limits", { ...this.#turn }) : t("bet.ahead_hint"));
  }

  /** One of the quick sums, by button or key; whether it could be chosen. */
  quick(name) {
    const button = this.#quick.find((one) => one.dataset.quick === name);
    if (!enabled(button)) {
      ask(this, "refusal", { text: t(this.#whyNot(name)) });
      return false;
    }
    this.touched = true;
    const top = this.#turn?.max ?? Infinity;
    const before = this.amount ?? 0;
    if (name === "max") this.amount = this.#turn.max;
    else if (name === "same") this.amount = Math.min(this.#last, top);
    else if (name === "clear") this.amount = null;
    else this.amount = Math.min(before + Number(name.slice(3)), top);
    ask(this, "spoken", { text: this.amount === null ? t("bet.cleared") : t("points", { n: this.amount }) });
    return true;
  }

  #whyNot(name) {
    if (this.#mode === "closed") return "bet.later";
    if (this.#ahead !== null) return "bet.lies_ahead";
    return name === "max" ? "bet.max_later" : "bet.no_last";
  }

  /** The bet of the round before, at once (key B); what already lies ahead stays. */
  repeat() {
    if (this.quick("same")) this.submit();
  }

  /** As a press on the button: bet, bet ahead, or take back (key Enter). */
  submit() {
    this.querySelector("form").requestSubmit();
  }

  #submitted(event) {
    event.preventDefault();
    if (this.#composing()) return;
    if (!enabled(this.#submit)) {
      ask(this, "refusal", { text: t("bet.later") });
      return;
    }
    if (this.#ahead !== null) {
      ask(this, "bet-ahead", { amount: null });
      return;
    }
    const amount = this.amount;
    if (amount === null) {
      put(this.#field, "aria-invalid", "true");
      ask(this, "refusal", { text: t("bet.not_a_number") });
      this.#field.focus();
      return;
    }
    put(this.#field, "aria-invalid", null);
    this.touched = false;
    if (this.#mode === "ahead") ask(this, "bet-ahead", { amount });
    else ask(this, "decide", { action: "bet", amount });
  }

  /** The amount was refused: say so at the field and let it be mended. */
  refused() {
    put(this.#field, "aria-invalid", "true");
    this.#field.focus();
  }
}

define("taku-bet", BetElement);
