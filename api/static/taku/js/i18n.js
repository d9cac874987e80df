/** Texts of the page's language, with whole sentences, placeholders, plurals and numbers. */

let table = {};
let language = "ja";
let numbers = new Intl.NumberFormat("ja");

/** Called by the language's own module; everything else asks `t`. */
export function install(code, texts) {
  table = texts;
  language = code;
  numbers = new Intl.NumberFormat(code);
}

export const lang = () => language;
export const has = (key) => key in table;
export const number = (value) => numbers.format(value);

/** `+50`, `−50`, `±0`, with a real minus sign. */
export function signed(value) {
  if (value > 0) return `+${number(value)}`;
  return value < 0 ? `−${number(-value)}` : "±0";
}

// A name that could turn the rest of its line around is set apart (Unicode UAX 9).
const TURNS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;
const apart = (text) => (TURNS.test(text) ? `\u2068${text}\u2069` : text);

/**
 * The text for a key. `{name}` is a value (numbers in the language's own form),
 * `{n|point|points}` chooses by number, `{s?yes:no}` is not needed and not known.
 */
export function t(key, values = {}) {
  const text = table[key];
  if (text === undefined) return key;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name, one, other) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (one !== undefined) return value === 1 ? one : other;
    return typeof value === "number" ? number(value) : apart(String(value));
  });
}

/** `{ja: …, en: …}` from the server or a plain string. */
export const pick = (text) => (text && typeof text === "object" ? (text[language] ?? text.ja) : text);

export function time(iso) {
  return new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }).format(new Date(iso));
}

export function dateTime(iso) {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso));
}
