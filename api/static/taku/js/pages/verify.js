/** The check of the shuffles: this browser works every shoe out anew, and says what that proves. */

import * as announcer from "../announcer.js";
import { cardName } from "../cards.js";
import { el, icon, page, put } from "../dom.js";
import { isWhole, shoesOf, stepsOf } from "../fairness.js";
import { t } from "../i18n.js";
import { allEvents } from "../recording.js";

const root = document.getElementById("check");
const verdict = el("div.verdict", { tabindex: "-1" });
const breath = () => new Promise((done) => setTimeout(done, 30));

announcer.install();
root.replaceChildren(verdict);

/** The outcome in words; a fault is said at once, and loudly. */
function conclude(kind, title, ...content) {
  put(verdict, "data-kind", kind);
  put(verdict, "role", kind === "fault" ? "alert" : null);
  verdict.replaceChildren(el("h2", {}, title), ...content);
  if (kind !== "fault") announcer.announce(title);
  if (kind === "fault") document.title = `${title} – ${page.site}`;
  put(root, "data-verdict", kind);
}

const sentence = (key, values) => el("p", {}, t(key, values));

function line(shoe, step) {
  const text = t(`verify.${step.name}`, { n: shoe.dealt.length, of: shoe.cards.length });
  return el(
    step.ok ? "li.ok" : "li.not",
    {},
    icon(step.ok ? "i-check" : "i-close"),
    el("span", {}, text, " ", el("b", {}, t(step.ok ? "verify.ok" : "verify.not"))),
  );
}

const value = (key, text) => [el("dt", {}, t(key)), el("dd", {}, text ?? "–")];

/** The cards of a shoe one by one, with what the seed says where the record says something else. */
function dealtList(shoe, order) {
  return el(
    "details",
    {},
    el("summary", {}, t("verify.show_cards", { n: shoe.dealt.length })),
    el(
      "ol.dealt",
      {},
      ...shoe.dealt.map((card, place) =>
        card === order[place]
          ? el("li", {}, cardName(card))
          : el("li.not", {}, t("verify.other_card", { told: cardName(card), computed: cardName(order[place]) })),
      ),
    ),
  );
}

/** Checks one shoe before the reader's eyes; gives the step that failed, or null. */
async function checkShoe(shoe) {
  const steps = el("ol.steps");
  const values = el("dl.values", {}, ...value("verify.commitment", shoe.commitment), ...value("verify.seed_value", shoe.seed));
  const part = el("section.shoe", {}, el("h3", {}, t("verify.shoe", { n: shoe.shoe, size: shoe.size })), steps, values);
  if (shoe.refill) steps.before(sentence("verify.refill"));
  root.append(part);
  for (const step of stepsOf(shoe)) {
    await breath();
    steps.append(line(shoe, step));
    if (step.digest) values.append(...value("verify.digest", `sha256:${step.digest}`));
    if (step.order) part.append(dealtList(shoe, step.order));
    if (!step.ok) return step;
  }
  return null;
}

/** A match that goes on: the promises are there, the seeds not yet. */
function waiting(shoes) {
  conclude("waiting", t("verify.not_over"), sentence("verify.not_over_more"));
  root.append(
    el("dl.values", {}, ...shoes.flatMap((shoe) => value("verify.commitment", shoe.commitment))),
    el("p", {}, el("a.btn.plain", { href: `/m/${page.match.id}/` }, t("verify.to_match"))),
  );
}

async function check() {
  conclude("busy", t("verify.busy"));
  const events = await allEvents(page.match.id);
  const shoes = shoesOf(events);
  if (page.match.status === "playing") {
    waiting(shoes);
    return;
  }
  if (!isWhole(events) || !shoes.length) {
    conclude("fault", t("verify.fault"), sentence("verify.fault_whole"));
    return;
  }
  let dealt = 0;
  for (const shoe of shoes) {
    const fault = await checkShoe(shoe);
    if (fault) {
      const where = fault.name === "cards" ? sentence("verify.fault_card", { n: fault.at + 1 }) : null;
      conclude("fault", t("verify.fault"), sentence("verify.fault_where", { n: shoe.shoe, what: t(`verify.fault_${fault.name}`) }), where);
      return;
    }
    dealt += shoe.dealt.length;
  }
  conclude(
    "proven",
    t("verify.proven"),
    sentence("verify.proven_cards", { n: shoes.length, cards: dealt }),
    el("ul", {}, ...["promise", "seed", "order"].map((what) => el("li", {}, t(`verify.proves_${what}`)))),
    sentence("verify.not_proven"),
  );
}

try {
  await check();
} catch (problem) {
  // What cannot even be read is no proof of anything.
  if (problem.sentence) conclude("fault", t("verify.unread"), el("p", {}, problem.sentence));
  else conclude("fault", t("verify.fault"), sentence("verify.fault_whole"));
}
document.documentElement.dataset.ready = "";
