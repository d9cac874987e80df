/** A join code as somebody typed or pasted it: any case and width, spaces, or a whole link. */

export function codeOf(text) {
  const plain = text.normalize("NFKC").trim();
  const link = plain.match(/\/p\/([^/?#]+)/);
  return (link ? decodeURIComponent(link[1]) : plain).replace(/\s+/g, "").toUpperCase();
}
