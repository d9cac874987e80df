/** A join code as somebody typed or pasted it: any case and width, spaces, or a whole link. */

/** Percent signs read where they can be; a broken link is not worth an error. */
function read(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The code in capitals; null for what can be none, as a code is letters and digits only. */
export function codeOf(text) {
  const plain = text.normalize("NFKC").trim();
  const link = plain.match(/\/p\/([^/?#]+)/);
  const code = (link ? read(link[1]).normalize("NFKC") : plain).replace(/[\s_.\p{Pd}\p{Cf}]+/gu, "").toUpperCase();
  return /^[A-Z0-9]+$/.test(code) ? code : null;
}
