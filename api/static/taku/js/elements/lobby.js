/** The lobby of a party: how others come in, who is here and ready, under which rules, and the start. */

import { ask, define, el, enable, enabled, icon, keyed, page, put, say, show } from "../dom.js";
import { t } from "../i18n.js";
import "./ranked.js";
import "./rules-form.js";

const shareable = () => typeof navigator.share === "function";
const copyable = () => Boolean(navigator.clipboard?.writeText);

export class LobbyElement extends HTMLElement {
  #title = el("h1", { tabindex: "-1" });
  #code = el("b.code");
  #link = el("input.field", { id: "join-link", type: "text", readonly: true, onfocus: () => this.#link.select() });
  #copied = el("span.copied", { role: "status" });
  #qr = el("img", { alt: t("lobby.qr"), width: 176, height: 176 });
  #members = el("ul.members");
  #count = el("span.count");
  #rules = document.createElement("taku-rules-form");
  #rulesNote = el("p.hint");
  #more = el("a.more", {}, t("rules.read_more"));
  #watch = el("input", { type: "checkbox", onchange: () => ask(this, "watchable", { watchable: this.#watch.checked }) });
  #watchRow = el("label.check", {}, this.#watch, el("span", {}, t("lobby.watchable")));
  #main = el("button.btn.primary.big", { type: "button", onclick: () => this.#press() });
  #leave = el("button.btn.plain.big", { type: "button", onclick: () => ask(this, "leave") }, t("lobby.leave"));
  #why = el("p.why", { role: "status" });
  #search = el("taku-ranked", {}, el("button.btn.plain.big.wide", { type: "button" }, t("lobby.search")), el("p.why", { role: "status", hidden: true }));
  #searchNote = el("p.hint");
  #party = null;
  #built = false;

  get form() {
    return this.#rules;
  }

  #build() {
    if (this.#built) return;
    this.#built = true;
    const share = el("button.btn.plain", { type: "button", onclick: () => this.#share() }, t("lobby.share"));
    const copy = el("button.btn.plain", { type: "button", onclick: () => this.#copy() }, t("lobby.copy"));
    this.replaceChildren(
      el(
        "section.invite",
        { "aria-labelledby": "invite" },
        this.#title,
        el("h2.vh", { id: "invite" }, t("lobby.invite")),
        el("p.code-line", {}, t("lobby.code"), " ", this.#code),
        el("label.vh", { for: "join-link" }, t("lobby.link")),
        el("div.joined", {}, this.#link, copyable() ? copy : null, shareable() ? share : null),
        this.#copied,
        el("details", {}, el("summary", {}, t("lobby.show_qr")), this.#qr),
      ),
      el(
        "section.people",
        { "aria-labelledby": "people" },
        el("h2", { id: "people" }, t("lobby.people"), " ", this.#count),
        this.#members,
        el("h2.apart", {}, t("queue.title")),
        this.#searchNote,
        this.#search,
      ),
      el(
        "section.house",
        { "aria-labelledby": "house" },
        el("h2", { id: "house" }, t("lobby.rules")),
        this.#rulesNote,
        this.#more,
        this.#rules,
        this.#watchRow,
      ),
      el("div.dock", {}, this.#why, el("div.row.two", {}, this.#main, this.#leave)),
    );
  }

  /** @param party the party as its members see it; @param me the own player's id; @param busy a press is being sent; @param changing a change is */
  update({ party, me, busy, changing, note }) {
    this.#build();
    this.#party = party;
    const host = party.host.id === me;
    say(this.#title, t(host ? "lobby.yours" : "lobby.of", { name: party.host.display_name }));
    say(this.#code, party.code);
    const link = new URL(party.join_url, location.href).href;
    if (this.#link.value !== link) this.#link.value = link;
    const qr = `/api/v1/parties/${party.code}/qr.svg`;
    if (this.#qr.getAttribute("src") !== qr) put(this.#qr, "src", qr);
    say(this.#count, t("lobby.count", { n: party.members.length, most: party.max_members }));
    this.#list(party, me, host);
    put(this.#more, "href", `/rules/?party=${party.code}`);
    say(this.#rulesNote, t(host ? "lobby.rules_host" : "lobby.rules_guest"));
    // While a change is on its way, what was chosen stays as it was chosen.
    if (!busy && !changing) {
      this.#rules.update({ rules: party.rules, editable: host, edge: party.edge });
      this.#watch.checked = party.watchable;
    }
    show(this.#watchRow, host);
    this.#action({ party, me, host, busy, note });
    this.#ranked(party, host);
  }

  #list(party, me, host) {
    keyed(
      this.#members,
      party.members,
      ({ player }) => player.id,
      (member) => {
        const tools = el("span.tools");
        const node = el("li", {}, el("span.who", {}, el("bdi"), el("span.tag")), el("span.marks"), tools);
        tools.append(
          el("button.btn.plain", { type: "button", "data-tool": "host", onclick: () => ask(this, "host", { player: member.player }) }, t("lobby.make_host")),
          el("button.btn.plain", { type: "button", "data-tool": "kick", onclick: () => ask(this, "kick", { player: member.player }) }, t("lobby.kick")),
        );
        return node;
      },
      (node, { player, ready, connected }) => {
        const mine = player.id === me;
        const isHost = player.id === party.host.id;
        say(node.querySelector("bdi"), player.display_name);
        say(node.querySelector(".tag"), mine ? t("lobby.you") : `#${player.tag}`);
        const words = [
          isHost && ["i-host", t("lobby.host")],
          !isHost && ready && ["i-check", t("lobby.ready")],
          !isHost && !ready && connected && [null, t("lobby.not_ready")],
          !connected && ["i-away", t("lobby.away")],
        ].filter(Boolean);
        keyed(
          node.querySelector(".marks"),
          words,
          ([, text]) => text,
          ([name, text]) => el("span.mark", {}, name ? icon(name) : null, text),
        );
        const tools = node.querySelector(".tools");
        show(tools, host && !mine);
        for (const tool of tools.children) {
          put(tool, "aria-label", t(`lobby.${tool.dataset.tool === "kick" ? "kick_who" : "host_who"}`, { name: player.display_name }));
        }
      },
    );
  }

  #action({ party, me, host, busy, note }) {
    const mine = party.members.find(({ player }) => player.id === me);
    const waiting = party.members.filter(({ player, ready }) => player.id !== party.host.id && !ready).length;
    let text = note ?? "";
    let label = "lobby.start";
    let possible = true;
    if (host) {
      if (party.members.length > 1 && waiting) {
        possible = false;
        text ||= t("lobby.waiting_for", { n: waiting });
      } else if (party.members.length === 1) {
        label = "lobby.start_alone";
        text ||= t("lobby.alone");
      } else text ||= t("lobby.all_ready");
    } else {
      label = mine?.ready ? "lobby.not_ready_yet" : "lobby.be_ready";
      text ||= t(mine?.ready ? "lobby.wait_host" : "lobby.press_ready");
    }
    say(this.#main, t(label));
    put(this.#main, "data-do", host ? "start" : "ready");
    this.#main.classList.toggle("primary", host || !mine?.ready);
    enable(this.#main, possible && !busy);
    say(this.#why, text);
  }

  /** The whole party into the queue, by its host. */
  #ranked(party, host) {
    show(this.#search, host);
    say(this.#searchNote, t(host ? "lobby.search_host" : "lobby.search_guest"));
    const waiting = party.members.some(({ player, ready }) => player.id !== party.host.id && !ready);
    if (party.members.length > 5) this.#search.kept = t("error.party_too_large");
    else this.#search.kept = waiting ? t("error.not_everyone_ready") : null;
  }

  #press() {
    if (!enabled(this.#main)) {
      ask(this, "refusal", { text: this.#why.textContent });
      return;
    }
    if (this.#main.dataset.do === "start") ask(this, "start");
    else {
      const mine = this.#party.members.find(({ player }) => player.id === page.player.id);
      ask(this, "ready", { ready: !mine.ready });
    }
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#link.value);
      say(this.#copied, t("lobby.copied"));
    } catch {
      this.#link.focus();
      say(this.#copied, t("lobby.copy_by_hand"));
    }
  }

  async #share() {
    try {
      await navigator.share({ title: page.site, text: t("lobby.share_text", { code: this.#party.code }), url: this.#link.value });
    } catch (error) {
      if (error.name !== "AbortError") this.#link.focus();
    }
  }
}

define("taku-lobby", LobbyElement);
