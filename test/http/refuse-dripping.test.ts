import { describe, expect, it } from 'vitest';
import { refuseDripping } from '../../src/services/http/http-client.ts';

const IDLE_MS = 600;

/** What is read of pieces that come after so many milliseconds with so many bytes each, and the name of the failure. */
async function read(pieces: Iterable<readonly [afterMs: number, bytes: number]>, readerMs = 0): Promise<unknown> {
  let now = 0;
  let bytes = 0;
  async function* body() {
    for (const [afterMs, length] of pieces) {
      now += afterMs;
      yield new Uint8Array(length);
    }
  }
  try {
    for await (const piece of refuseDripping(body(), IDLE_MS, () => now)) {
      bytes += piece.byteLength;
      now += readerMs;
    }
    return bytes;
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
}

describe('a body', () => {
  it.each<[string, readonly (readonly [number, number])[], number]>([
    [
      'small, in three pieces that a proxy holds back',
      [
        [350, 6],
        [350, 6],
        [350, 4],
      ],
      16,
    ],
    [
      'slow in every chunk, up to the limit',
      [
        [700, 5],
        [700, 5],
        [700, 6],
      ],
      16,
    ],
    ['with one chunk while our own thread was busy for minutes', [[300_000, 16]], 16],
    [
      'slow twice, then fast, then slow twice',
      [
        [700, 1],
        [700, 1],
        [700, 300],
        [700, 1],
        [700, 1],
        [700, 300],
      ],
      604,
    ],
  ])('is accepted if it ends: %s', async (_, pieces, bytes) => {
    expect(await read(pieces)).toBe(bytes);
  });

  it('is accepted however long its reader takes', async () => {
    expect(
      await read(
        Array.from({ length: 100 }, () => [10, 1] as const),
        100_000,
      ),
    ).toBe(100);
  });

  it.each([
    ['a byte in every wait', 700],
    ['many bytes in every wait, each alone', 10],
  ])('is aborted if it never ends: %s', async (_, everyMs) => {
    function* endless() {
      for (;;) yield [everyMs, 1] as const;
    }
    expect(await read(endless())).toBe('BODY_TOO_SLOW');
  });
});
