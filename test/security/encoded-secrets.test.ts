import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedact } from '../../src/services/http/redact.ts';

/** pa/ss"wo\rd&<'>=+ü? */
const SECRET = `pa/ss"wo\\rd&<'>=+ü?`;
const KEY = 'line one\n{"\u{1f511}"}\ttwo';

/**
 * What services, proxies and pages of errors make of a text that they were sent, as other programs wrote it: none of it is computed
 * here as the program computes it.
 */
const FORMS: readonly (readonly [sentence: string, written: string])[] = [
  ['as it is', String.raw`pa/ss"wo\rd&<'>=+ü?`],
  ['in an address', 'pa%2Fss%22wo%5Crd%26%3C%27%3E%3D%2B%C3%BC%3F'],
  ['in an address in lower case', 'pa%2fss%22wo%5crd%26%3c%27%3e%3d%2b%c3%bc%3f'],
  ['in an address with minimal escaping', "pa/ss%22wo%5Crd&%3C'%3E=+%C3%BC?"],
  ['in JSON', String.raw`pa/ss\"wo\\rd&<'>=+ü?`],
  ['in JSON with escaped slashes', String.raw`pa\/ss\"wo\\rd&<'>=+ü?`],
  ['in ASCII-only JSON', String.raw`pa/ss\"wo\\rd&<'>=+\u00fc?`],
  ['in ASCII-only JSON in upper case', String.raw`pa/ss\"wo\\rd&<'>=+\u00FC?`],
  ['in JSON safe for a page', String.raw`pa/ss\u0022wo\\rd\u0026\u003c\u0027\u003e=\u002bü?`],
  ['in JSON within JSON', String.raw`pa/ss\\\"wo\\\\rd&<'>=+ü?`],
  ['in JSON within JSON, both ASCII-only', String.raw`pa/ss\\\"wo\\\\rd&<'>=+\\u00fc?`],
  ['in JSON within JSON, both with escaped slashes', String.raw`pa\\\/ss\\\"wo\\\\rd&<'>=+ü?`],
  ['in Base64', 'cGEvc3Mid29ccmQmPCc+PSvDvD8='],
  ['in Base64 for addresses', 'cGEvc3Mid29ccmQmPCc-PSvDvD8'],
  ['in Base64 in an address', 'cGEvc3Mid29ccmQmPCc%2BPSvDvD8='],
  ['in a Basic header of u', 'dTpwYS9zcyJ3b1xyZCY8Jz49K8O8Pw=='],
  ['in a Basic header of us', 'dXM6cGEvc3Mid29ccmQmPCc+PSvDvD8='],
  ['in a Basic header of use', 'dXNlOnBhL3NzIndvXHJkJjwnPj0rw7w/'],
  ['in a Basic header in JSON with escaped slashes', String.raw`dXNlOnBhL3NzIndvXHJkJjwnPj0rw7w\/`],
  ['in a Basic header of user', 'dXNlcjpwYS9zcyJ3b1xyZCY8Jz49K8O8Pw=='],
];

describe('a secret in a service’s answer', () => {
  const redact = createRedact([SECRET]);

  it.each(FORMS)('is fully hidden %s, and nothing else is', (_, written) => {
    expect(redact(`You sent ${written}, which is wrong: "${written}".`)).toBe(
      'You sent [redacted], which is wrong: "[redacted]".',
    );
  });

  it.each([
    ['as it is', KEY],
    ['in JSON', String.raw`line one\n{\"🔑\"}\ttwo`],
    ['in ASCII-only JSON', String.raw`line one\n{\"\ud83d\udd11\"}\ttwo`],
    ['in JSON within JSON', String.raw`line one\\n{\\\"🔑\\\"}\\ttwo`],
    ['in a form', 'line+one%0A%7B%22%F0%9F%94%91%22%7D%09two'],
  ])('is fully hidden with line breaks and characters beyond sixteen bits: %s', (_, written) => {
    expect(createRedact([KEY])(`You sent ${written}, which is wrong.`)).toBe('You sent [redacted], which is wrong.');
  });

  it('is fully hidden in every form the program itself sends, for any secret', () => {
    const text = (minLength: number) => fc.string({ unit: 'binary', minLength, maxLength: 12 });
    fc.assert(
      fc.property(text(6), text(0), (secret, user) => {
        const hide = createRedact([secret]);
        const json = JSON.stringify(secret).slice(1, -1);
        const written = [
          secret,
          encodeURIComponent(secret),
          new URLSearchParams([['', secret]]).toString().slice(1),
          json,
          JSON.stringify(json).slice(1, -1),
          Buffer.from(`${user}:${secret}`).toString('base64'),
        ];
        expect(written.map((form) => hide(`<${form}>`))).toEqual(written.map(() => '<[redacted]>'));
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['other characters between the same words', String.raw`pa/ss'wo\rd&<'>=+ü?`],
    ['a number of another character', String.raw`pa/ss\u0023wo\rd&<'>=+ü?`],
    ['no special character', 'password'],
    ['other Base64', 'cGEvc3Mid29cc1Q='],
  ])('leaves other texts unchanged: %s', (_, written) => {
    expect(redact(`You sent ${written}.`)).toBe(`You sent ${written}.`);
  });
});
