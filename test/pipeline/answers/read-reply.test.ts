import { describe, expect, it } from 'vitest';
import { type ReplyReading, readReply } from '../../../src/pipeline/answers/record-reply.ts';

const approve = (code = '7K3A'): ReplyReading => ({ kind: 'decision', decision: 'approve', code });
const decline = (code = '7K3A'): ReplyReading => ({ kind: 'decision', decision: 'decline', code });
const unclear = (why: Extract<ReplyReading, { kind: 'unclear' }>['why']): ReplyReading => ({ kind: 'unclear', why });
const other = (...words: string[]): ReplyReading => ({ kind: 'other', words });

describe('a reply', () => {
  it.each<[sentence: string, text: string, expected: ReplyReading]>([
    ['as the alert asks for it approves', 'YES 7K3A', approve()],
    ['with NO declines', 'NO 7K3A', decline()],
    ['in lower case is the same', 'yes 7k3a', approve()],
    ['in mixed case is the same', 'No 7k3A', decline()],
    ['with punctuation is the same', '“Yes: 7K3A!”', approve()],
    ['with a full stop and a line break is the same', '\r\nYes.\n7K3A.\n', approve()],
    ['with blanks of every kind is the same', '\u00a0yes\u2003\u202f 7K3A\t', approve()],
    ['in full-width letters is the same', 'ＹＥＳ\u3000７Ｋ３Ａ', approve()],
    ['with characters that cannot be seen is the same', '\ufeffY\u200bES 7K\u200d3A\u200e', approve()],
    ['with a picture behind it is the same', 'Yes 7K3A 👍🏽', approve()],
    ['with the code in pieces is the same', 'yes 7K-3A', approve()],
    ['with the code letter by letter is the same', 'yes 7 k 3 a', approve()],
    ['without a blank is the same', 'YES7K3A', approve()],
    ['with a letter that no code has is looked up all the same', 'yes 7K3Q', approve('7K3Q')],
    ['without a code decides nothing', 'yes', unclear('no_code')],
    ['with half a code decides nothing', 'yes 7K3', unclear('no_code')],
    ['with a longer word decides nothing', 'no problem', unclear('no_code')],
    ['with two codes decides nothing', 'yes 7K3A and 9C4D', unclear('several_codes')],
    ['with two codes and nothing between decides nothing', 'NO 7K3A 9C4D', unclear('several_codes')],
    ['that says more decides nothing', 'yes 7K3A tomorrow please', unclear('more_words')],
    ['that takes it back decides nothing', 'Yes 7K3A no', unclear('more_words')],
    ['that says yes twice decides nothing', 'yes yes 7K3A', unclear('more_words')],
    ['of a code alone may be meant', '7K3A', other('7K3A')],
    ['with the code first may be meant', '7K3A yes', other('7K3A')],
    ['in another language may be meant', 'ja 7K3A', other('7K3A')],
    ['in letters that only look alike may be meant', 'УЕS 7K3A', other('7K3A')],
    ['about something else is something else', 'Good morning', other()],
    ['that begins like a decision is something else', 'Yesterday was fine', other()],
    ['of one word that begins like a decision is something else', 'normal', other()],
    ['of nothing is nothing', '', other()],
    ['of pictures is nothing', '👍', other()],
    ['of 10 kB that begins as a decision decides nothing', `YES 7K3A${' '.repeat(10_000)}`, unclear('more_words')],
    ['of 10 kB that hides its end decides nothing', `YES 7K3A${'.'.repeat(10_000)}not!`, unclear('more_words')],
    ['of 10 kB about something else is something else', 'lorem ipsum '.repeat(900), other()],
  ])('%s', (_sentence, text, expected) => {
    expect(readReply(text)).toEqual(expected);
  });
});
