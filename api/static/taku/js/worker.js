/** Lets the browser keep the offline page, once everything else is there. */

import { page } from "./dom.js";

const keep = () => navigator.serviceWorker.register(page.worker, { updateViaCache: "none" }).catch(() => null);

// On plain http a browser has workers for its own machine only.
if (page.worker && navigator.serviceWorker) {
  if (document.readyState === "complete") keep();
  else addEventListener("load", keep);
}
