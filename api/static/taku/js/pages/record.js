/** Profile, leaderboard and history: pages that are whole without a script. */

import "../chart.js";
import "../days.js";
import { page } from "../dom.js";
import "../times.js";

if (page.about) import("../elements/about.js");

document.documentElement.dataset.ready = "";
