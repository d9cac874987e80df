/** Times that the server wrote in UTC, in the reader's own time zone and language. */

import { lang } from "./i18n.js";

const FORMS = { day: { dateStyle: "medium" }, time: { dateStyle: "medium", timeStyle: "short" } };

/** With the zone, for who wants to know. */
const whole = new Intl.DateTimeFormat(lang(), { dateStyle: "long", timeStyle: "long" });

for (const node of document.querySelectorAll("time[data-form]")) {
  const format = new Intl.DateTimeFormat(lang(), FORMS[node.dataset.form]);
  node.textContent = format.format(new Date(node.dateTime));
  node.title = whole.format(new Date(node.dateTime));
}
