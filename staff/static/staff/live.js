/** The live page brings itself up to date while somebody looks at it; where it is scrolled to stays. */

const shown = document.getElementById("live");

async function refresh() {
  if (document.hidden || shown.contains(document.activeElement)) return;
  const answer = await fetch(location.href, { credentials: "same-origin" });
  if (answer.redirected) location.reload(); // signed out meanwhile
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  if (fresh) shown.replaceChildren(...fresh.childNodes);
}

setInterval(() => refresh().catch(() => null), 1000 * Number(shown.dataset.every));
