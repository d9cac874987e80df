/** What staff tell everybody, as the socket says it: the latest that is in force. */

const said = new Map();

/** Takes a `notice`; false if it is not for everybody. One whose `until` is past has ended. */
export function heard({ id, kind, text, until }) {
  if (kind !== "announcement" && kind !== "maintenance") return false;
  said.delete(id);
  if (!until || Date.parse(until) > Date.now()) said.set(id, text);
  return true;
}

/** The words to show, or null. */
export const announced = () => [...said.values()].at(-1) ?? null;
