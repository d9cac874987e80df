/** Times that the server wrote in UTC, in the reader's own time zone and language. */

import { lang } from "./i18n.js";

const FORMS = { day: { dateStyle: "medium" }, time: { dateStyle: "medium", timeStyle: "short" } };

for (const node of document.querySelectorAll("time[data-form]")) {
  const format = new Intl.DateTimeFormat(lang(), FORMS[node.dataset.form]);
  node.textContent = format.format(new Date(node.dateTime));
}
