const MARK = Buffer.from('\\u');
const REPLACEMENT = '\\ufffd';

/**
 * The JSON text with every escape that names no character replaced by U+FFFD: half of a surrogate pair, which is no
 * Unicode text and makes other programs refuse the whole file, and NUL, at which most of them cut a text off.
 */
export function mendEscapes(json: Uint8Array): Uint8Array {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  if (!bytes.includes(MARK)) return json;
  // Bytes as characters, one for one: an escape is ASCII, whatever stands around it.
  const text = bytes.toString('latin1');
  const mended = text.replace(
    /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|u0000|[\s\S])/g,
    // A pair is twelve characters long, any other escape is taken two by two.
    (found) => (found.length === 6 ? REPLACEMENT : found),
  );
  return mended === text ? json : Buffer.from(mended, 'latin1');
}
