/** Draws one table from a view in the page, for looking and measuring; no server behind it. */

import { page } from "/static/taku/js/dom.js";
import "/static/taku/js/elements/table.js";

const table = document.createElement("taku-table");
document.querySelector("main").append(table);
let asked = [];
const draw = (view, more = {}) =>
  table.update({ view, ahead: null, busy: null, banner: null, lastBet: view.last_round ? 50 : null, ...more });
draw(page.view, { first: true });
for (const type of ["decide", "bet-ahead", "refusal", "spoken", "take-seat", "rematch", "seat-details"]) {
  table.addEventListener(type, (event) => asked.push({ type, ...event.detail }));
}
table.addEventListener("refusal", (event) => table.refuse(event.detail.text, page.view));
globalThis.harness = {
  draw,
  table,
  page,
  taken: () => {
    const all = asked;
    asked = [];
    return all;
  },
};
document.documentElement.dataset.ready = "";
