/** The landing page: alone at a table in one press, a party in one press, or into somebody's party. */

import { say, show } from "../dom.js";
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

document.getElementById("join").addEventListener("submit", (event) => {
  event.preventDefault();
  const code = codeOf(event.target.elements.code.value);
  if (code) location.assign(`/p/${encodeURIComponent(code)}/`);
  else {
    show(say(fault, t("join.no_code")), true);
    event.target.elements.code.focus();
  }
});
document.documentElement.dataset.ready = "";
