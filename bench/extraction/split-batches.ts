const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Cuts a response at the borders of its batches, the elements of the top-level array: the byte scanner one writes
 * first. The baseline has its own, so that making the product's scanner faster or slower never moves what it is
 * compared with. It checks nothing, which is in the baseline's favour.
 */
export async function* splitBatches(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let parts: Uint8Array[] = [];
  for await (const chunk of body) {
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) {
        inString = true;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        depth += 1;
        if (depth === 2) start = index;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth -= 1;
        if (depth !== 1) continue;
        parts.push(chunk.subarray(start, index + 1));
        yield Buffer.concat(parts);
        parts = [];
      }
    }
    if (depth > 1) parts.push(chunk.subarray(start));
  }
}
