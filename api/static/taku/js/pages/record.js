/** Profile, leaderboard and history: pages that are whole without a script. */

import "../chart.js";
import "../times.js";

document.documentElement.dataset.ready = "";
