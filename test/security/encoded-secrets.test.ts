import { describe, expect, it } from 'vitest';
import { createRedact } from '../../src/http/redact.ts';

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
  ['in an address with small letters', 'pa%2fss%22wo%5crd%26%3c%27%3e%3d%2b%c3%bc%3f'],
  ['in an address that leaves what it may', "pa/ss%22wo%5Crd&%3C'%3E=+%C3%BC?"],
  ['in an address within an address', 'pa%252Fss%2522wo%255Crd%2526%253C%2527%253E%253D%252B%25C3%25BC%253F'],
  ['in JSON', String.raw`pa/ss\"wo\\rd&<'>=+ü?`],
  ['in JSON of a writer that escapes slashes', String.raw`pa\/ss\"wo\\rd&<'>=+ü?`],
  ['in JSON of a writer of ASCII', String.raw`pa/ss\"wo\\rd&<'>=+\u00fc?`],
  ['in JSON of a writer of ASCII in capitals', String.raw`pa/ss\"wo\\rd&<'>=+\u00FC?`],
  ['in JSON that may stand on a page', String.raw`pa/ss\u0022wo\\rd\u0026\u003c\u0027\u003e=\u002bü?`],
  ['in JSON within JSON', String.raw`pa/ss\\\"wo\\\\rd&<'>=+ü?`],
  ['in JSON within JSON, both of ASCII', String.raw`pa/ss\\\"wo\\\\rd&<'>=+\\u00fc?`],
  ['in JSON within JSON, both with slashes', String.raw`pa\\\/ss\\\"wo\\\\rd&<'>=+ü?`],
  ['in JSON within JSON within JSON', String.raw`pa/ss\\\\\\\"wo\\\\\\\\rd&<'>=+\\\\u00fc?`],
  ['on a page', String.raw`pa/ss&quot;wo\rd&amp;&lt;'&gt;=+ü?`],
  ['on a page with decimal numbers', String.raw`pa/ss&#34;wo\rd&amp;&lt;&#39;&gt;=+ü?`],
  ['on a page with decimal numbers of two digits more', String.raw`pa/ss&quot;wo\rd&amp;&lt;&#0039;&gt;=+&#252;?`],
  ['on a page with hex numbers', 'pa&#x2F;ss&#x22;wo&#x5C;rd&#x26;&#x3C;&#x27;&#x3E;&#x3D;&#x2b;&#xFC;&#x3f;'],
  ['on a page with names', 'pa&sol;ss&quot;wo&bsol;rd&amp;&lt;&apos;&gt;&equals;&plus;&uuml;&quest;'],
  ['on a page within a page', String.raw`pa/ss&amp;quot;wo\rd&amp;amp;&amp;lt;&amp;#39;&amp;gt;=+ü?`],
  ['on a page within JSON', String.raw`pa/ss&#34;wo\\rd&amp;&lt;&#39;&gt;=+\u00fc?`],
  ['in the words of a program', String.raw`pa/ss"wo\\rd&<\'>=+\xc3\xbc?`],
  ['in Base64', 'cGEvc3Mid29ccmQmPCc+PSvDvD8='],
  ['in Base64 for addresses', 'cGEvc3Mid29ccmQmPCc-PSvDvD8'],
  ['in Base64 in an address', 'cGEvc3Mid29ccmQmPCc%2BPSvDvD8='],
  ['in a Basic header of u', 'dTpwYS9zcyJ3b1xyZCY8Jz49K8O8Pw=='],
  ['in a Basic header of us', 'dXM6cGEvc3Mid29ccmQmPCc+PSvDvD8='],
  ['in a Basic header of use', 'dXNlOnBhL3NzIndvXHJkJjwnPj0rw7w/'],
  ['in a Basic header in JSON of a writer that escapes slashes', String.raw`dXNlOnBhL3NzIndvXHJkJjwnPj0rw7w\/`],
  ['in a Basic header of user', 'dXNlcjpwYS9zcyJ3b1xyZCY8Jz49K8O8Pw=='],
  ['in hex', '70612f737322776f5c7264263c273e3d2bc3bc3f'],
  ['in hex in capitals', '70612F737322776F5C7264263C273E3D2BC3BC3F'],
];

describe('a secret that a service sends back', () => {
  const redact = createRedact([SECRET]);

  it.each(FORMS)('is hidden whole %s, and nothing beside it', (_, written) => {
    expect(redact(`You sent ${written}, which is wrong: "${written}".`)).toBe(
      'You sent [redacted], which is wrong: "[redacted]".',
    );
  });

  it.each([
    ['as it is', KEY],
    ['in JSON', String.raw`line one\n{\"🔑\"}\ttwo`],
    ['in JSON of a writer of ASCII', String.raw`line one\n{\"\ud83d\udd11\"}\ttwo`],
    ['in JSON within JSON', String.raw`line one\\n{\\\"🔑\\\"}\\ttwo`],
    ['in a form', 'line+one%0A%7B%22%F0%9F%94%91%22%7D%09two'],
    ['on a page', 'line&nbsp;one&#10;{&quot;&#128273;&quot;}&#x9;two'],
  ])('is hidden whole where it has lines and signs beyond sixteen bits: %s', (_, written) => {
    expect(createRedact([KEY])(`You sent ${written}, which is wrong.`)).toBe('You sent [redacted], which is wrong.');
  });

  it.each([
    ['other signs between the same words', String.raw`pa/ss'wo\rd&<'>=+ü?`],
    ['a number of another sign', String.raw`pa/ss&#35;wo\rd&amp;&lt;&#39;&gt;=+ü?`],
    ['no sign at all', 'password'],
    ['other Base64', 'cGEvc3Mid29cc1Q='],
  ])('leaves what is none as it is: %s', (_, written) => {
    expect(redact(`You sent ${written}.`)).toBe(`You sent ${written}.`);
  });
});
