import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mendEscapes } from '../../../src/storage/warehouse/slice-load.ts';

const mended = (json: string) => Buffer.from(mendEscapes(Buffer.from(json))).toString('utf8');

const hex = fc.constantFrom(
  '0000',
  '0001',
  '0041',
  'd83d',
  'D83D',
  'de00',
  'DE00',
  'dBfF',
  'dfff',
  'e000',
  'fffd',
  'd7ff',
);
/** Pieces of the inside of a JSON string, whatever stands beside whatever. */
const inside = fc.oneof(
  { weight: 4, arbitrary: hex.map((digits) => `\\u${digits}`) },
  fc.constantFrom('\\\\', '\\"', '\\n', '\\/', 'u0000', 'ud83d', 'a', 'é', '👟', '𝄞', '\ufffd'),
);

/** As `toWellFormed`, which the language level of this project does not have: half a pair becomes U+FFFD on its way through UTF-8. */
const wellFormed = (text: string) => Buffer.from(text).toString('utf8').replaceAll('\0', '\ufffd');

describe('escapes that are not characters', () => {
  it.each([
    ['the first half of a surrogate pair', '"a\\ud83db"', '"a\\ufffdb"'],
    ['the second half', '"\\ude00"', '"\\ufffd"'],
    ['two halves in the wrong order', '"\\ude00\\ud83d"', '"\\ufffd\\ufffd"'],
    ['a half before a pair', '"\\ud83d\\ud83d\\ude00"', '"\\ufffd\\ud83d\\ude00"'],
    ['a half before a character of four bytes', '"\\ud83d👟"', '"\\ufffd👟"'],
    ['NUL', '"a\\u0000b"', '"a\\ufffdb"'],
    ['in a name', '{"\\u0000":1}', '{"\\ufffd":1}'],
  ])('become U+FFFD: %s', (_, json, expected) => {
    expect(mended(json)).toBe(expected);
  });

  it.each([
    ['a pair', '"\\uD83D\\uDe00"'],
    ['text that only looks like an escape, behind a backslash', '"\\\\u0000 \\\\ud83d \\\\\\\\ude00"'],
    ['NUL with a further digit', '"\\u00001"', '"\\ufffd1"'],
    ['other escapes', '"\\u0001\\u00e9\\n\\"\\/"'],
    ['a truncated escape, which the parser refuses', '"\\u00'],
    ['a text that is not JSON', '\\u'],
  ])('are the only part that changes: %s', (_, json, expected = json) => {
    expect(mended(json)).toBe(expected);
  });

  it('give the same as a well-formed reading of the text, with NUL replaced', () => {
    fc.assert(
      fc.property(fc.array(inside, { maxLength: 12 }), (parts) => {
        const json = `"${parts.join('')}"`;
        const whole = wellFormed(JSON.parse(json) as string);
        expect(JSON.parse(mended(json))).toBe(whole);
      }),
      { numRuns: 1000 },
    );
  });

  it('give the same for any text that JSON.stringify writes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom('\\', 'u', '0', '\0', '\ud83d', '\ude00') }),
        (a, b) => {
          for (const text of [a, b, a + b]) {
            const whole = wellFormed(text);
            expect(JSON.parse(mended(JSON.stringify(text)))).toBe(whole);
          }
        },
      ),
    );
  });
});
