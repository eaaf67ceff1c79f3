import type { Updateable } from 'kysely';
import { instantText } from '../domain/civil-date.ts';
import type { NewAlert } from './alert-table.ts';
import type { StateDb } from './open-state.ts';
import type { StateSchema } from './state-schema.ts';

type Told = NewAlert &
  (
    | { readonly kind: Exclude<StateSchema['alert']['kind'], 'digest'> }
    | { readonly kind: 'digest'; readonly recipientName: string }
  );

/** What fired already fires since then. */
export async function fire(trx: StateDb, alert: Told, nowMs: number): Promise<void> {
  const now = instantText(nowMs);
  const { dedupeKey, kind, severity, text, proposalCode } = alert;
  const says = {
    severity,
    text,
    rule: alert.rule ?? null,
    customerId: alert.customerId ?? null,
    updatedAt: now,
  } satisfies Updateable<StateSchema['alert']>;
  await trx
    .insertInto('alert')
    .values({
      ...says,
      dedupeKey,
      kind,
      proposalCode,
      recipient: kind === 'digest' ? alert.recipientName : undefined,
      state: 'firing',
      firedAt: now,
      createdAt: now,
    })
    .onConflict((conflict) =>
      conflict.column('dedupeKey').doUpdateSet((existing) => ({
        ...says,
        state: 'firing',
        resolvedAt: null,
        resolvedBecause: null,
        firedAt: existing.case().when('alert.state', '=', 'firing').then(existing.ref('alert.firedAt')).else(now).end(),
      })),
    )
    .execute();
}

/** What does not fire, or is not there, stays as it is. */
export async function resolve(trx: StateDb, dedupeKey: string, nowMs: number): Promise<void> {
  const now = instantText(nowMs);
  await trx
    .updateTable('alert')
    .set({ state: 'resolved', resolvedAt: now, updatedAt: now })
    .where('dedupeKey', '=', dedupeKey)
    .where('state', '=', 'firing')
    .execute();
}

/** An alert, or all of which a message tells: more than SQLite takes values in a statement, so they are not listed. */
export type AlertsOf = { readonly alertId: bigint } | { readonly messageId: bigint };

/** What happens once has been told when nothing of it waits or is under way any more. To be called wherever rows move. */
export async function resolveTold(trx: StateDb, of: AlertsOf, nowMs: number): Promise<void> {
  const now = instantText(nowMs);
  await trx
    .updateTable('alert')
    .set({ state: 'resolved', resolvedAt: now, updatedAt: now })
    .where(({ eb, selectFrom }) =>
      'alertId' in of
        ? eb('id', '=', of.alertId)
        : eb('id', 'in', selectFrom('outbox').select('alertId').where('messageId', '=', of.messageId)),
    )
    .where('kind', '!=', 'condition')
    .where('state', '=', 'firing')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('outbox')
            .select('outbox.id')
            .whereRef('outbox.alertId', '=', 'alert.id')
            .where('outbox.state', 'in', ['pending', 'sending']),
        ),
      ),
    )
    .execute();
}

/** What was told is to be told once more, by another way or to another address. */
export async function fireAgain(trx: StateDb, alertId: bigint, nowMs: number): Promise<void> {
  await trx
    .updateTable('alert')
    .set({ state: 'firing', resolvedAt: null, resolvedBecause: null, updatedAt: instantText(nowMs) })
    .where('id', '=', alertId)
    .where('kind', '!=', 'condition')
    .execute();
}
