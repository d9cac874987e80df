/** On every page: who has an account hears of the ranked queue, and of it when the browser loses the account. */

import { page } from "./dom.js";

if (page.player || document.querySelector("taku-ranked")) import("./queue-watch.js").catch(() => null);
if (page.player) import("./account-lost.js").catch(() => null);
