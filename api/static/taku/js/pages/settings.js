/** The settings page. */

import "../elements/settings.js";

document.documentElement.dataset.ready = "";
