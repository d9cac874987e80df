/** Into a match or a party by one press, with an account made on the way where there is none. */

import { Problem, post, signIn } from "./api.js";
import { page, put, say, show } from "./dom.js";

let busy = false;

const account = () => (page.player ? Promise.resolve() : signIn());

/** One thing at a time: a second press while the first is on its way does nothing. */
export async function once(button, fault, act) {
  if (busy) return;
  busy = true;
  put(button, "aria-busy", "true");
  show(fault, false);
  try {
    await account();
    await act();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    busy = false;
    put(button, "aria-busy", null);
    if (problem.code === "in_match" && problem.body.match) {
      location.assign(`/m/${problem.body.match}/`);
      return;
    }
    show(say(fault, problem.sentence), true);
    fault.scrollIntoView({ block: "nearest" });
  }
}

/** Alone against the dealer, at once. */
export const playAlone = (button, fault) =>
  once(button, fault, async () => location.assign(`/m/${(await post("matches/")).id}/`));

export const makeParty = (button, fault) =>
  once(button, fault, async () => location.assign(`/p/${(await post("parties/")).code}/`));
