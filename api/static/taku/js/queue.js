/** The ranked queue as this player is in it: entered, left, answered, and kept up to date. */

import { get, post, remove, signIn } from "./api.js";
import { page } from "./dom.js";
import { line } from "./line.js";

const NOWHERE = { status: "none", since: null, ready_check: null, match: null, penalty: null };
const SEARCHING = ["waiting", "ready_check"];
/** What grows without a message (window, estimate, who else waits) is asked for so often. */
const EVERY = 10000;

/**
 * Fires `change` ({before}) whenever something is new, and `matched` ({match}) when the search has
 * led to a match. Holds `place` (as `queue/` shows it) and `reason` (why the last search ended or
 * was set back, null if there is nothing to say; `lost` where nobody could say it).
 */
class Queue extends EventTarget {
  place = NOWHERE;
  reason = null;
  #news = 0;
  #asking = null;

  constructor() {
    super();
    line.addEventListener("queue", ({ detail }) => {
      this.#news += 1;
      this.#take(detail, detail.reason);
    });
    line.addEventListener("state", ({ detail }) => {
      if (detail.state === "open" && this.place.status !== "none") this.sync("lost");
      else if (detail.state !== detail.before) this.#fire(this.place);
    });
    document.addEventListener("visibilitychange", () => !document.hidden && this.#ask());
    if (line.state === "open") this.sync();
  }

  get searching() {
    return SEARCHING.includes(this.place.status);
  }

  /** Takes a ticket, with an account made on the way where there is none. */
  async enter() {
    if (!page.player) page.player = (await signIn()).player;
    line.open();
    this.reason = null;
    await this.#send(() => post("queue/"));
  }

  async leave() {
    await remove("queue/");
    await this.sync("cancelled");
  }

  /** @param answer `accept` or `decline` */
  async answer(answer) {
    const check = this.place.ready_check;
    if (check) await this.#send(() => post(`queue/${answer}/`, { ready_check: check.id }));
  }

  /** What was said has been read. */
  dismiss() {
    this.reason = null;
    this.#fire(this.place);
  }

  /** Asks how it stands; `reason` is why a search that is found ended has ended, as far as is known. */
  async sync(reason = null) {
    try {
      await this.#send(() => get("queue/"), reason);
    } catch {
      // Without an answer what is known stays; the line says when it is back.
    }
  }

  async #send(request, reason = null) {
    const news = this.#news;
    const place = await request();
    // A message that came meanwhile is newer than the answer.
    if (news === this.#news) this.#take(place, this.searching && place.status === "none" ? reason : null);
  }

  #take(place, reason = null) {
    const before = this.place;
    this.place = place;
    if (reason) this.reason = reason;
    else if (place.status !== before.status) this.reason = null;
    this.#fire(before);
    if (place.status === "matched" && SEARCHING.includes(before.status)) {
      this.dispatchEvent(new CustomEvent("matched", { detail: { match: place.match } }));
    }
    clearTimeout(this.#asking);
    if (place.status === "waiting") this.#asking = setTimeout(() => this.#ask(), EVERY);
  }

  async #ask() {
    clearTimeout(this.#asking);
    if (this.place.status !== "waiting") return;
    if (!document.hidden && line.state === "open") await this.sync("lost");
    this.#asking = setTimeout(() => this.#ask(), EVERY);
  }

  #fire(before) {
    this.dispatchEvent(new CustomEvent("change", { detail: { before } }));
  }
}

export const queue = new Queue();
