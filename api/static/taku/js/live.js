/** A match as it is played: the view kept up to date, decisions sent once, the log in sentences. */

import { sentence } from "./narrate.js";
import { reduce } from "./reducer.js";

const OUTRUN = new Set(["stale_version", "not_your_turn"]);

const mineIn = (view) => view.seats.find((seat) => seat.seat === view.you?.seat) ?? null;

/**
 * Fires `change` ({before, said}: the view before, and `[event, sentence]` for what happened) and
 * `refused` ({code}). Holds `view`, `ahead` (a bet put ahead), `busy` (the action being sent).
 */
export class LiveMatch extends EventTarget {
  #socket;
  #expected = 0;
  #aheadIn = null;
  #outrun = null;
  ahead = null;
  busy = null;
  /** What happened since the page was opened, `{seq, text}`; what came before has to be asked for. */
  told = [];
  gaps;

  constructor(view, socket) {
    super();
    this.view = view;
    this.#socket = socket;
    this.gaps = view.seq > 0;
    const ours = (handler) => (event) => event.detail.match === view.id && handler(event.detail);
    socket.addEventListener("snapshot", ours((message) => this.#snapshot(message)));
    socket.addEventListener("events", ours((message) => this.#events(message)));
    socket.addEventListener("presence", ours((message) => this.#presence(message)));
    socket.follow(view.id, view.seq);
  }

  get you() {
    return this.view.you?.seat ?? null;
  }

  get myTurn() {
    return this.view.to_act && this.view.to_act.seat === this.you ? this.view.to_act : null;
  }

  /** The bet of the round before, null in the first. */
  get lastBet() {
    return this.view.last_round?.seats.find(({ seat }) => seat === this.you)?.bet ?? null;
  }

  /** Sends a decision for the offer that lies on the table; one at a time. `ahead`: it had been put ahead. */
  async decide(action, amount = undefined, ahead = false) {
    const turn = this.myTurn;
    if (!turn || this.busy) return;
    this.busy = action;
    this.#expected = Infinity;
    this.#changed(this.view);
    try {
      const reply = await this.#socket.act(this.view.id, action, turn.version, amount);
      this.#expected = reply.version ?? turn.version + 1;
    } catch (error) {
      this.#expected = 0;
      // The table was quicker than a bet put ahead, as when another tab had one too: what it says now counts.
      if (ahead && OUTRUN.has(error.code)) {
        this.ahead = amount;
        this.#outrun = turn.version;
      } else {
        this.dispatchEvent(new CustomEvent("refused", { detail: { code: error.code, action } }));
      }
      this.#socket.follow(this.view.id, this.view.seq);
    }
    this.#changed(this.view);
  }

  /** Puts a bet ahead (null takes it back); it goes out once, when it is asked for. */
  betAhead(amount) {
    this.ahead = amount;
    this.#aheadIn = this.view.round;
    this.#changed(this.view);
  }

  /** Whoever looks is nobody at this table any more. */
  loseSeat() {
    const before = this.view;
    this.view = { ...before, you: null };
    this.#changed(before);
  }

  /** The seat back from the CPU. */
  async takeSeat() {
    if (this.busy) return;
    this.busy = "return";
    this.#expected = Infinity;
    this.#changed(this.view);
    try {
      await this.#socket.giveBack(this.view.id);
    } catch (error) {
      this.dispatchEvent(new CustomEvent("refused", { detail: { code: error.code, action: "return" } }));
    }
    this.#expected = 0;
    this.#changed(this.view);
  }

  #snapshot(message) {
    if (message.seq < this.view.seq && message.version < this.view.version) return;
    const before = this.view;
    this.view = message.view;
    if (message.seq > before.seq) this.gaps = true;
    this.#changed(before);
  }

  #events({ events, view }) {
    const before = this.view;
    const said = [];
    let after = before;
    // One's own decision among the events is as good as the acknowledgement that follows it.
    if (events.some((event) => event.seat === this.you && (event.by || event.type === "control_changed"))) this.busy = null;
    for (const event of events) {
      after = { ...before, ...reduce(after, event) };
      const text = sentence(event, after, this.you);
      if (text) {
        this.told.push({ seq: event.seq, text });
        said.push([event, text]);
      }
    }
    // The server's view is the truth; `you` is the one member that it leaves out here.
    this.view = { ...(view ?? after), you: before.you };
    this.#changed(before, said);
  }

  #presence({ seats }) {
    const before = this.view;
    const now = new Map(seats.map((seat) => [seat.seat, seat]));
    this.view = { ...before, seats: before.seats.map((seat) => ({ ...seat, ...now.get(seat.seat) })) };
    this.#changed(before);
  }

  #changed(before, said = []) {
    if (this.busy && this.view.version >= this.#expected) this.busy = null;
    if (this.ahead !== null && !this.#awaitsBet()) this.ahead = null;
    this.dispatchEvent(new CustomEvent("change", { detail: { before, said } }));
    const turn = this.myTurn;
    if (this.ahead !== null && !this.busy && turn?.phase === "betting" && turn.version !== this.#outrun) {
      const amount = this.ahead;
      this.ahead = null;
      this.decide("bet", amount, true);
    }
  }

  /** Whether the bet of the round for which one was put ahead is still to come. */
  #awaitsBet() {
    const { status, round, phase } = this.view;
    const mine = mineIn(this.view);
    return status === "playing" && round === this.#aheadIn && phase === "betting" && mine && !mine.out && !mine.bet;
  }
}
