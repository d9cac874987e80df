/** What assistive technology hears: one polite voice, joined when it comes fast; one urgent one. */

import { el } from "./dom.js";

const polite = el("div.vh", { role: "status", "aria-live": "polite", "aria-atomic": "true", id: "polite" });
const urgent = el("div.vh", { role: "alert", "aria-live": "assertive", "aria-atomic": "true", id: "urgent" });
let pending = [];
let timer = null;

/** Puts the two regions into the page; they must be there before the first sentence. */
export function install() {
  if (!polite.isConnected) document.body.append(polite, urgent);
}

function flush() {
  timer = null;
  const text = pending.slice(-8).join(" ");
  pending = [];
  // The same words twice would not be heard: a region speaks when it changes.
  polite.textContent = text === polite.textContent ? `${text}\u00a0` : text;
}

/** Says whole sentences after a short wait, those that follow at once with them. */
export function announce(...sentences) {
  pending.push(...sentences.filter(Boolean));
  if (!pending.length) return;
  if (timer === null) timer = setTimeout(flush, 350);
}

/** Interrupts: only for "your turn". */
export function interrupt(sentence) {
  urgent.textContent = sentence === urgent.textContent ? `${sentence}\u00a0` : sentence;
}
