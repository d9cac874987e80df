/** Reading the rating graph match by match: with a finger, a mouse or the arrow keys. */

import { el, put, say } from "./dom.js";
import { dateTime, number, signed, t } from "./i18n.js";

const HEIGHT = 220;
const readings = JSON.parse(document.getElementById("chart-readings")?.textContent ?? "[]");

if (readings.length > 1) {
  const figure = document.querySelector(".chart");
  const marker = figure.querySelector(".marker");
  const text = el("p.reading", { "aria-hidden": "true" }, "\u00a0");
  const slider = el("input.along", { type: "range", min: 0, max: readings.length - 1, step: 1, value: readings.length - 1, "aria-label": t("chart.along") });
  const read = () => {
    const { x, at, rating, change } = readings[slider.value];
    const said = t("chart.at", { at: dateTime(at), rating: number(Math.round(rating)), change: signed(change) });
    put(slider, "aria-valuetext", said);
    put(marker, "d", `M${x} 0V${HEIGHT}`);
    say(text, said);
  };
  put(slider, "oninput", read);
  figure.querySelector("figcaption").before(slider, text);
  read();
}
