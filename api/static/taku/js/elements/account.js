/** One's account: on which devices it is, how it comes to another, what is kept of it, and its end. */

import { get, post, remove } from "../api.js";
import { guardComposition } from "../composing.js";
import { define, el, keyed, page, put, say, show } from "../dom.js";
import { dateTime, t, time } from "../i18n.js";
import { confirmSheet } from "./sheet.js";

const button = (label, onclick, kind = "plain") => el(`button.btn.${kind}`, { type: "button", onclick }, label);

/** Never comes: what leads to another page stays busy until that is there. */
const leaving = new Promise(() => {});

/** What the server refuses, with the time from which it is possible where it names one. */
function refusal(problem) {
  if (problem.code === "device_too_young") return t("account.too_young", { until: dateTime(problem.body.until) });
  return problem.errors?.[0]?.detail ?? problem.sentence ?? t("error.error");
}

/** A secret that is shown once: large, to be read out, and to be copied where the browser can. */
class Secret {
  #value = el("output.secret", { tabindex: "-1" });
  #copied = el("span.copied", { role: "status" });
  #hint = el("p.hint");
  node = el("div.secret-box", { hidden: true }, this.#value, this.#hint, this.#copied);

  constructor(label) {
    put(this.#value, "aria-label", label);
    if (navigator.clipboard?.writeText) {
      this.#value.after(
        button(t("lobby.copy"), async () => {
          await navigator.clipboard.writeText(this.#value.textContent);
          say(this.#copied, t("account.copied"));
        }),
      );
    }
  }

  show(text, hint) {
    say(this.#value, text);
    say(this.#hint, hint);
    say(this.#copied, "");
    show(this.node, true);
    this.#value.focus();
  }
}

export class AccountElement extends HTMLElement {
  #fault = el("p.fault", { role: "alert", hidden: true });
  #devices = el("ul.devices");
  #others = button(t("account.sign_out_others"), () => this.#signOutOthers());
  #notices = el("ul.notices");
  #noticesPart = null;
  #code = new Secret(t("account.code"));
  #key = new Secret(t("account.key"));
  #keyNote = el("p.hint");
  #busy = false;

  /** Whether something is on its way. */
  get busy() {
    return this.#busy;
  }

  connectedCallback() {
    if (this.firstChild) return;
    if (page.player) this.append(...this.#own());
    else this.append(this.#bringHere());
    if (page.player) this.refresh();
  }

  #part(name, ...content) {
    return el("section", { id: name, "aria-labelledby": `${name}-title` }, el("h2", { id: `${name}-title` }, t(`account.${name}`)), ...content);
  }

  #own() {
    this.#noticesPart = this.#part("notices", this.#notices);
    show(this.#noticesPart, false);
    say(this.#keyNote, page.recovery ? t("account.key_made", { at: dateTime(page.recovery) }) : t("account.key_none"));
    return [
      this.#noticesPart,
      this.#part(
        "transfer",
        el("p", {}, t("account.transfer_why")),
        button(t("account.make_code"), (event) => this.#makeCode(event.currentTarget)),
        this.#code.node,
        this.#enter(),
      ),
      this.#part(
        "recovery",
        el("p", {}, t("account.recovery_why")),
        this.#keyNote,
        button(t("account.make_key"), (event) => this.#makeKey(event.currentTarget)),
        this.#key.node,
      ),
      this.#part("devices", this.#devices, this.#others),
      this.#part(
        "data",
        el("p", {}, t("account.data_why")),
        el("a.btn.plain", { href: "/api/v1/players/me/export/", download: "" }, t("account.export")),
      ),
      this.#part("end", el("p", {}, t("account.end_why")), button(t("account.delete"), () => this.#delete(), "danger")),
      this.#fault,
    ];
  }

  #bringHere() {
    return this.#part("transfer", el("p", {}, t("account.bring_why")), this.#enter(), this.#fault);
  }

  /** The field for a code or key from another device. */
  #enter() {
    const field = el("input.field", {
      id: "transfer-code",
      autocomplete: "off",
      autocapitalize: "characters",
      spellcheck: "false",
      maxlength: 200,
      "aria-describedby": "transfer-fault",
    });
    guardComposition(field);
    const fault = el("p.fault", { role: "alert", id: "transfer-fault", hidden: true });
    const enter = async (event) => {
      event.preventDefault();
      show(fault, false);
      put(field, "aria-invalid", null);
      const code = field.value.trim();
      try {
        if (!code) throw { code: "no_code", sentence: t("account.no_code") };
        await this.#once(() => this.#bring(code));
      } catch (problem) {
        put(field, "aria-invalid", "true");
        show(say(fault, refusal(problem)), true);
        field.focus();
      }
    };
    return el(
      "form.bring",
      { novalidate: true, onsubmit: enter },
      el("label", { for: "transfer-code" }, t("account.enter")),
      el("div.joined", {}, field, el("button.btn.plain.big", {}, t("account.bring"))),
      fault,
    );
  }

  async #bring(code) {
    try {
      await post("players/transfer/", { code });
    } catch (problem) {
      if (problem.code !== "would_lose_account") throw problem;
      if (!(await confirmSheet(t("account.lose_title"), t("account.lose"), t("account.lose_yes")))) return;
      await post("players/transfer/", { code, replace: true });
    }
    location.assign("/settings/");
    await leaving;
  }

  /** One thing at a time; a second press while the first is on its way does nothing. */
  async #once(act) {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await act();
    } finally {
      this.#busy = false;
    }
  }

  /** Does something to the account; what is refused is said below the button that was pressed. */
  async #try(act, beside) {
    show(this.#fault, false);
    try {
      await this.#once(act);
    } catch (problem) {
      beside.after(this.#fault);
      show(say(this.#fault, refusal(problem)), true);
    }
  }

  #makeCode(pressed) {
    return this.#try(async () => {
      const { code, expires_at } = await post("players/me/transfer-code/");
      this.#code.show(code.replace(/(.{5})(?=.)/g, "$1 "), t("account.code_hint", { until: time(expires_at) }));
    }, pressed);
  }

  #makeKey(pressed) {
    return this.#try(async () => {
      if (page.recovery && !(await confirmSheet(t("account.make_key"), t("account.key_replaces"), t("account.make_key")))) return;
      const { key } = await post("players/me/recovery-key/");
      page.recovery = new Date().toISOString();
      say(this.#keyNote, t("account.key_made", { at: dateTime(page.recovery) }));
      this.#key.show(key, t("account.key_hint"));
    }, pressed);
  }

  /** Devices and notices as they are now. */
  async refresh() {
    try {
      const [devices, notices] = await Promise.all([get("players/me/devices/"), get("players/me/notices/")]);
      this.#listDevices(devices.results);
      this.#listNotices(notices.results);
      // That this very device was added is for the others to read.
      const since = Date.parse(devices.results.find(({ current }) => current).created_at);
      const read = notices.results
        .filter((notice) => !notice.read_at && Date.parse(notice.created_at) > since)
        .map(({ id }) => id);
      if (read.length) await post("players/me/notices/read/", { notices: read });
    } catch (problem) {
      show(say(this.#fault, refusal(problem)), true);
    }
  }

  #listDevices(devices) {
    const unnamed = t("account.unnamed");
    keyed(
      this.#devices,
      devices,
      ({ id }) => id,
      (device) =>
        el(
          "li",
          {},
          el("span.who", {}, device.label || unnamed),
          device.current ? el("span.mark", {}, t("account.current")) : null,
          el("span.hint"),
          put(
            button(t("account.sign_out"), (event) => this.#signOut(device, event.currentTarget)),
            "aria-label",
            t("account.sign_out_who", { name: device.label || unnamed }),
          ),
        ),
      (node, device) => say(node.querySelector(".hint"), t("account.last_used", { at: dateTime(device.last_used_at) })),
    );
    show(this.#others, devices.length > 1);
  }

  #listNotices(notices) {
    show(this.#noticesPart, notices.length > 0);
    keyed(
      this.#notices,
      notices,
      ({ id }) => id,
      (notice) =>
        el(
          "li",
          {},
          notice.read_at ? null : el("span.mark", {}, t("account.new")),
          notice.match
            ? el("a", { href: `/m/${notice.match}/` }, notice.text)
            : el("span", {}, notice.text),
          el("time.hint", { datetime: notice.created_at }, dateTime(notice.created_at)),
        ),
    );
  }

  #signOut(device, pressed) {
    return this.#try(async () => {
      const sure = t(device.current ? "account.sign_out_here" : "account.sign_out_sure", { name: device.label || t("account.unnamed") });
      if (!(await confirmSheet(t("account.sign_out"), sure, t("account.sign_out")))) return;
      await remove(`players/me/devices/${device.id}/`);
      if (device.current) {
        location.assign("/");
        await leaving;
      }
      await this.refresh();
    }, pressed.parentNode.lastChild);
  }

  #signOutOthers() {
    return this.#try(async () => {
      const sure = await confirmSheet(t("account.sign_out_others"), t("account.others_sure"), t("account.sign_out_others"));
      if (!sure) return;
      await remove("players/me/devices/");
      await this.refresh();
    }, this.#others);
  }

  #delete() {
    const pressed = this.querySelector("#end .btn");
    return this.#try(async () => {
      if (!(await confirmSheet(t("account.delete"), t("account.delete_sure"), t("account.delete_yes")))) return;
      await remove("players/me/");
      location.assign("/");
      await leaving;
    }, pressed);
  }
}

define("taku-account", AccountElement);
