import { describe, expect, it } from 'vitest';
import { type ReplyReading, readReply } from '../../../src/engine/answers/record-reply.ts';

const approve = (code = '7K3A'): ReplyReading => ({ kind: 'decision', decision: 'approve', code });
const decline = (code = '7K3A'): ReplyReading => ({ kind: 'decision', decision: 'decline', code });
const unclear = (why: Extract<ReplyReading, { kind: 'unclear' }>['why']): ReplyReading => ({ kind: 'unclear', why });
const other = (...words: string[]): ReplyReading => ({ kind: 'other', words });

describe('a reply', () => {
  it.each<[sentence: string, text: string, expected: ReplyReading]>([
    ['in the form that the alert asks for approves', 'YES 7K3A', approve()],
    ['with NO declines', 'NO 7K3A', decline()],
    ['in lower case approves too', 'yes 7k3a', approve()],
    ['in mixed case declines too', 'No 7k3A', decline()],
    ['with punctuation approves too', '“Yes: 7K3A!”', approve()],
    ['with full stops and line breaks approves too', '\r\nYes.\n7K3A.\n', approve()],
    ['with spaces of every kind approves too', '\u00a0yes\u2003\u202f 7K3A\t', approve()],
    ['in full-width letters approves too', 'ＹＥＳ\u3000７Ｋ３Ａ', approve()],
    ['with invisible characters approves too', '\ufeffY\u200bES 7K\u200d3A\u200e', approve()],
    ['with an emoji at the end approves too', 'Yes 7K3A 👍🏽', approve()],
    ['with a hyphen in the code approves too', 'yes 7K-3A', approve()],
    ['with spaces in the code approves too', 'yes 7 k 3 a', approve()],
    ['without a space approves too', 'YES7K3A', approve()],
    ['with a letter that no code uses is still looked up', 'yes 7K3Q', approve('7K3Q')],
    ['without a code decides nothing', 'yes', unclear('no_code')],
    ['with half a code decides nothing', 'yes 7K3', unclear('no_code')],
    ['with a longer word decides nothing', 'no problem', unclear('no_code')],
    ['with two codes decides nothing', 'yes 7K3A and 9C4D', unclear('several_codes')],
    ['with two codes side by side decides nothing', 'NO 7K3A 9C4D', unclear('several_codes')],
    ['with more words decides nothing', 'yes 7K3A tomorrow please', unclear('more_words')],
    ['that contradicts itself decides nothing', 'Yes 7K3A no', unclear('more_words')],
    ['that says yes twice decides nothing', 'yes yes 7K3A', unclear('more_words')],
    ['of a code alone is no decision, but may contain a code', '7K3A', other('7K3A')],
    ['with the code first is no decision, but may contain a code', '7K3A yes', other('7K3A')],
    ['in another language is no decision, but may contain a code', 'ja 7K3A', other('7K3A')],
    ['in lookalike letters is no decision, but may contain a code', 'УЕS 7K3A', other('7K3A')],
    ['about something else is no decision', 'Good morning', other()],
    ['that only begins like a decision is no decision', 'Yesterday was fine', other()],
    ['of one word that begins like a decision is no decision', 'normal', other()],
    ['without text is no decision', '', other()],
    ['of emoji is no decision', '👍', other()],
    ['of 10 kB that begins like a decision decides nothing', `YES 7K3A${' '.repeat(10_000)}`, unclear('more_words')],
    ['of 10 kB with a hidden ending decides nothing', `YES 7K3A${'.'.repeat(10_000)}not!`, unclear('more_words')],
    ['of 10 kB about something else is no decision', 'lorem ipsum '.repeat(900), other()],
  ])('%s', (_sentence, text, expected) => {
    expect(readReply(text)).toEqual(expected);
  });
});
