import { sql } from 'kysely';
import type { ReportMail } from '../../../domain/channel.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import { enqueueReply } from './alert-table.ts';

export interface NewReportMail {
  /** One mail for each key, also after a crash. */
  readonly dedupeKey: string;
  /** A mail address. */
  readonly recipient: string;
  /** For the text part of the mail, and for other channels. */
  readonly text: string;
  readonly mail: ReportMail;
}

/**
 * Somebody asked for the report, by settings or by hand. So it is an answer: routes, silences and quiet hours do not hold
 * it back. Returns false if the key is known. Pages of earlier mails that arrived are deleted.
 */
export async function enqueueReportMail(
  db: StateDb,
  { dedupeKey, recipient, text, mail }: NewReportMail,
  nowMs: number,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const reply = { dedupeKey, text, customerId: undefined, channel: 'email', recipient };
    const alertId = await enqueueReply(trx, reply, nowMs);
    if (alertId === undefined) return false;
    await sql`DELETE FROM report_mail WHERE NOT EXISTS (SELECT 1 FROM outbox
      WHERE outbox.alert_id = report_mail.alert_id AND outbox.state NOT IN ('accepted', 'delivered', 'withdrawn'))`.execute(
      trx,
    );
    const { subject, html, csv } = mail;
    const row = { alertId, subject, html, csvName: csv?.name, csv: csv?.text };
    await trx.insertInto('reportMail').values(row).execute();
    return true;
  });
}

export async function reportMailOf(db: StateDb, alertId: bigint): Promise<ReportMail | undefined> {
  const row = await db.selectFrom('reportMail').selectAll().where('alertId', '=', alertId).executeTakeFirst();
  if (row === undefined) return undefined;
  const { subject, html, csvName: name, csv: text } = row;
  return { subject, html, csv: name === undefined || text === undefined ? undefined : { name, text } };
}

/** Alerts that fill a message of their own. */
export async function alertsWithMail(db: StateDb): Promise<ReadonlySet<bigint>> {
  const rows = await db.selectFrom('reportMail').select('alertId').execute();
  return new Set(rows.map(({ alertId }) => alertId));
}
