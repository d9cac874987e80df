/**
 * The one socket: subscribes, resumes after every gap, acknowledges by id, notices a dead line by
 * itself, and comes back with growing, jittered waits.
 */

import { distrust, measured, stamp } from "./clock.js";
import { freshId } from "./dom.js";
import { lang } from "./i18n.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 20000;
const PING_EVERY = 20000;
const PONG_WITHIN = 6000;
/** After these the server does not want this client back by itself. */
const FINAL = new Set([4401, 4403, 4409]);

/**
 * Fires `state` ({state: "connecting" | "open" | "waiting" | "closed", retryAt, code}), and one event
 * for each type of server message with the message as detail.
 */
export class Socket extends EventTarget {
  #ws = null;
  #attempt = 0;
  #timer = null;
  #pinger = null;
  #pong = null;
  #pingSent = null;
  #seqs = new Map();
  #waiting = new Map();
  #stopped = false;
  #resumeIn = null;
  state = "closed";

  constructor(url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/v1/`) {
    super();
    this.url = url;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.check();
    });
    addEventListener("online", () => this.check());
    addEventListener("offline", () => this.#lost());
  }

  /** Connects; where that is done or under way already, nothing happens. */
  open() {
    if (this.state !== "closed") return;
    this.#stopped = false;
    this.#connect();
  }

  close() {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#ws?.close(1000);
    this.#drop();
    this.#change("closed");
  }

  /** Whether there is a line, or none has been lost yet: a page that has only just come has one. */
  get reachable() {
    return this.state === "open" || (this.state === "connecting" && this.#attempt === 0);
  }

  /** Follows a match: now, and again after every reconnect from the last `seq` seen. */
  follow(match, seq = 0) {
    this.#seqs.set(match, seq);
    if (this.state === "open") this.#send({ type: "resume", match, seq });
  }

  unfollow(match) {
    this.#seqs.delete(match);
    if (this.state === "open") this.#send({ type: "unsubscribe", match });
  }

  /** Sends a decision; the same id goes out again after a reconnect, so it acts exactly once. */
  act(match, action, version, amount = undefined) {
    return this.#ask({ type: "action", match, action, version, ...(amount === undefined ? {} : { amount }) });
  }

  giveBack(match) {
    return this.#ask({ type: "return", match });
  }

  /** Visible or online again: prove that the line lives, or connect at once. */
  check() {
    if (this.#stopped) return;
    distrust();
    if (this.state === "open") this.#ping(2500);
    else if (this.state === "waiting") this.#connect();
  }

  #ask(message) {
    const id = freshId();
    return new Promise((resolve, reject) => {
      const entry = { message: { ...message, id }, resolve, reject };
      this.#waiting.set(id, entry);
      if (this.state === "open") this.#send(entry.message);
    });
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#drop();
    this.#change("connecting");
    let ws;
    try {
      ws = new WebSocket(this.url);
    } catch {
      this.#retry();
      return;
    }
    this.#ws = ws;
    // A connection that is neither accepted nor refused would hold the page up for minutes.
    this.#timer = setTimeout(() => ws === this.#ws && this.state === "connecting" && this.#lost(), 10000);
    ws.onopen = () => ws === this.#ws && this.#send({ type: "hello", language: lang() });
    ws.onmessage = (event) => ws === this.#ws && this.#receive(JSON.parse(event.data));
    ws.onclose = (event) => ws === this.#ws && this.#lost(event.code);
  }

  #receive(message) {
    if (message.type === "welcome") this.#welcomed(message);
    else if (message.type === "pong") this.#ponged(message);
    else if (message.type === "ack") this.#settle(message.id, "resolve", message);
    else if (message.type === "error" && this.#waiting.has(message.id)) this.#settle(message.id, "reject", message);
    else if (message.type === "closing") this.#resumeIn = message.resume_in ?? null;
    else if (message.type === "snapshot") this.#seqs.has(message.match) && this.#seqs.set(message.match, message.seq);
    else if (message.type === "events" && !this.#inOrder(message)) return;
    this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
  }

  /** Keeps `seq` without gaps: what was seen is dropped, a gap asks for what is missing. */
  #inOrder(message) {
    const seen = this.#seqs.get(message.match);
    if (seen === undefined) return true;
    message.events = message.events.filter((event) => event.seq > seen);
    if (!message.events.length) return false;
    if (message.events[0].seq > seen + 1) {
      this.#send({ type: "resume", match: message.match, seq: seen });
      return false;
    }
    this.#seqs.set(message.match, message.events.at(-1).seq);
    return true;
  }

  #welcomed(message) {
    clearTimeout(this.#timer);
    measured(message.server_time);
    this.#attempt = 0;
    this.#resumeIn = null;
    this.#change("open");
    for (const [match, seq] of this.#seqs) this.#send({ type: "resume", match, seq });
    for (const { message: again } of this.#waiting.values()) this.#send(again);
    this.#ping();
  }

  #settle(id, how, message) {
    const entry = this.#waiting.get(id);
    this.#waiting.delete(id);
    entry?.[how](message);
  }

  #ping(within = PONG_WITHIN) {
    clearTimeout(this.#pinger);
    clearTimeout(this.#pong);
    this.#pingSent = stamp();
    this.#send({ type: "ping" });
    this.#pong = setTimeout(() => this.#lost(), within);
  }

  #ponged(message) {
    clearTimeout(this.#pong);
    measured(message.server_time, this.#pingSent);
    this.#pinger = setTimeout(() => this.#ping(), PING_EVERY);
  }

  #send(message) {
    if (this.#ws?.readyState === WebSocket.OPEN) this.#ws.send(JSON.stringify(message));
  }

  #drop() {
    clearTimeout(this.#pinger);
    clearTimeout(this.#pong);
    const ws = this.#ws;
    this.#ws = null;
    if (ws && ws.readyState <= WebSocket.OPEN) ws.close();
  }

  #lost(code = 1006) {
    clearTimeout(this.#timer);
    this.#drop();
    if (this.#stopped) return;
    if (FINAL.has(code)) {
      this.#stopped = true;
      this.#change("closed", { code });
      for (const id of [...this.#waiting.keys()]) this.#settle(id, "reject", { code: "offline" });
      return;
    }
    this.#retry();
  }

  #retry() {
    const grown = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#attempt);
    this.#attempt += 1;
    const wait = this.#resumeIn === null ? grown * (0.5 + Math.random() / 2) : this.#resumeIn * 1000 * (1 + Math.random());
    this.#resumeIn = null;
    this.#change("waiting", { retryAt: stamp() + wait });
    this.#timer = setTimeout(() => this.#connect(), wait);
  }

  #change(state, more = {}) {
    const before = this.state;
    this.state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: { state, before, ...more } }));
  }
}
