/**
 * The public REST API: JSON in and out, problem+json as errors, the CSRF header, and retries that
 * cannot do a thing twice because every POST carries an Idempotency-Key.
 */

import { freshId } from "./dom.js";
import { dateTime, has, lang, t } from "./i18n.js";

const ROOT = "/api/v1/";
const WAITS = [400, 1200, 3000];
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const banned = ({ until, reason }) =>
  until ? t("error.banned", { until: dateTime(until), reason }) : t("error.banned_for_good", { reason });

/** A refusal (RFC 9457) or, with status 0, no answer at all. */
export class Problem extends Error {
  constructor(status, body = {}) {
    super(body.detail || body.title || `HTTP ${status}`);
    this.status = status;
    this.code = body.code ?? (status ? "error" : "offline");
    this.body = body;
    this.errors = body.errors ?? [];
  }

  /** One sentence for the person: ours where we have one, else the server's. */
  get sentence() {
    if (this.code === "banned") return banned(this.body);
    return has(`error.${this.code}`) ? t(`error.${this.code}`) : this.message;
  }
}

const cookie = (name) =>
  document.cookie
    .split("; ")
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? "";

/** The token that a change has to carry; where cookies were cleared under an open page, any page brings a new one. */
async function csrfToken() {
  if (!cookie("csrftoken")) await fetch("/privacy/", { credentials: "same-origin", signal: AbortSignal.timeout(15000) }).catch(() => null);
  return cookie("csrftoken");
}

async function once(method, url, body, key) {
  const headers = { Accept: "application/json", "Accept-Language": lang() };
  if (method !== "GET") headers["X-CSRFToken"] = await csrfToken();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  let response;
  try {
    response = await fetch(url, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      signal: AbortSignal.timeout(15000),
    });
  } catch {
    throw new Problem(0);
  }
  const text = await response.text();
  let parsed = null;
  try {
    parsed = text ? JSON.parse(text) : null;
  } catch {
    throw new Problem(response.status || 502);
  }
  if (response.ok) return parsed;
  const problem = new Problem(response.status, parsed ?? {});
  if (problem.code === "not_authenticated") document.dispatchEvent(new Event("account-lost"));
  problem.retryAfter = Number(response.headers.get("Retry-After")) || null;
  throw problem;
}

const worthwhile = (problem) =>
  problem.status === 0 || problem.status === 429 || (problem.status >= 502 && problem.status <= 504);

async function send(method, path, body) {
  const key = method === "POST" ? freshId() : null;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await once(method, ROOT + path, body, key);
    } catch (problem) {
      if (!(problem instanceof Problem) || attempt >= WAITS.length || !worthwhile(problem)) throw problem;
      const wait = problem.retryAfter ? Math.min(problem.retryAfter * 1000, 10000) : WAITS[attempt];
      await pause(wait * (0.75 + Math.random() / 2));
    }
  }
}

export const get = (path) => send("GET", path);
export const post = (path, body = {}) => send("POST", path, body);
export const put = (path) => send("PUT", path);
export const patch = (path, body) => send("PATCH", path, body);
export const remove = (path) => send("DELETE", path);

/** What a visitor has chosen in the settings, as this browser keeps it. */
export function prefs() {
  try {
    const kept = JSON.parse(decodeURIComponent(cookie("prefs")));
    return typeof kept === "object" && !Array.isArray(kept) && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

/** The account of this browser, made by the first POST and never by looking; it takes over what was chosen before. */
export async function signIn() {
  const made = await post("players/");
  const chosen = prefs();
  // Settings that cannot be kept are no reason not to play.
  if (Object.keys(chosen).length) await patch("players/me/", { settings: chosen }).catch(() => null);
  return made;
}
