import { instantText } from '../domain/civil-date.ts';
import type { NewAlert } from './alert-table.ts';
import type { StateDb } from './open-state.ts';
import type { StateSchema } from './schema.ts';

type Told = NewAlert &
  (
    | { readonly kind: Exclude<StateSchema['alert']['kind'], 'digest'> }
    | { readonly kind: 'digest'; readonly recipientName: string }
  );

/** What fired already fires since then. */
export async function fire(trx: StateDb, alert: Told, nowMs: number): Promise<void> {
  const now = instantText(nowMs);
  const { dedupeKey, kind, severity, text, rule, proposalCode } = alert;
  const says = {
    ...{ severity, text, rule: rule ?? null, updated_at: now },
    customer_id: alert.customerId === undefined ? null : BigInt(alert.customerId),
  };
  await trx
    .insertInto('alert')
    .values({
      ...says,
      dedupe_key: dedupeKey,
      kind,
      proposal_code: proposalCode ?? null,
      recipient: kind === 'digest' ? alert.recipientName : null,
      state: 'firing',
      fired_at: now,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict.column('dedupe_key').doUpdateSet((existing) => ({
        ...says,
        state: 'firing',
        resolved_at: null,
        resolved_because: null,
        fired_at: existing
          .case()
          .when('alert.state', '=', 'firing')
          .then(existing.ref('alert.fired_at'))
          .else(now)
          .end(),
      })),
    )
    .execute();
}

/** What does not fire, or is not there, stays as it is. */
export async function resolve(trx: StateDb, dedupeKey: string, nowMs: number): Promise<void> {
  const now = instantText(nowMs);
  await trx
    .updateTable('alert')
    .set({ state: 'resolved', resolved_at: now, updated_at: now })
    .where('dedupe_key', '=', dedupeKey)
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
    .set({ state: 'resolved', resolved_at: now, updated_at: now })
    .where(({ eb, selectFrom }) =>
      'alertId' in of
        ? eb('id', '=', of.alertId)
        : eb('id', 'in', selectFrom('outbox').select('alert_id').where('message_id', '=', of.messageId)),
    )
    .where('kind', '!=', 'condition')
    .where('state', '=', 'firing')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('outbox')
            .select('outbox.id')
            .whereRef('outbox.alert_id', '=', 'alert.id')
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
    .set({ state: 'firing', resolved_at: null, resolved_because: null, updated_at: instantText(nowMs) })
    .where('id', '=', alertId)
    .where('kind', '!=', 'condition')
    .execute();
}
