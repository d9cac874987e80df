/** The landing page: alone at a table in one press, a party in one press, or into somebody's party. */

import { Problem, post, signIn } from "../api.js";
import { page, put, say, show } from "../dom.js";
import { t } from "../i18n.js";
import { codeOf } from "../join-code.js";

const fault = document.querySelector(".hero .fault");
let busy = false;

/** One thing at a time: a second press while the first is on its way does nothing. */
async function once(button, act) {
  if (busy) return;
  busy = true;
  put(button, "aria-busy", "true");
  show(fault, false);
  try {
    await act();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    busy = false;
    put(button, "aria-busy", null);
    if (problem.code === "in_match" && problem.body.match) {
      location.assign(`/m/${problem.body.match}/`);
      return;
    }
    if (problem.code === "already_in_party" && problem.body.party) {
      location.assign(`/p/${problem.body.party}/`);
      return;
    }
    show(say(fault, problem.sentence), true);
    fault.scrollIntoView({ block: "nearest" });
  }
}

const account = () => (page.player ? Promise.resolve() : signIn());

document.getElementById("play")?.addEventListener("submit", (event) => {
  event.preventDefault();
  once(event.target.querySelector("button"), async () => {
    await account();
    const match = await post("matches/");
    location.assign(`/m/${match.id}/`);
  });
});

document.getElementById("new-party").addEventListener("click", (event) =>
  once(event.currentTarget, async () => {
    await account();
    const party = await post("parties/");
    location.assign(`/p/${party.code}/`);
  }),
);

document.getElementById("join").addEventListener("submit", (event) => {
  event.preventDefault();
  const code = codeOf(event.target.elements.code.value);
  if (code) location.assign(`/p/${encodeURIComponent(code)}/`);
  else {
    show(say(fault, t("join.no_code")), true);
    event.target.elements.code.focus();
  }
});

// Coming back by the back button finds the page as it was left: let it be pressed again.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  busy = false;
  for (const button of document.querySelectorAll("[aria-busy]")) put(button, "aria-busy", null);
  location.reload();
});
document.documentElement.dataset.ready = "";
