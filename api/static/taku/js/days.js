/** The days of a filter are the reader's: the address carries the moments at which they begin and end. */

import { lang, t } from "./i18n.js";

const form = document.querySelector("form.filters");
const two = (value) => String(value).padStart(2, "0");

/** The reader's day in which a moment lies, as a date field holds it; of a day, that day. */
function dayOf(asked) {
  if (!asked.includes("T")) return asked;
  const at = new Date(asked);
  return Number.isNaN(at.getTime()) ? "" : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The first moment of a day of the reader, or its last. */
function momentOf(day, last) {
  const [year, month, date] = day.split("-").map(Number);
  const at = new Date(year, month - 1, date + (last ? 1 : 0));
  return last ? new Date(at.getTime() - 1).toISOString().replace("Z", "999Z") : at.toISOString();
}

if (form) {
  const zone = new Intl.DateTimeFormat(lang(), { timeZoneName: "long" })
    .formatToParts(new Date())
    .find(({ type }) => type === "timeZoneName").value;
  form.querySelector(".hint").textContent = t("history.days", { zone });
  for (const name of ["from", "to"]) {
    const field = form.elements[name];
    field.value = dayOf(field.dataset.asked);
  }
  form.addEventListener("formdata", ({ formData }) => {
    for (const name of ["from", "to"]) {
      const day = formData.get(name);
      if (day) formData.set(name, momentOf(day, name === "to"));
    }
  });
}
