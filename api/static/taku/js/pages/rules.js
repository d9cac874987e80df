/** The rules page: from reading to the table. */

import { playAlone } from "../start.js";

const form = document.getElementById("play");
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  playAlone(form.querySelector("button"), form.querySelector(".fault"));
});
document.documentElement.dataset.ready = "";
