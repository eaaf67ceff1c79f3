/** A body that comes slower than so many bytes per wait is slow. */
const BYTES_PER_WAIT_MIN = 256;
/** So often in a row, since a proxy may hold the end of a small answer back, and our own thread may have been busy meanwhile. */
const SLOW_IN_A_ROW = 3;

/**
 * The pieces of a body as they come, and `BODY_TOO_SLOW` for one that is slow without end: byte by byte, no wait for a piece would
 * ever be too long. A body that ends is never refused, however slow it was. What the reader does between two pieces is its own time
 * and not counted. `nowMs` is a clock that only goes forward.
 */
export async function* refuseDripping(
  pieces: AsyncIterable<unknown>,
  idleMs: number,
  nowMs: () => number = () => performance.now(),
): AsyncGenerator<Uint8Array> {
  let [waitedMs, bytes, slow] = [0, 0, 0];
  let askedMs = nowMs();
  for await (const piece of pieces as AsyncIterable<Uint8Array>) {
    if (slow === SLOW_IN_A_ROW) throw new DrippingBody();
    waitedMs += nowMs() - askedMs;
    bytes += piece.byteLength;
    if (waitedMs >= idleMs) {
      slow = bytes < BYTES_PER_WAIT_MIN ? slow + 1 : 0;
      waitedMs = 0;
      bytes = 0;
    }
    yield piece;
    askedMs = nowMs();
  }
}

class DrippingBody extends Error {
  readonly code = 'BODY_TOO_SLOW';

  constructor() {
    super(
      `${SLOW_IN_A_ROW} times in a row fewer than ${BYTES_PER_WAIT_MIN} bytes came in the time that one piece of the body may take.`,
    );
  }
}
