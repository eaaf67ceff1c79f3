import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { wrapText } from '../../src/views/text/text-layout.ts';

describe('a line that is too long', () => {
  it.each<[sentence: string, text: string, wrapped: string[]]>([
    ['stays if it fits', 'one two', ['> one two']],
    ['breaks between words', 'one two three four', ['> one two', '  three four']],
    ['breaks in a word that is wider than a line', 'a abcdefghijklmnop b', ['> a', '  abcdefghij', '  klmnop b']],
    ['breaks in a too wide first word', 'abcdefghijklmnop', ['> abcdefghij', '  klmnop']],
    ['counts wide characters as two columns', '東京文具店東京文具店', ['> 東京文具店', '  東京文具店']],
    ['does not cut a character in two', '👩‍👩‍👧‍👦'.repeat(6), [`> ${'👩‍👩‍👧‍👦'.repeat(5)}`, '  👩‍👩‍👧‍👦']],
    ['of an empty text is its indentation', '', ['> ']],
  ])('%s', (_sentence, text, wrapped) => {
    const lines = wrapText(text, 12, '> ', '  ').split('\n');
    expect(lines).toEqual(wrapped);
    expect(lines.every((line) => stringWidth(line) <= 12)).toBe(true);
  });

  it('ends no line with spaces', () => {
    expect(wrapText('read   other', 6, '', '')).toBe('read\nother');
  });
});
