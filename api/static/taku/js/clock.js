/**
 * The server's time, measured: a wrong or adjusted clock of this device changes nothing, because
 * only the monotonic clock is read between two measurements.
 */

let offset = null;
let bestTrip = Infinity;

const monotonic = () => performance.now();

/** One reply with the server's time; the quickest round trip of a connection wins. */
export function measured(serverTime, sentAt = null) {
  const received = monotonic();
  const trip = sentAt === null ? 2000 : received - sentAt;
  if (trip > bestTrip) return;
  bestTrip = trip;
  offset = Date.parse(serverTime) + (sentAt === null ? 0 : trip / 2) - received;
}

/** After sleep the monotonic clock may have stood still: measure afresh. */
export function distrust() {
  bestTrip = Infinity;
}

/** Milliseconds since 1970 by the server's clock (by our own before the first measurement). */
export const serverNow = () => (offset === null ? Date.now() : monotonic() + offset);

/** Seconds from now to a time of the server; null for none. */
export const secondsTo = (iso) => (iso ? (Date.parse(iso) - serverNow()) / 1000 : null);
export const secondsSince = (iso) => (iso ? (serverNow() - Date.parse(iso)) / 1000 : null);

export const stamp = monotonic;
