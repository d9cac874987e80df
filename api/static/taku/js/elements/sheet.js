/** A dialog: named, closed by Escape, its button or a press beside it, and focus goes back. */

import { el, icon, put } from "../dom.js";
import { t } from "../i18n.js";

let last = 0;

/**
 * Opens a sheet with a heading and content; `beside` leaves the page usable where it is wide enough.
 * @returns the dialog; its `close` event tells when it is gone
 */
export function openSheet(title, content, { beside = false, className = "" } = {}) {
  const opener = document.activeElement;
  last += 1;
  const heading = el("h2", { id: `sheet-${last}`, tabindex: "-1" }, title);
  const dialog = el(
    `dialog.sheet${className ? `.${className}` : ""}`,
    { "aria-labelledby": heading.id },
    el(
      "header",
      {},
      heading,
      el("button.btn.round", { type: "button", "aria-label": t("close"), onclick: () => dialog.close() }, icon("i-close")),
    ),
    el("div.body", {}, ...[content].flat()),
  );
  const modal = !(beside && matchMedia("(min-width: 1180px)").matches);
  put(dialog, "onclick", (event) => {
    // The second press of a double click on what opened the sheet does not close it.
    if (event.target === dialog && modal && event.detail < 2) dialog.close();
  });
  // A dialog that leaves the page usable does not hear Escape by itself.
  const escape = (event) => event.key === "Escape" && dialog.close();
  if (!modal) document.addEventListener("keydown", escape);
  put(dialog, "onclose", () => {
    document.removeEventListener("keydown", escape);
    dialog.remove();
    if (opener?.isConnected) opener.focus();
  });
  document.body.append(dialog);
  dialog.classList.toggle("beside", !modal);
  if (modal) dialog.showModal();
  else dialog.show();
  heading.focus();
  return dialog;
}

/** Asks one question; resolves true for yes. */
export function confirmSheet(title, text, yes, no = t("cancel")) {
  return new Promise((resolve) => {
    let answer = false;
    const done = (value) => () => {
      answer = value;
      dialog.close();
    };
    const dialog = openSheet(title, [
      el("p", {}, text),
      el(
        "div.row.two",
        {},
        el("button.btn.big.primary", { type: "button", onclick: done(true) }, yes),
        el("button.btn.big.plain", { type: "button", onclick: done(false) }, no),
      ),
    ]);
    put(dialog, "onclose", () => resolve(answer));
  });
}
