import { formatMoney } from '../domain/micros.ts';
import type { Intent } from '../store/intent-table.ts';
import type { NewAlert } from '../store/outbox-table.ts';

/** A campaign's name in an alert is cut so that the reason always fits the message. */
const NAME_LENGTH_MAX = 80;

/** "Budget of Trail Shoes (campaign 21): 40.00 EUR to 34.00 EUR". */
export function describeChange(intent: Intent): string {
  const name = intent.campaignName;
  const shown = name && name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name;
  const campaign = shown === undefined ? `campaign ${intent.campaignId}` : `${shown} (campaign ${intent.campaignId})`;
  return `Budget of ${campaign}: ${formatMoney(intent.from, intent.currency)} to ${formatMoney(intent.to, intent.currency)}`;
}

type End = 'applied' | 'confirmed' | 'rejected' | 'unknown' | 'superseded';

const HEADLINES: Readonly<Record<End, string>> = {
  applied: 'Budget changed.',
  confirmed: 'Budget change confirmed.',
  rejected: 'Budget change rejected.',
  unknown: 'Budget change without an answer: it may have been made.',
  superseded: 'Budget change given up: the budget was changed by someone else.',
};

/** The alert for what became of an intent. Keyed by intent and end, so that each is told once. */
export function alertFor(intent: Intent, end: End, detail: string | undefined): NewAlert {
  const good = end === 'applied' || end === 'confirmed';
  const lines = [
    HEADLINES[end],
    describeChange(intent),
    `Why: ${intent.reason}`,
    ...(detail === undefined ? [] : [`What happened: ${detail}`]),
    `Account ${intent.customerId}, rule ${intent.rule}, reference B${intent.id}.`,
  ];
  return {
    dedupeKey: `budget-intent:${intent.id}:${good ? 'done' : end}`,
    severity: good ? 'info' : 'warning',
    customerId: intent.customerId,
    text: lines.join('\n'),
  };
}
