/** On every page: who has an account hears of the ranked queue. */

import { page } from "./dom.js";

if (page.player || document.querySelector("taku-ranked")) import("./queue-watch.js").catch(() => null);
