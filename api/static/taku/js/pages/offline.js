/** The page that is shown where nothing can be reached: tries again by itself, with growing waits. */

const own = document.querySelector("main [data-own]");
let wait = 1000;
let timer = null;

const again = () => (location.pathname === own.dataset.own ? location.replace("/") : location.reload());

async function look() {
  clearTimeout(timer);
  const asked = fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(5000) });
  if (await asked.then(({ ok }) => ok, () => false)) return again();
  wait = Math.min(wait * 2, 30000);
  timer = setTimeout(look, wait * (0.75 + Math.random() / 2));
  return null;
}

own.addEventListener("click", (event) => {
  event.preventDefault();
  again();
});
addEventListener("online", look);
// Whoever opens this page by its own address is not without a line.
if (location.pathname !== own.dataset.own) timer = setTimeout(look, wait);
