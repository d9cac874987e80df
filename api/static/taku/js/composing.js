/** Enter that confirms an input method's text is not an answer. */

import { put } from "./dom.js";

/**
 * Keeps such an Enter from submitting the field's form. Most browsers say so in the event itself; Safari
 * ends the composition before the key goes down and tells by the key's number alone.
 *
 * @returns whether somebody is composing in the field now
 */
export function guardComposition(field) {
  let composing = false;
  put(field, "oncompositionstart", () => (composing = true));
  put(field, "oncompositionend", () => (composing = false));
  put(field, "onkeydown", (event) => {
    const confirming = composing || event.isComposing || event.keyCode === 229;
    if (event.key === "Enter" && confirming) event.preventDefault();
  });
  return () => composing;
}
