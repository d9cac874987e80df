/** Profile, leaderboard and history: pages that are whole without a script. */

import "../times.js";

document.documentElement.dataset.ready = "";
