import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { instantText } from '../../../domain/civil-date.ts';
import { randomCode } from '../budgets/proposal-code.ts';
import { textAfter } from '../expressions.ts';
import type { StateDb } from '../record-store.ts';
import { takeApart } from './message-table.ts';
import { withdrawRow } from './outbox-table.ts';

export interface Forgotten {
  readonly deliveries: number;
  readonly replies: number;
}

/**
 * Puts a random word in the place of an address, and deletes what its owner wrote. A hash would not do, because all phone
 * numbers can be tried. Other code then sees an address that is not in the settings, so alerts that wait go to others. The
 * rows stay: an alert without its deliveries would be sent again.
 *
 * While a message to the address may be on its way, returns undefined and changes nothing. The provider's list is searched
 * by the address. Without it, the alert would be lost or go out twice.
 *
 * `key` is the address, or the digits of a phone number, which all channels share.
 */
export async function forgetAddress(
  trx: StateDb,
  key: string,
  { nowMs, lookedForMs }: { readonly nowMs: number; readonly lookedForMs: number },
): Promise<Forgotten | undefined> {
  const { rows: onTheWay } = await sql`SELECT id FROM message WHERE ${holds('recipient', key)}
    AND (state = 'sending' OR (state = 'pending' AND may_be_out = 1)
      OR (state = 'unknown' AND updated_at >= ${instantText(nowMs - lookedForMs)}))`.execute(trx);
  if (onTheWay.length > 0) return undefined;

  await takeApart(trx, nowMs);
  // These would go out even to an address that is not in the settings.
  const { rows: answers } = await sql<{ id: bigint }>`SELECT id FROM outbox
    WHERE ${holds('recipient', key)} AND state = 'pending' AND reason IN ('reply', 'test')`.execute(trx);
  const withdrawal = { because: 'no_recipient', why: 'The address was forgotten.' } as const;
  for (const { id } of answers) await withdrawRow(trx, id, withdrawal, nowMs);

  const word = `forgotten-${randomCode(8)}`;
  // An accepted message counts as reported, because its status cannot be asked for without the provider's id.
  const { rows: deliveries } = await sql`UPDATE outbox SET recipient = replace(recipient, ${key}, ${word}),
      escalated_at = CASE WHEN state = 'accepted' THEN coalesce(escalated_at, ${instantText(nowMs)}) ELSE escalated_at END
    WHERE ${holds('recipient', key)} RETURNING id`.execute(trx);
  // The ids of some providers contain the number.
  await sql`UPDATE message SET recipient = replace(recipient, ${key}, ${word}), provider_id = NULL, response = NULL
    WHERE ${holds('recipient', key)}`.execute(trx);
  const ids = sql`(SELECT alert_id FROM outbox WHERE ${holds('recipient', word)})`;
  // The key of a report has no address, and prevents a second mail for its period.
  await sql`UPDATE alert SET dedupe_key = ${word} || ':' || id WHERE kind = 'reply' AND dedupe_key NOT LIKE 'report:%'
    AND id IN ${ids}`.execute(trx);
  await sql`DELETE FROM report_mail WHERE alert_id IN ${ids}`.execute(trx);
  const { rows: replies } = await sql`UPDATE reply
    SET sender = replace(sender, ${key}, ${word}), text = '', dedupe_key = ${word} || ':' || id
    WHERE ${holds('sender', key)} RETURNING id`.execute(trx);
  return { deliveries: deliveries.length, replies: replies.length };
}

/** True for the key itself, and for `<channel>:+<key>`. */
export function holds(column: string, key: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.ref(column)} = ${key} OR ${textAfter(column, '+')} = ${key})`;
}
