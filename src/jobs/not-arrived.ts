import type { AlertRecipient } from '../config/alert-settings.ts';
import { numberOf } from '../domain/messaging-address.ts';
import type { StateDb } from '../store/open-state.ts';
import { type ListedRow, listRows } from '../store/outbox-list.ts';

/** Of rows that failed or may have, those after which no other channel has told the person, or is about to. */
export async function notArrived(
  db: StateDb,
  stopped: readonly ListedRow[],
  recipients: readonly AlertRecipient[],
): Promise<ReadonlySet<bigint>> {
  const keyOf = ({ alertId, occasion, recipient = '' }: ListedRow) => {
    const own = recipients.find(({ addresses }) => [...addresses.values()].includes(recipient));
    return `${alertId} ${occasion} ${own?.name ?? numberOf(recipient) ?? recipient}`;
  };
  const alertIds = [...new Set(stopped.map(({ alertId }) => alertId))];
  const last = new Map<string, ListedRow>();
  const arrived = new Set<string>();
  for (const row of await listRows(db, { states: ADDRESSED, alertIds, limit: ADDRESSED_MAX })) {
    last.set(keyOf(row), row);
    if (row.state === 'delivered') arrived.add(keyOf(row));
  }
  const lost = [...last].filter(([key, { state }]) => !arrived.has(key) && (state === 'failed' || state === 'unknown'));
  return new Set(lost.map(([, { id }]) => id));
}

const ADDRESSED = ['pending', 'sending', 'accepted', 'delivered', 'failed', 'unknown'] as const;
const ADDRESSED_MAX = 100_000;
