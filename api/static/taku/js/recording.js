/** A match that is over, as its steps: the view and the sentences of every version (api.md "Events"). */

import { get } from "./api.js";
import { sentence } from "./narrate.js";
import { reduce } from "./reducer.js";

/** Every event of a match, from the first. */
export async function allEvents(id) {
  const all = [];
  for (;;) {
    const { events, seq } = await get(`matches/${id}/events/?after=${all.at(-1)?.seq ?? 0}`);
    all.push(...events);
    if (!events.length || events.at(-1).seq >= seq) return all;
  }
}

/**
 * One step for each version: `{version, view, said}`, the view as it was once all had happened that
 * bears this version, seen from seat `you` (null: nobody's).
 */
export function stepsOf(events, you) {
  const steps = [];
  let view = null;
  for (const event of events) {
    view = { ...reduce(view, event), you: you === null ? null : { seat: you } };
    if (steps.at(-1)?.version !== event.version) steps.push({ version: event.version, view, said: [] });
    const step = steps.at(-1);
    step.view = view;
    const text = sentence(event, view, you);
    if (text) step.said.push(text);
  }
  return steps;
}

/** The first place of each round, by its number. */
export function roundStarts(steps) {
  const starts = new Map();
  steps.forEach(({ view }, at) => {
    const round = Math.max(1, view.round);
    if (!starts.has(round)) starts.set(round, at);
  });
  return starts;
}
