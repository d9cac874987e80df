/** The landing page: alone at a table in one press, a party in one press, or into somebody's party. */

import { guardComposition } from "../composing.js";
import { put, say, show } from "../dom.js";
import "../elements/ranked.js";
import { t } from "../i18n.js";
import { codeOf } from "../join-code.js";
import { makeParty, playAlone } from "../start.js";

const fault = document.querySelector(".hero .fault");

document.getElementById("play")?.addEventListener("submit", (event) => {
  event.preventDefault();
  playAlone(event.target.querySelector("button"), fault);
});

document.getElementById("new-party").addEventListener("click", (event) => makeParty(event.currentTarget, fault));

const join = document.getElementById("join");
const { code: field } = join.elements;
const wrong = join.querySelector(".fault");

guardComposition(field);
join.addEventListener("submit", (event) => {
  event.preventDefault();
  const code = codeOf(field.value);
  put(field, "aria-invalid", code ? null : "true");
  show(say(wrong, code ? "" : t(field.value.trim() ? "join.bad_code" : "join.no_code")), !code);
  if (code) location.assign(`/p/${code}/`);
  else field.focus();
});
document.documentElement.dataset.ready = "";
