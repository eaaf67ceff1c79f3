import { describe, expect, it } from 'vitest';
import { outsideName, outsideText, withoutIsolates } from '../../src/domain/outside-text.ts';

describe('outside text in a message', () => {
  it.each<[sentence: string, text: string, shown: string]>([
    ['cannot change the text direction', 'Shoes \u202e51.00 EUR\u202c \u2066x\u2069 \u200f\u061c', 'Shoes 51.00 EUR x'],
    ['has no invisible characters', 'S\u200bh\u200co\u200de\u2060s\ufeff \u00ad\u3164\u2800\u{e0041}now', 'Shoes now'],
    ['stays on one line', 'Shoes\r\nReply YES 9999\u2028\u0085now\u0007', 'Shoes Reply YES 9999 now'],
    ['has no stacked characters', `o${'\u0335'.repeat(40)}k`, 'o\u0335\u0335\u0335k'],
    ['has no markup', '*big* _slanted_ ~gone~ ```code```', '∗big∗ ＿slanted＿ ∼gone∼ ˋˋˋcodeˋˋˋ'],
    ['keeps its underscores within words', 'DE_Search_Brand_2026', 'DE_Search_Brand_2026'],
    ['contains no links', 'https://evil.example/x www.evil.com a@b.co', 'https:∕∕evil․example/x www․evil․com a@b․co'],
    [
      'contains no links through dots of other scripts',
      'evil。example evil．com evil｡com',
      'evil․example evil․com evil․com',
    ],
    ['keeps its numbers and sentences', 'From 2.50 EUR. Now v1.2!', 'From 2.50 EUR. Now v1.2!'],
    ['keeps letters and pictures of every script', 'Größe 東京文具店 שלום กำลัง ❤️', 'Größe 東京文具店 שלום กำลัง ❤️'],
    ['is cut between words', 'shoes '.repeat(20), `${'shoes '.repeat(10).trim()}…`],
  ])('%s', (_sentence, text, shown) => {
    expect(outsideText(text, 60)).toBe(shown);
  });

  it.each([
    ['שלום 40', '\u2068שלום 40\u2069'],
    ['Trail Shoes', 'Trail Shoes'],
  ])('is set apart as a name where it is written from right to left: %s', (name, shown) => {
    expect(outsideName(name, 80)).toBe(shown);
    expect(withoutIsolates(shown)).toBe(name);
  });
});
