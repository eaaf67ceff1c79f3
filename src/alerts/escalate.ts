import { explainGraphCode } from '../apis/graph/error-codes.ts';
import { explainMessageCode } from '../apis/messages/message-codes.ts';
import { firstLineOf } from '../domain/first-line.ts';
import { maskAddress } from '../http/redact.ts';
import { giveUpWaiting } from '../store/message-outcome.ts';
import { overdueMessages } from '../store/message-table.ts';
import { escalateRows, type StrandedRow, strandedRows } from '../store/outbox-table.ts';
import { commit, type DeliveryPass, nextAddress } from './delivery-pass.ts';

/**
 * Passes on to the recipient's next channel what did not arrive: at once what was refused, after a time what is not known to be
 * out, what still waits, and what was accepted and is more than information. Each once. Where no channel is left the log says
 * so loudly, and the rows are returned. An accepted message that merely was not reported on is nobody's loss then.
 */
export async function escalate(pass: DeliveryPass): Promise<StrandedRow[]> {
  const { state, clock, alerts, log } = pass;
  const sinceMs = clock.now() - alerts.undeliveredMs;
  await giveUpOverdue(pass, sinceMs);
  const stranded = await strandedRows(state.db, sinceMs);
  if (stranded.length === 0) return [];
  const decided = stranded.map((row) => ({
    row,
    id: row.id,
    next: row.state === 'accepted' && row.severity === 'info' ? undefined : nextAddress(pass, row),
  }));
  const lost = decided
    .filter(({ row, next }) => next === undefined && row.state !== 'accepted')
    .map(({ row }) => explained(row));
  // Before it is written down: told twice, after a crash, is better than never.
  for (const line of lostLines(lost)) log.warn(line);
  await commit(pass, 'escalate', (trx) => escalateRows(trx, decided, clock.now()));
  return lost;
}

/** What an interface keeps refusing for now does not keep a recipient waiting who can be told by another. */
async function giveUpOverdue(pass: DeliveryPass, sinceMs: number): Promise<void> {
  for (const message of await overdueMessages(pass.state.db, sinceMs)) {
    if (nextAddress(pass, message) === undefined) continue;
    await commit(pass, 'escalate', (trx) => giveUpWaiting(trx, message.id, pass.clock.now()));
  }
}

/** A report names a code alone; a refusal has said what it means. */
function explained(row: StrandedRow): StrandedRow {
  const { channel, code, status, error } = row;
  if (code === undefined || status === undefined) return row;
  const known = channel === 'messages' ? explainMessageCode(code) : explainGraphCode(Number(code));
  if (known === undefined) return row;
  return { ...row, error: [error, known.meaning, known.nextStep].filter(Boolean).join(' ') };
}

/** One line per recipient and reason, however many alerts there are. */
function lostLines(rows: readonly StrandedRow[]): string[] {
  const groups = new Map<string, StrandedRow[]>();
  for (const row of rows) {
    const key = [row.channel, row.recipient, row.state, row.error].join(' ');
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].flatMap((group) => {
    const first = group.find(({ severity }) => severity === 'critical') ?? group[0];
    if (first === undefined) return [];
    const others = group.length === 1 ? '' : ` (and ${group.length - 1} more)`;
    const doubt = first.state === 'unknown' ? 'It may or may not have arrived. ' : '';
    const said = firstLineOf(first.text);
    const to = maskAddress(first.channel, first.recipient);
    return [
      `ALERT NOT DELIVERED to ${to}, and no channel is left: ${said}${others} ${doubt}${first.error ?? ''}`.trimEnd(),
    ];
  });
}
