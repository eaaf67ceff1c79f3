import type { DecisionFacts } from '../../domain/decision-facts.ts';
import { grouped } from '../../domain/wording.ts';
import type { MessageResult, PacingTarget, SliceResult } from '../../language/results/report-result.ts';
import { shortfallText } from '../../language/rules/pacing/pace-words.ts';
import { count, firstOf } from '../text/text-layout.ts';
import { detailWords, endState } from './decision-words.ts';

const MISSED_MAX = 10;

export function missedNotes(targets: readonly PacingTarget[]): string[] {
  const missed = targets.flatMap(({ rule, subject, reading, currency }) => {
    const words = shortfallText(reading, currency);
    return words === undefined ? [] : [`${rule}, ${subject}: ${words}.`];
  });
  const rest = missed.length - MISSED_MAX;
  const more = rest > 0 ? [`${count(rest, 'more target')} will be missed. Run pacekeeper pacing to see all.`] : [];
  return [...missed.slice(0, MISSED_MAX), ...more];
}

export function offerNotes(slices: readonly SliceResult[]): string[] {
  return [...notOffered(slices)].map(
    ([query, said]) =>
      `The service does not offer the resource of ${query}. Its table is unchanged. Answer of the service: ${said}`,
  );
}

export function offerFailures(slices: readonly SliceResult[]): string[] {
  return [...notOffered(slices)].map(
    ([query, said]) => `${query} was not read: the service does not offer its resource. Answer of the service: ${said}`,
  );
}

function notOffered(slices: readonly SliceResult[]): ReadonlyMap<string, string> {
  return new Map(slices.flatMap(({ query, notOffered: said }) => (said === undefined ? [] : [[query, said]])));
}

/** If more accounts fail for the same reason, the failures share one sentence. */
const TOLD_APART_MAX = 3;
const ACCOUNTS_NAMED_MAX = 50;

export function sliceFailures(slices: readonly SliceResult[]): string[] {
  const failed = slices.filter(({ failure }) => failure !== undefined);
  const failures = grouped(failed, (slice) => `${slice.query} ${slice.alike ?? slice.failure}`).flatMap((group) => {
    const accounts = grouped(group, ({ customerId }) => customerId);
    return accounts.length > TOLD_APART_MAX ? [failureOfMany(group)] : accounts.map(failureOfOne);
  });
  const leftOver = grouped(
    slices.filter(({ left }) => left !== undefined),
    ({ left }) => left ?? '',
  ).map((group) => {
    const accounts = [...new Set(group.map(({ customerId }) => customerId))];
    const many = accounts.length > TOLD_APART_MAX;
    const whose = many
      ? count(accounts.length, 'account')
      : `account${accounts.length > 1 ? 's' : ''} ${accounts.join(', ')}`;
    const were = group.length === 1 ? 'was' : 'were';
    return `${count(group.length, 'part')} of ${whose} ${were} left for the next run: ${group[0]?.left}.`;
  });
  return [...failures, ...leftOver];
}

function failureOfOne(slices: readonly SliceResult[]): string {
  const first = slices[0];
  const last = slices.at(-1);
  const days = first?.days && last?.days ? ` (${first.days.from} to ${last.days.to})` : '';
  return `${first?.query} of account ${first?.customerId} was not read and is unchanged${days}: ${first?.failure}`;
}

function failureOfMany(slices: readonly SliceResult[]): string {
  const accounts = [...new Set(slices.map(({ customerId }) => customerId))];
  const [first] = slices;
  const ids = firstOf(accounts, ACCOUNTS_NAMED_MAX);
  return `${first?.query} of ${count(accounts.length, 'account')} (${ids}) was not read and is unchanged: ${first?.failure}`;
}

export function decisionFailure(decision: DecisionFacts): string[] {
  const { budgetId, customerId } = decision;
  const state = endState(decision);
  // No later run makes up for it: the decreases are made.
  const isUnpaid = state === 'expired' && decision.intent?.code === 'NOT_FREED';
  if (state !== 'rejected' && state !== 'unknown' && state !== 'postponed' && !isUnpaid) return [];
  const [words, next] = CHANGE_FAILURES[state];
  return [`The change of budget ${budgetId} of account ${customerId} ${words}: ${detailWords(decision)}${next}`];
}

const CHANGE_FAILURES = {
  rejected: ['was rejected', ''],
  unknown: ['has an unknown outcome', ' The next run checks the budget.'],
  postponed: ['was not sent', ' The next run decides again.'],
  expired: ['was not made', ''],
} as const;

export function messageNotes(messages: readonly MessageResult[]): string[] {
  const lost = new Set(messages.filter(({ isLost }) => isLost).map(({ name }) => name));
  return messages.flatMap((message) => {
    const { state, instead, detail, name } = message;
    if (instead === undefined || lost.has(name)) return [];
    const words = state === 'failed' ? 'was refused' : 'is not confirmed as delivered';
    return [`The alert to ${whom(message)} ${words}. pacekeeper sends it by ${instead} instead: ${detail}`];
  });
}

export function messageFailures(messages: readonly MessageResult[]): string[] {
  const words = { pending: 'was not sent and waits', failed: 'was refused', unknown: 'is not confirmed as delivered' };
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

function lostSentence(message: MessageResult, same: readonly MessageResult[]): string {
  const { name, recipient, firstLine } = message;
  const number = recipient.replace(/^\w+:/, '');
  const lost = same.filter(({ isLost }) => isLost);
  const alerts = lost.reduce((sum, one) => sum + one.alerts, 0);
  const more = alerts > 1 ? ` and ${count(alerts - 1, 'more alert')}` : '';
  const doubt = lost.some(({ state }) => state === 'unknown') ? ' Delivery not confirmed: it may have arrived.' : '';
  const tried = same.filter(({ isLost, instead }) => isLost || instead !== undefined);
  const reasons = [...new Set(tried.map(({ channel, detail }) => `By ${channel}: ${detail}`))].join(' ');
  const to = name === undefined ? number : `${name} (${number})`;
  return `ALERT NOT DELIVERED to ${to}, all channels failed. Alert: ${firstLine}${more}.${doubt} ${reasons}`;
}

function whom({ name, recipient }: MessageResult): string {
  return name === undefined ? recipient : `${name} (${recipient})`;
}
