/** The page of a party: the way in for visitors, the lobby for members. */

import * as announcer from "../announcer.js";
import { refresh } from "../announcements.js";
import { get, patch, post, signIn } from "../api.js";
import { watchConnection } from "../connection.js";
import { el, page, put, say, show } from "../dom.js";
import "../elements/lobby.js";
import { rulesTable } from "../elements/rules-table.js";
import { confirmSheet } from "../elements/sheet.js";
import { has, t } from "../i18n.js";
import { line as socket } from "../line.js";

/** The heading for somebody who is in the party no longer, by the reason. */
const GONE = { left: "party.not_member", kicked: "party.kicked" };
const lobby = document.querySelector("taku-lobby");
const banner = el("p.banner", { hidden: true });
let party = page.party ?? null;
let busy = false;
let changes = 0;
let changed = Promise.resolve(true);
let note = null;
let gone = false;
let known = null;

announcer.install();
lobby.before(banner);

const me = () => page.player?.id ?? null;
const path = (rest = "") => `parties/${page.party?.code ?? page.preview.code}/${rest}`;

/** What changed, in words, for those who do not see the page. */
function tell(before, after) {
  const ids = new Set(before.members.map(({ player }) => player.id));
  const now = new Set(after.members.map(({ player }) => player.id));
  const said = [];
  for (const { player } of after.members) {
    if (!ids.has(player.id)) said.push(t("party.joined", { name: player.display_name }));
  }
  for (const { player } of before.members) {
    if (!now.has(player.id)) said.push(t("party.left", { name: player.display_name }));
  }
  if (before.host.id !== after.host.id) {
    said.push(after.host.id === me() ? t("party.you_host") : t("party.host", { name: after.host.display_name }));
  }
  if (JSON.stringify(before.rules) !== JSON.stringify(after.rules)) said.push(t("party.rules_changed"));
  announcer.announce(...said);
}

function draw() {
  if (!party || gone) return;
  lobby.update({ party, me: me(), busy, changing: changes > 0, note });
  document.title = t("title.party", { n: party.members.length, site: page.site });
}

/** To the table, once: the answer and the message about it come at the same time. */
function enter(match) {
  if (gone) return;
  gone = true;
  location.assign(`/m/${match}/`);
}

/** Takes a newer state of the party; an older one that comes late is passed over. */
function take(next) {
  if (!next || (party && next.version < party.version)) return;
  if (party) tell(party, next);
  party = next;
  note = null;
  if (next.match) enter(next.match);
  draw();
}

function leaveWith(key) {
  gone = true;
  lobby.replaceChildren(
    el("h1", { tabindex: "-1" }, t(key)),
    el("p", {}, el("a.btn.primary.big", { href: "/" }, t("panel.home"))),
  );
  lobby.firstChild.focus();
}

/** Sends one thing and takes the answer; gives whether it was done. */
async function sent(send) {
  try {
    const answer = await send();
    if (answer?.members) take(answer);
    return true;
  } catch (problem) {
    note = problem.sentence ?? t("error.error");
    announcer.announce(note);
    for (const { field, detail } of problem.errors ?? []) lobby.form.fault(field.split(".").at(-1), detail);
    if (problem.code === "party_not_found" || problem.code === "not_in_party") leaveWith("party.closed");
    return false;
  }
}

/** A press: one at a time, and after what was changed before it; a change that was refused keeps it back. */
async function act(send) {
  if (busy) return;
  busy = true;
  draw();
  if (await changed) await sent(send);
  busy = false;
  draw();
}

/** A change of what the party plays: none is lost, they go out one after the other. */
async function change(body) {
  changes += 1;
  const before = changes > 1 ? changed : Promise.resolve(true);
  changed = before.then(async (all) => (await sent(() => patch(path(), body))) && all);
  draw();
  await changed;
  changes -= 1;
  draw();
}

function members() {
  socket.addEventListener("party", ({ detail }) => {
    if (detail.party) {
      if (detail.party.code === party.code) take(detail.party);
    } else if (!gone) leaveWith(GONE[detail.reason] ?? "party.closed");
  });
  // What happened while the line was down came to nobody: ask.
  socket.addEventListener("state", async ({ detail }) => {
    if (detail.state !== "open" || gone) return;
    try {
      const now = await get(path());
      if (now.members) take(now);
      else leaveWith("party.not_member");
    } catch (problem) {
      if (problem.status === 404) leaveWith("party.closed");
    }
  });
  socket.addEventListener("notice", ({ detail }) => {
    if (["announcement", "maintenance"].includes(detail.kind)) return refresh();
    announcer.announce(detail.text);
    show(say(banner, detail.text), true);
  });
  watchConnection(socket, (text) => show(say(banner, text ?? ""), Boolean(text)));
  const on = (type, handler) => put(lobby, `on${type}`, ({ detail }) => handler(detail));
  on("ready", ({ ready }) => act(() => post(path("ready/"), { ready })));
  on("start", () => act(async () => enter((await post(path("start/"))).id)));
  on("rules-change", ({ rules }) => change({ rules }));
  on("watchable", ({ watchable }) => change({ watchable }));
  on("refusal", ({ text }) => announcer.announce(text));
  on("host", ({ player }) => act(() => post(path("host/"), { player: player.id })));
  on("kick", async ({ player }) => {
    const sure = await confirmSheet(t("lobby.kick"), t("lobby.kick_sure", { name: player.display_name }), t("lobby.kick"));
    if (sure) act(() => post(path("kick/"), { player: player.id }));
  });
  on("leave", () =>
    act(async () => {
      await post(path("leave/"));
      gone = true;
      location.assign("/");
    }),
  );
  lobby.form.build(known);
  draw();
  socket.open();
}

/** Somebody who is not in the party: who hosts it, how many are there, and whether they may join. */
function visitor(preview) {
  const fault = el("p.fault", { role: "alert", hidden: true });
  const join = el("button.btn.primary.big.wide", { type: "button" }, t("party.join"));
  const refuse = (code) => {
    show(join, code === "party_started");
    show(say(fault, t(has(`join.${code}`) ? `join.${code}` : "error.error")), true);
  };
  put(join, "onclick", async () => {
    if (busy) return;
    busy = true;
    put(join, "aria-busy", "true");
    try {
      if (!page.player) page.player = (await signIn()).player;
      page.party = await post(path("join/"));
      location.reload();
    } catch (problem) {
      busy = false;
      put(join, "aria-busy", null);
      if (has(`join.${problem.code}`)) refuse(problem.code);
      else show(say(fault, problem.sentence ?? t("error.error")), true);
    }
  });
  lobby.replaceChildren(
    el(
      "section.invite",
      {},
      el("h1", {}, t("lobby.of", { name: preview.host.display_name })),
      el("p", {}, t("party.preview", { n: preview.counts.members, most: preview.max_members })),
      join,
      fault,
      el("p", {}, el("a.btn.plain.big.wide", { href: "/" }, t("panel.home"))),
    ),
    el("section.house", {}, el("h2", {}, t("lobby.rules")), rulesTable(known, preview.rules)),
  );
  if (!preview.can_join.ok) refuse(preview.can_join.code);
}

try {
  known = await get("rules/");
  if (party) members();
  else visitor(page.preview);
} catch (problem) {
  lobby.replaceChildren(el("p.fault", { role: "alert" }, problem.sentence ?? t("error.error")));
}
document.documentElement.dataset.ready = "";
