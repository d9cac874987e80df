/** The table: dealer, other seats, own hands, one line in words, the panel. Renders; decides nothing. */

import { ask, define, el, keyed, put, say, show } from "../dom.js";
import { number, signed, t } from "../i18n.js";
import { deal, settle } from "../motion.js";
import "./actions.js";
import "./hand.js";
import { note, verdict } from "./hand.js";
import { nameOf } from "./seat.js";
import "./seat.js";

const EMPTY = { cards: [], total: null };

/** The seat whose hands lie large: mine, else the one on turn, else the first. */
export const focusSeat = (view) => view.you?.seat ?? view.to_act?.seat ?? 1;

/** During betting the settled table of the round before still lies there. */
export function lying(view) {
  return view.phase === "betting" && view.last_round ? view.last_round : null;
}

/** One line in words: what is asked, of whom. */
export function situation(view) {
  const you = view.you?.seat ?? null;
  const turn = view.to_act;
  const mine = view.seats.find((seat) => seat.seat === you);
  if (view.status === "void") return t("say.void");
  if (view.result) {
    const own = view.result.find(({ seat }) => seat === you);
    if (!own) return t("say.over");
    if (view.seats.length === 1) {
      const start = view.rules.initial_chips;
      const net = own.chips - start * (1 + mine.rebuys);
      return t("say.over_net", { first: t(`say.over_${own.outcome}`, { n: own.chips }), start, points: signed(net) });
    }
    return t("say.over_place", { place: own.place, n: own.chips });
  }
  if (!turn) return "";
  if (turn.seat !== you) {
    const name = nameOf(view.seats.find((seat) => seat.seat === turn.seat));
    return t(turn.phase === "betting" ? "say.other_bets" : "say.other_turn", { name });
  }
  if (mine.controller === "cpu") return t("say.cpu_plays");
  if (turn.phase === "betting") return t(view.round === 1 ? "say.first_bet" : "say.bet", { round: view.round });
  if (turn.phase === "insurance") return t("say.insurance");
  const hand = mine.hands[turn.hand];
  const total = hand.soft ? t("say.soft", { n: hand.total }) : number(hand.total);
  return mine.hands.length > 1 ? t("say.your_hand", { n: turn.hand + 1, total }) : t("say.your_turn", { total });
}

export class TableElement extends HTMLElement {
  #round = el("b");
  #of = el("span");
  #shoe = el("span.left");
  #dealer = document.createElement("taku-hand");
  #place = el("section.dealer", { "aria-label": t("dealer") }, el("h2", { "aria-hidden": "true" }, t("dealer")), this.#dealer);
  #seats = el("ol.seats", { "aria-label": t("table.seats"), tabindex: "-1" });
  #name = el("h2.owner");
  #tabs = el("div.tabs", { role: "group", "aria-label": t("table.hands") });
  #hands = el("div.hands");
  #extra = el("p.extra");
  #say = el("p.say");
  #actions = document.createElement("taku-actions");
  #banner = el("p.banner", { hidden: true });
  #chosen = 0;
  #onTurn = null;
  #refusal = null;

  connectedCallback() {
    if (this.firstChild) return;
    const command = (name) =>
      el("button.link", { type: "button", onclick: () => ask(this, `open-${name}`) }, t(`table.${name}`));
    this.append(
      el(
        "header.bar",
        {},
        el("h1", {}, this.#round, " ", this.#of),
        this.#shoe,
        command("rules"),
        command("menu"),
      ),
      this.#banner,
      this.#place,
      this.#seats,
      el("section.own", { "aria-label": t("table.own") }, this.#name, this.#tabs, this.#hands, this.#extra),
      this.#say,
      this.#actions,
    );
  }

  get actions() {
    return this.#actions;
  }

  /**
   * @param state `view`, `ahead` (bet put ahead or null), `busy` (action being sent or null), `banner`
   *   (text or null), `lastBet`, `first` (opening the page: nothing is dealt)
   */
  update(state) {
    const { view, banner, first } = state;
    const you = view.you?.seat ?? null;
    const settled = lying(view);
    say(this.#round, t("table.round", { n: Math.max(1, view.round) }));
    say(this.#of, t("table.of", { n: view.rules.rounds }));
    say(this.#shoe, view.shoe ? t("table.shoe", { n: view.shoe.remaining }) : "");
    show(say(this.#banner, banner ?? ""), Boolean(banner));
    put(this, "data-phase", settled ? "settled" : view.phase);
    put(this, "data-seats", view.seats.length);
    const dealer = settled ? settled.dealer : view.dealer;
    this.#place.style.setProperty("--n", Math.max(2, dealer.cards.length));
    this.#dealer.update(dealer.cards.length ? { ...dealer, status: dealer.total > 21 ? "bust" : null } : EMPTY, {
      owner: t("dealer"),
      slots: 2,
    });
    this.#others(view, settled, you);
    this.#own(view, settled);
    this.#line(view);
    this.#panel(state, you);
    if (first) settle(this);
    else deal(this);
  }

  #others(view, settled, you) {
    const shown = focusSeat(view);
    const seats = view.seats.filter((seat) => seat.seat !== (you ?? shown));
    show(this.#seats, seats.length > 0);
    keyed(
      this.#seats,
      seats,
      (seat) => seat.seat,
      () => el("li", {}, document.createElement("taku-seat")),
      (node, seat) =>
        node.firstChild.update(seat, {
          turn: view.to_act?.seat === seat.seat,
          phase: view.phase,
          settled: (settled ?? (view.phase === "settled" ? view.last_round : null))?.seats.find((one) => one.seat === seat.seat),
        }),
    );
    if (this.#onTurn !== view.to_act?.seat) {
      this.#onTurn = view.to_act?.seat;
      const node = this.#seats.querySelector(".turn");
      const hidden = node && (node.offsetLeft < this.#seats.scrollLeft || node.offsetLeft + node.offsetWidth > this.#seats.scrollLeft + this.#seats.clientWidth);
      if (hidden) this.#seats.scrollTo({ left: node.offsetLeft - this.#seats.clientWidth / 2 + node.offsetWidth / 2 });
    }
  }

  #own(view, settled) {
    const number = focusSeat(view);
    const seat = view.seats.find((one) => one.seat === number);
    const past = settled?.seats.find((one) => one.seat === number);
    const hands = settled ? (past?.hands ?? []) : seat.hands;
    const turn = view.to_act?.phase === "playing" && view.to_act.seat === number ? view.to_act.hand : null;
    const marked = turn ?? (hands.length > 1 ? this.#chosen : 0);
    this.#chosen = turn ?? Math.min(marked, Math.max(0, hands.length - 1));
    const own = view.you?.seat === number;
    say(this.#name, own ? "" : nameOf(seat));
    show(this.#name, !own);
    put(this.#hands, "data-hands", hands.length);
    const nth = (index) => (hands.length > 1 ? t("hand.nth", { n: index + 1 }) : "");
    keyed(
      this.#hands,
      hands.length ? hands : [{ ...EMPTY, bet: 0 }],
      (_, index) => index,
      () => document.createElement("taku-hand"),
      (node, hand, index) => {
        node.update(hand, {
          owner: own ? t("hand.yours") : nameOf(seat),
          place: nth(index),
          turn: index === turn,
          slots: 2,
          whole: hands.length === 1,
          stake: hand.cards.length || !seat.bet ? "" : t("points", { n: seat.bet }),
        });
        node.classList.toggle("chosen", index === this.#chosen);
      },
    );
    show(this.#tabs, hands.length > 2);
    keyed(
      this.#tabs,
      hands.length > 2 ? hands : [],
      (_, index) => index,
      (_, index) => el("button.tab", { type: "button", onclick: () => this.#choose(index) }, el("b"), " ", el("span")),
      (node, hand, index) => {
        const result = verdict(hand);
        say(node.firstChild, String(hand.total));
        say(node.lastChild, result ? signed(hand.returned - hand.bet) : t("points.short", { n: hand.bet }));
        put(node.lastChild, "data-result", result?.word);
        put(node, "aria-pressed", index === this.#chosen ? "true" : "false");
        put(node, "aria-label", [nth(index), hand.total, note(hand, false), result?.text ?? t("points", { n: hand.bet })].filter(Boolean).join(" "));
        node.classList.toggle("turn", index === turn);
      },
    );
    const insurance = settled ? past?.insurance : seat.insurance;
    const back = settled && insurance ? past.insurance_returned - insurance : null;
    let text = "";
    if (insurance) text = back === null ? t("own.insured", { n: insurance }) : t("own.insurance_result", { points: signed(back) });
    say(this.#extra, text);
  }

  #choose(index) {
    this.#chosen = index;
    [...this.#hands.children].forEach((node, at) => node.classList.toggle("chosen", at === index));
    [...this.#tabs.children].forEach((node, at) => put(node, "aria-pressed", at === index ? "true" : "false"));
  }

  #line(view) {
    if (this.#refusal && this.#refusal.version !== view.version) this.#refusal = null;
    this.#say.classList.toggle("refusal", this.#refusal !== null);
    say(this.#say, this.#refusal?.text ?? situation(view));
  }

  /** A reason in place of the situation, until the table changes or a few seconds have gone. */
  refuse(text, view) {
    const mine = { text, version: view.version };
    this.#refusal = mine;
    this.#line(view);
    setTimeout(() => {
      if (this.#refusal !== mine) return;
      this.#refusal = null;
      this.#line(this.view ?? view);
    }, 6000);
  }

  #panel({ view, ahead, busy, lastBet }, you) {
    this.view = view;
    const seat = view.seats.find((one) => one.seat === you);
    const turn = view.to_act?.seat === you ? view.to_act : null;
    const staked = seat && view.status === "playing" ? seat.hands.reduce((sum, hand) => sum + hand.bet, 0) || seat.bet : 0;
    const over = view.status !== "playing";
    let mode = "play";
    if (over) mode = "over";
    else if (!seat) mode = "watch";
    else if (seat.controller === "cpu") mode = "return";
    else if (seat.out) mode = "out";
    else if (view.phase === "betting") mode = "bet";
    else if (view.phase === "insurance" && turn) mode = "insurance";
    const acting = view.seats.find((one) => one.seat === view.to_act?.seat);
    const placed = Boolean(seat?.bet);
    const legal = turn?.phase === "betting" ? (turn.legal.find(({ action }) => action === "bet") ?? null) : null;
    this.#actions.update({
      mode,
      turn,
      busy,
      why: acting ? t("panel.not_your_turn", { name: nameOf(acting) }) : t("say.over"),
      chips: seat ? number(seat.chips) : "–",
      staked: staked ? number(staked) : "",
      surrender: view.rules.surrender !== "none",
      stake: turn?.phase === "insurance" ? seat.bet / 2 : 0,
      betting: {
        mode: legal ? "turn" : view.phase === "betting" && !placed && !over ? "ahead" : "closed",
        legal,
        last: lastBet,
        ahead,
        fallback: Math.min(50, seat?.chips ?? 50),
        busy,
      },
      deadline: view.to_act?.deadline ?? null,
      length: view.rules.turn_seconds,
      again: view.kind !== "ranked" && Boolean(seat),
      places: [...(view.result ?? [])]
        .sort((a, b) => a.place - b.place)
        .map(({ seat: at, place, chips }) => ({
          seat: at,
          place,
          chips,
          mine: at === you,
          name: nameOf(view.seats.find((one) => one.seat === at)),
        })),
    });
  }

  /** Once or more a second: what runs down without a message. */
  tick() {
    this.#actions.timer.tick();
    for (const seat of this.#seats.querySelectorAll("taku-seat")) seat.tick();
  }
}

define("taku-table", TableElement);
