import { UNAMBIGUOUS } from '../domain/message-reference.ts';

/** What a person has written in answer to an alert. */
export type ReplyReading =
  | { readonly kind: 'decision'; readonly decision: 'approve' | 'decline'; readonly code: string }
  /** Meant as a decision, and not one that money is moved on. */
  | { readonly kind: 'unclear'; readonly why: 'no_code' | 'several_codes' | 'more_words' | 'forwarded' }
  /** Something else; `words` holds those that look as a proposal's code does. */
  | { readonly kind: 'other'; readonly words: readonly string[] };

/** A decision is two words; whoever writes more than this decides nothing. */
const LENGTH_MAX = 1000;
/** Whether there is such a proposal is the table's to say. */
const CODE = /^[A-Z0-9]{4}$/;
/** What the codes that are given out look like: NORMAL is a word, and so are FINE and GOOD. */
const GIVEN_CODE = new RegExp(`^[${UNAMBIGUOUS}]{4}$`);
const IN_ONE_WORD = new RegExp(`^(YES|NO)([${UNAMBIGUOUS}]{4})$`);

/**
 * Reads "YES 7K3Q" or "NO 7K3Q": any case, width and punctuation, the code in one piece or in several, and nothing else
 * beside the two. A text with more to say may mean the opposite, so it is never guessed at.
 */
export function readReply(text: string): ReplyReading {
  const words = wordsOf(text.slice(0, LENGTH_MAX));
  const [first = '', ...rest] = words;
  const [, verbOfOne, codeOfOne] = words.length === 1 ? (IN_ONE_WORD.exec(first) ?? []) : [];
  const verb = verbOfOne ?? first;
  if (verb !== 'YES' && verb !== 'NO') return { kind: 'other', words: codesAmong(words) };
  const code = codeOfOne ?? rest.join('');
  if (text.length <= LENGTH_MAX && CODE.test(code)) {
    return { kind: 'decision', decision: verb === 'YES' ? 'approve' : 'decline', code };
  }
  const codes = codesAmong(rest);
  const why = codes.length > 1 ? 'several_codes' : rest.length > 0 && codes.length > 0 ? 'more_words' : 'no_code';
  return { kind: 'unclear', why };
}

/** Letters and digits as they are read: without what cannot be seen, and full-width ones as usual ones. */
function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKC').replace(/[\p{Cf}\p{M}]/gu, '');
  return plain.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function codesAmong(words: readonly string[]): readonly string[] {
  return [...new Set(words.filter((word) => GIVEN_CODE.test(word)))];
}
