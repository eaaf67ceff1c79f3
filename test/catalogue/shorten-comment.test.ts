import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortenComment } from '../../catalogue/shorten-comment.ts';

const long = (letters: number) => `${'a'.repeat(letters - 1)}.`;

describe('a definition’s comment as one line', () => {
  it.each([
    ['nothing', '', ''],
    ['white space', ' \n ', ''],
    ['a sentence', 'The name.', 'The name.'],
    ['lines joined', 'The name\n of the\ncampaign.', 'The name of the campaign.'],
    ['the first paragraph', 'The name.\n\nIt is unique.', 'The name.'],
    ['the text before a list', 'One of:\n * a\n * b', 'One of:'],
    ['the text before a list with dashes', 'Some of them.\n - a', 'Some of them.'],
    ['no announcement of a list', 'The name. It has the form:\n\n`a/b`', 'The name.'],
    ['no note on write access', 'Output only. The id.', 'The id.'],
    ['no repeated note on write access', 'Required. Immutable. The id.', 'The id.'],
    ['but the words within a sentence', 'The id. Output only.', 'The id. Output only.'],
    ['a link’s words', 'See [Campaign][google.ads.Campaign] and [here](https://x.y).', 'See Campaign and here.'],
    ['brackets without a link', 'A range [0, 1].', 'A range [0, 1].'],
    ['abbreviations within a sentence', 'Some e.g. These. More.', 'Some e.g. These. More.'],
    ['240 characters of sentences', `${long(100)} A${long(138)}`, `${long(100)} A${long(138)}`],
    ['no sentence beyond the limit', `${long(100)} A${long(139)}`, long(100)],
    ['a first sentence that is too long, cut after a word', `${'word '.repeat(60)}end.`, `${'word '.repeat(47)}word…`],
  ])('has %s', (_, comment, short) => {
    expect(shortenComment(comment)).toBe(short);
  });

  it('has 240 characters at most and no line break', () => {
    const words = fc.array(
      fc.constantFrom('The', 'name', 'e.g.', 'is.', 'Output only.', '[a][b]', '\n', '\n\n', ' - ', 'of:'),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(words, (parts) => {
        const short = shortenComment(parts.join(' '));
        expect(short.length).toBeLessThanOrEqual(240);
        expect(short).not.toMatch(/\n| {2}/);
      }),
    );
  });
});
