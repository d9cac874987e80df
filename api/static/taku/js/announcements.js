/** What staff tell everybody, above every page but the table's: kept up to date while it is seen. */

const EVERY = 30000;
const place = document.querySelector(".announcements");
const lang = document.documentElement.lang;
const time = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" });
let shown = null;

function line({ level, text, restart_at: back }) {
  const node = document.createElement("p");
  node.className = `announcement ${level}`;
  node.textContent = back ? `${text} ${place.dataset.back.replace("{time}", time.format(new Date(back)))}` : text;
  return node;
}

/** Asks what is in force; without an answer what is shown stays. */
export async function refresh() {
  try {
    const answer = await fetch("/api/v1/announcements/", { headers: { "Accept-Language": lang } });
    if (!answer.ok) return;
    const { results } = await answer.json();
    const now = JSON.stringify(results);
    if (now === shown) return;
    shown = now;
    place.replaceChildren(...results.map(line));
    place.hidden = results.length === 0;
  } catch {
    // Offline: asked again in a while.
  }
}

const seen = () => document.visibilityState === "visible" && refresh();

if (place) {
  setInterval(seen, EVERY);
  document.addEventListener("visibilitychange", seen);
  // The server wrote its own time of day; where there is one to be told, tell the reader's.
  if (place.querySelector("time")) refresh();
}
