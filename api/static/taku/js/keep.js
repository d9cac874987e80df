/** The offer of a recovery key can be put off; the reminder that follows it has to be put off anew. */

const KEY = "taku-keep";
const offer = document.getElementById("keep");
const later = offer.querySelector("button");

/** Storage may be forbidden: then the offer is simply there again the next time. */
function stored(stage) {
  try {
    if (stage) localStorage.setItem(KEY, stage);
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

later.hidden = false;
offer.hidden = stored() === offer.dataset.stage;
later.addEventListener("click", () => {
  stored(offer.dataset.stage);
  offer.hidden = true;
});
