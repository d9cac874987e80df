/** Single-letter keys; off while somebody types, composes, holds a modifier or has a dialog open. */

const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]");

/** @param keys `{h: f, …}` by `event.key` in lower case; @param on says whether they are wanted */
export function shortcuts(keys, on) {
  document.addEventListener("keydown", (event) => {
    if (!on() || event.defaultPrevented || event.repeat) return;
    if (event.isComposing || event.keyCode === 229) return;
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (document.querySelector("dialog[open]:modal")) return;
    // A focused button has Enter for itself.
    if (event.key === "Enter" && event.target.closest("button, a, summary")) return;
    const act = keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
