import { readReply } from '../../../src/engine/answers/record-reply.ts';
import { claim, claimSame, type Target } from '../target.ts';

/** What people write back: money is moved on two words only, however they are spelt, and on nothing that says more. */
export function replyTarget(read: typeof readReply = readReply): Target {
  return {
    name: 'reply',
    tokens: [
      ...'YES no Yes 7K3Q 7k3q ABCD NOT YES7K3Q . , ! * _ ＹＥＳ ７Ｋ３Ｑ ß 7-K-3-Q " 👍 please'.split(' '),
      'y e s',
      '\u200d',
      '\u00ad',
      '7 K 3 Q',
    ],
    seeds: () => 'YES 7K3Q; no 7k3q.; Yes, 7K-3Q; YES7K3Q; yes please; NO ABCD EFGH; not 7K3Q; 👍; YES'.split('; '),
    judge(input) {
      const text = input.toString('utf8');
      const reading = read(text);
      claimSame(
        read(` ${text}\n`),
        text.length > 998 ? read(` ${text}\n`) : reading,
        'Blanks around it change what is read',
      );
      if (reading.kind === 'unclear')
        claim(['no_code', 'several_codes', 'more_words'].includes(reading.why), () => 'A reason that is none');
      if (reading.kind !== 'decision') return;
      // Written by another hand: all that is said, without what separates and what cannot be seen.
      const said = text
        .normalize('NFKC')
        .replace(/[\p{Cf}\p{M}]/gu, '')
        .toUpperCase()
        .replace(/[^\p{L}\p{N}]/gu, '');
      const verb = reading.decision === 'approve' ? 'YES' : 'NO';
      claimSame(said, verb + reading.code, 'More or something else was said than what is decided on');
      claim(/^[A-Z0-9]{4}$/.test(reading.code), () => `A code that is none: ${reading.code}`);
      claimSame(read(`${verb} ${reading.code}`), reading, 'The plain spelling is read otherwise');
    },
  };
}
