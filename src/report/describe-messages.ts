import type { MessageResult } from './report-result.ts';
import { count } from './text-layout.ts';

/** What did not arrive by one channel and is told by the next: the recipient is reached, and nothing has failed. */
export function messageNotes(messages: readonly MessageResult[]): string[] {
  const lost = new Set(messages.filter(({ isLost }) => isLost).map(({ name }) => name));
  return messages.flatMap((message) => {
    const { state, instead, detail, name } = message;
    // Its failure says it.
    if (instead === undefined || lost.has(name)) return [];
    const words = state === 'failed' ? 'was refused' : 'may or may not have arrived';
    return [`The alert to ${whom(message)} ${words} and is told by ${instead} instead: ${detail}`];
  });
}

/** A sentence for each message that waits or may be out, and one for each recipient whom no channel has reached. */
export function messageFailures(messages: readonly MessageResult[]): string[] {
  const words = { pending: 'was not sent and waits', failed: 'was refused', unknown: 'may or may not have arrived' };
  return messages.flatMap((message, index) => {
    const { state, instead, detail, isLost } = message;
    if (state === 'accepted' || instead !== undefined) return [];
    if (!isLost) return [`The alert to ${whom(message)} ${words[state]}: ${detail}`];
    const same = messages.filter((other) => isSamePerson(other, message));
    const isFirst = messages.findIndex((other) => other.isLost && isSamePerson(other, message)) === index;
    return isFirst ? [lostSentence(message, same)] : [];
  });
}

function isSamePerson(one: MessageResult, other: MessageResult): boolean {
  return one === other || (one.name === undefined ? one.recipient === other.recipient : one.name === other.name);
}

/** `same` is what was said of all messages to the recipient. */
function lostSentence(message: MessageResult, same: readonly MessageResult[]): string {
  const { name, recipient, firstLine } = message;
  const number = recipient.replace(/^\w+:/, '');
  const lost = same.filter(({ isLost }) => isLost);
  const alerts = lost.reduce((sum, one) => sum + one.alerts, 0);
  const more = alerts > 1 ? ` and ${count(alerts - 1, 'more alert')}` : '';
  const doubt = lost.some(({ state }) => state === 'unknown') ? ' It may or may not have arrived.' : '';
  const tried = same.filter(({ isLost, instead }) => isLost || instead !== undefined);
  const reasons = [...new Set(tried.map(({ channel, detail }) => `By ${channel}: ${detail}`))].join(' ');
  const to = name === undefined ? number : `${name} (${number})`;
  return `ALERT NOT DELIVERED to ${to}, and no way is left: ${firstLine}${more}.${doubt} ${reasons}`;
}

/** "anna (whatsapp:+15…31)" */
function whom({ name, recipient }: MessageResult): string {
  return name === undefined ? recipient : `${name} (${recipient})`;
}
