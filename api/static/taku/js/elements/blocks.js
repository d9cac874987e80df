/** Whom one blocks, and the way to end that; nothing where there is nobody. */

import { get, remove } from "../api.js";
import { define, el, keyed, page, say, show } from "../dom.js";
import { t } from "../i18n.js";

const FIRST = "players/me/blocks/?limit=100";

export class BlocksElement extends HTMLElement {
  #list = el("ul.devices");
  #said = el("p.hint", { role: "status" });
  #part = el(
    "section",
    { id: "blocks", "aria-labelledby": "blocks-title", hidden: true },
    el("h2", { id: "blocks-title", tabindex: "-1" }, t("blocks.title")),
    this.#list,
    this.#said,
  );
  #blocks = [];

  connectedCallback() {
    if (this.firstChild || !page.player) return;
    this.append(this.#part);
    this.#fetch();
  }

  async #fetch() {
    try {
      for (let path = FIRST; path; ) {
        const { results, next } = await get(path);
        this.#blocks.push(...results.map(({ player }) => player));
        path = next && next.split("/api/v1/")[1];
      }
    } catch (problem) {
      say(this.#said, problem.sentence ?? t("error.error"));
      show(this.#part, true);
    }
    this.#draw();
  }

  #draw() {
    if (this.#blocks.length) show(this.#part, true);
    keyed(
      this.#list,
      this.#blocks,
      ({ id }) => id,
      (player) =>
        el(
          "li",
          {},
          el("a.who", { href: `/players/${player.id}/` }, el("bdi", {}, player.display_name)),
          el("span.hint", {}, `#${player.tag}`),
          el(
            "button.btn.plain",
            { type: "button", "aria-label": t("blocks.end_who", { name: player.display_name }), onclick: () => this.#end(player) },
            t("about.unblock"),
          ),
        ),
    );
  }

  async #end(player) {
    if (!this.#blocks.includes(player)) return;
    try {
      await remove(`players/me/blocks/${player.id}/`);
    } catch (problem) {
      say(this.#said, problem.sentence ?? t("error.error"));
      return;
    }
    this.#blocks = this.#blocks.filter((one) => one !== player);
    this.#draw();
    say(this.#said, t("blocks.ended", { name: player.display_name }));
    this.querySelector("h2").focus();
  }
}

define("taku-blocks", BlocksElement);
