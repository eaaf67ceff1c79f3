import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeMessages, type Part, withReference } from '../../src/alerts/bundle.ts';
import type { AlertSeverity } from '../../src/domain/channel.ts';

/** What the reference takes of every message. */
const END = withReference('', '7K3RACDE').length;

const part = (text: string, severity: AlertSeverity = 'warning', other: Partial<Part> = {}): Part => ({
  severity,
  text,
  reason: 'event',
  short: undefined,
  ...other,
});
const proposal = (code: string, text = `Proposed ${code}. ${'x'.repeat(280)}`, severity: AlertSeverity = 'info') =>
  part(text, severity, { short: `YES ${code} or NO ${code}: Shoes, 90.00 USD to 99.00 USD (+10%)` });
const digest = part(`Pacekeeper, 2026-11-21: ${'d'.repeat(900)}`, 'info', { reason: 'digest' });
const over = part('Over: Shoes cost nothing.', 'critical', { reason: 'resolved' });
const condition = part('Shoes cost nothing.', 'info', { reason: 'first' });
const change = part('Budget changed.', 'info');
const many = <One>(count: number, make: (nth: number) => One) => Array.from({ length: count }, (_, nth) => make(nth));
const compose = (parts: readonly Part[], room = 1600 - END) => composeMessages(parts, room + END);
const only = (parts: readonly Part[], room?: number) => {
  const [first, ...others] = compose(parts, room);
  expect(others).toEqual([]);
  return first?.text ?? '';
};

describe('the text of a message', () => {
  it('ends with its reference on the last line', () => {
    expect(withReference('Budget cut.\nBy 15%.', '7K3RACDE')).toBe('Budget cut.\nBy 15%.\nRef pk-7K3RACDE');
  });

  it.each<[sentence: string, text: () => string, expected: string]>([
    ['is the alert itself if there is only one', () => only([part('Budget cut.\nBy 15%.')]), 'Budget cut.\nBy 15%.'],
    [
      'is ordered: critical, answers, digest, proposals, changes, conditions, resolved',
      () =>
        only([
          over,
          condition,
          change,
          proposal('7K3Q', 'Proposed.'),
          part('Digest.', 'info', { reason: 'digest' }),
          part('Done.', 'info', { reason: 'reply' }),
          part('No account could be read.', 'critical'),
        ]),
      'No account could be read.\n\nDone.\n\nDigest.\n\nProposed.\n\nBudget changed.\n\nShoes cost nothing.\n\nOver: Shoes cost nothing.',
    ],
    [
      'puts the more severe alerts of a kind first, and otherwise keeps their order',
      () => only([part('a', 'info'), part('b'), part('c', 'critical'), part('d'), part('e', 'critical')]),
      'c\n\ne\n\nb\n\nd\n\na',
    ],
    [
      'counts the alerts that do not fit, and says where to read them',
      () => only([part('a'.repeat(40)), part('b'.repeat(40)), part('c'.repeat(40))], 84),
      `${'a'.repeat(40)}\n\n+2 more: pacekeeper alerts list`,
    ],
    [
      'is not cut if it fits exactly',
      () => only([part('a'.repeat(60)), part('b'.repeat(60))], 122),
      `${'a'.repeat(60)}\n\n${'b'.repeat(60)}`,
    ],
    ['is cut between words', () => only([part('Trail Running Shoes cost much')], 24), 'Trail Running Shoes…'],
    ['is cut within a word that fills most of it', () => only([part('a'.repeat(200))], 40), `${'a'.repeat(39)}…`],
    [
      'leaves room for the count of the other alerts if it is cut',
      () => only([part('a'.repeat(200)), part('b')], 60),
      `${'a'.repeat(60 - 33 - 1)}…\n\n+1 more: pacekeeper alerts list`,
    ],
    [
      'writes a count of a thousand with a comma',
      () =>
        only(
          many(1001, () => part('a'.repeat(60))),
          100,
        ),
      `${'a'.repeat(60)}\n\n+1,000 more: pacekeeper alerts list`,
    ],
  ])('%s', (_sentence, text, expected) => {
    expect(text()).toBe(expected);
  });

  it.each([
    ['a character of two code units', '𝒳'],
    ['a family emoji joined from four people', '👨‍👩‍👧‍👦'],
    ['a flag', '🇩🇪'],
    ['a letter followed by its accent', 'e\u0301'],
  ])('never splits %s', (_sentence, character) => {
    for (let room = 1; room <= 30; room++) {
      const text = only([part(character.repeat(40))], room);
      expect(text).toBe(`${character.repeat((text.length - 1) / character.length)}…`);
    }
  });
});

describe('a proposal that asks for an answer', () => {
  const codes = (text: string) =>
    [...text.matchAll(/^YES (\d+) or|^Proposed (\d+)\./gm)].map((m) => Number(m[1] ?? m[2]));

  it('is shortened to a line if there is no room for all texts; the first ones stay whole', () => {
    const text = only([over, ...many(11, (nth) => proposal(`${nth}`))]);
    expect(codes(text)).toEqual(many(11, (nth) => nth));
    expect(text).toMatch(
      /^Proposed 0\. x+\n\nProposed 1\. x+\n\nProposed 2\. x+\n\nProposed 3\. x+\n\nYES 4 or NO 4: Shoes, 90\.00 USD to 99\.00 USD \(\+10%\)\nYES 5 /,
    );
  });

  it('precedes changes, conditions and resolved alerts, which are counted', () => {
    const parts = [
      over,
      ...many(20, () => part('Changed. '.repeat(20))),
      condition,
      ...many(3, (nth) => proposal(`${nth}`)),
    ];
    const text = only(parts);
    expect(text).toMatch(
      /^Proposed 0[\s\S]*\n\nProposed 1[\s\S]*\n\nProposed 2[\s\S]*\n\nChanged\. [\s\S]*\n\n\+\d+ more: /,
    );
    expect(text).not.toContain('Over: ');
  });

  it('continues in further messages; all else stays a count in the first', () => {
    const messages = compose([digest, ...many(500, () => change), ...many(60, (nth) => proposal(`${nth}`))]);
    expect(messages.length).toBe(3);
    expect(messages.flatMap(({ text }) => codes(text))).toEqual(many(60, (nth) => nth));
    expect(messages.map(({ text }) => text.startsWith('Pacekeeper,'))).toEqual([true, false, false]);
    expect(messages.map(({ counted }) => counted.length)).toEqual([500, 0, 0]);
  });

  it('waits for later after five messages', () => {
    const messages = compose(many(1000, (nth) => proposal(`${nth}`)));
    const told = messages.flatMap((message) => message.told);
    expect([messages.length, told.length < 1000, messages.flatMap(({ counted }) => counted)]).toEqual([5, true, []]);
    expect(messages.flatMap(({ text }) => codes(text))).toEqual(many(told.length, (nth) => nth));
  });
});

describe('the digest', () => {
  it.each<[sentence: string, others: readonly Part[]]>([
    ['a hundred changes', many(100, () => part('Changed. '.repeat(20)))],
    ['a hundred critical alerts', many(100, () => part('Nothing can be read. '.repeat(10), 'critical'))],
    [
      'one critical alert that is too long for the same message',
      [part('Nothing can be read. '.repeat(60), 'critical')],
    ],
    ['thirty proposals', many(30, (nth) => proposal(`${nth}`))],
    ['the digest of the day before', [{ ...digest, text: 'Older. '.repeat(140) }]],
  ])('is sent whole beside %s', (_sentence, others) => {
    const [first] = compose([...others, digest]);
    expect(first?.text).toContain(digest.text);
    expect(first?.text.split('\n\n')[0]).not.toMatch(/^\+/);
  });
});

it('no message exceeds the limit, and each alert is sent, counted or left for later exactly once', () => {
  const someText = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
    .map((text) => `x${text.replaceAll('\n', '')}x`);
  const parts = fc.array(
    fc.record({
      severity: fc.constantFrom('info' as const, 'warning' as const, 'critical' as const),
      reason: fc.constantFrom(
        'event' as const,
        'first' as const,
        'resolved' as const,
        'digest' as const,
        'reply' as const,
      ),
      text: someText,
      short: fc.option(someText, { nil: undefined }),
    }),
    { minLength: 1, maxLength: 14 },
  );
  fc.assert(
    fc.property(parts, fc.integer({ min: 80, max: 400 }), (some, lengthMax) => {
      const messages = composeMessages(some, lengthMax);
      const heard = messages.flatMap(({ told, counted }) => [...told, ...counted]);
      const later = some.filter((one) => !heard.includes(one));
      expect([...heard, ...later]).toHaveLength(some.length);
      if (later.length > 0)
        expect([messages.length, later.every(({ short }) => short !== undefined)]).toEqual([5, true]);
      for (const { text, counted } of messages) {
        expect(text).not.toBe('');
        expect(text.length).toBeLessThanOrEqual(lengthMax - END);
        expect(Buffer.from(text).toString()).toBe(text);
        expect(Number(/\+(\d+) more: /.exec(text)?.[1] ?? 0)).toBe(counted.length);
        expect(counted.every(({ short }) => short === undefined)).toBe(true);
      }
    }),
    { seed: 20_261_121, numRuns: 200 },
  );
});
