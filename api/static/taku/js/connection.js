/** What a lost connection looks like: when it tries again, and that it is back. */

import { stamp } from "./clock.js";
import { t } from "./i18n.js";

const FIRST_PATIENCE = 2500;
const BACK_SHOWN = 4000;

/** Calls `tell(text | null, final)` for a banner whenever what it should say changes. */
export function watchConnection(socket, tell) {
  let lost = false;
  let ticking = null;
  let hiding = null;
  const opened = stamp();
  const stop = () => {
    clearInterval(ticking);
    clearTimeout(hiding);
  };
  socket.addEventListener("state", ({ detail }) => {
    stop();
    if (detail.state === "open") {
      if (lost) {
        tell(t("connection.back"));
        hiding = setTimeout(() => tell(null), BACK_SHOWN);
      } else tell(null);
      lost = false;
      return;
    }
    if (detail.state === "closed") {
      if (detail.code) tell(t(detail.code === 4409 ? "connection.replaced" : "connection.ended"), true);
      return;
    }
    if (detail.state === "waiting") {
      lost = true;
      const count = () => {
        const seconds = Math.max(0, Math.ceil((detail.retryAt - stamp()) / 1000));
        tell(navigator.onLine ? t("connection.lost", { n: seconds }) : t("connection.offline"));
      };
      count();
      ticking = setInterval(count, 1000);
      return;
    }
    const patience = lost ? 0 : Math.max(0, FIRST_PATIENCE - (stamp() - opened));
    hiding = setTimeout(() => tell(t("connection.connecting")), patience);
  });
}
