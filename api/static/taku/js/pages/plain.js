/** Pages that are whole without a script of their own. */

document.documentElement.dataset.ready = "";
