import { composeDigest, type DigestFacts, digestKey, dueDigest } from '../alerts/digest.ts';
import type { App } from '../app.ts';
import { describeAccount, describeAmounts } from '../budgets/describe-change.ts';
import { subjectOf } from '../domain/budget-subject.ts';
import { ALERT_SEVERITIES } from '../domain/channel.ts';
import { civilDateAt, clockTimeAt, instantText } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import { outsideName } from '../domain/outside-text.ts';
import { shortLine } from '../domain/short-line.ts';
import { allAccounts } from '../store/account-table.ts';
import { firingAlerts, notify, readAlert } from '../store/alert-table.ts';
import {
  changesMadeIn,
  type DigestSpan,
  failedAccountsSince,
  lastDigestAt,
  lostMessagesIn,
  toldToNobodyIn,
} from '../store/digest-facts.ts';
import type { Intent } from '../store/intent-table.ts';
import type { StateDb } from '../store/open-state.ts';
import { openProposals, type Proposal } from '../store/proposal-table.ts';
import { headText, recordHead } from '../store/record-head.ts';
import { firstRunMs } from '../store/run-table.ts';

/** Of each line, so that a digest has several. */
const LINE_LENGTH_MAX = 80;
/** A recipient's first digest goes back to the first run, and so far at most. */
const FIRST_SPAN_MS = 7 * 86_400_000;

type Deps = Pick<App, 'state' | 'alerts' | 'settings' | 'redact'>;

/**
 * Puts each recipient's digest of the day into the outbox once it is due, also when there is nothing to say: who misses it
 * knows that nothing ran. Nobody gets one for a day that was over before the first run.
 */
export async function enqueueDigests(app: Deps, nowMs: number): Promise<void> {
  const { state, alerts } = app;
  const at = alerts.digestAt;
  if (at === undefined || alerts.recipients.length === 0) return;
  const firstMs = await firstRunMs(state.db);
  if (firstMs === undefined) return;
  for (const { name, timeZone } of alerts.recipients) {
    const day = dueDigest(at, timeZone, firstMs, nowMs);
    const dedupeKey = day && digestKey(name, day);
    if (!day || !dedupeKey || (await readAlert(state.db, dedupeKey))) continue;
    await state.db.transaction().execute(async (trx) => {
      // Another process may have told it meanwhile.
      if (await readAlert(trx, dedupeKey)) return;
      const last = await lastDigestAt(trx, name);
      const sinceMs = last === undefined ? Math.max(firstMs, nowMs - FIRST_SPAN_MS) : Date.parse(last);
      // The second in which the first run began is part of the first digest.
      const since = last ?? instantText(sinceMs - 1000);
      const facts = await gatherFacts(trx, app, { since, now: instantText(nowMs) });
      const shown = `${civilDateAt(sinceMs, timeZone)} ${clockTimeAt(sinceMs, timeZone)}`;
      const text = composeDigest(day, {
        ...facts,
        since: shown,
      });
      const about = { dedupeKey, customerId: undefined, severity: 'info', kind: 'digest', reason: 'digest' } as const;
      await notify(trx, { ...about, recipientName: name, text }, nowMs);
    });
  }
}

async function gatherFacts(
  db: StateDb,
  { settings, redact }: Deps,
  span: DigestSpan,
): Promise<Omit<DigestFacts, 'since'>> {
  const names = new Map((await allAccounts(db)).map(({ customerId, name }) => [customerId, name]));
  const nameOf = (id: CustomerId) => outsideName(names.get(id) ?? id, LINE_LENGTH_MAX);
  const localeOf = (id: CustomerId) => settings.accounts.get(id)?.locale;
  const cut = (line: string) => shortLine(redact(line), LINE_LENGTH_MAX);
  // No name stands beside amounts.
  const linesOf = (reference: string, change: Intent | Proposal) =>
    `${reference} ${describeAmounts(change, localeOf(change.customerId))}\n  ${cut(`${subjectOf(change, 'with id', outsideName)}, ${nameOf(change.customerId)}`)}`;
  const changes = await changesMadeIn(db, span);
  const firing = await firingAlerts(db, 'condition');
  const bySeverity = firing.toSorted(
    (a, b) => ALERT_SEVERITIES.indexOf(b.severity) - ALERT_SEVERITIES.indexOf(a.severity),
  );
  return {
    changes: changes.map((change) => ({
      ...{ currency: change.currency, from: change.from, to: change.to },
      line: linesOf(`B${change.id}`, change),
    })),
    proposals: (await openProposals(db, Date.parse(span.now))).map((one) => linesOf(one.code, one)),
    conditions: bySeverity.map(({ severity, text, customerId, rule }) => {
      const where = [customerId && nameOf(customerId), rule && `rule ${rule}`].filter((part) => part).join(', ');
      return cut(`${severity}: ${text} (${where})`);
    }),
    failedAccounts: (await failedAccountsSince(db, span.since)).map((id) =>
      cut(describeAccount(id, { name: names.get(id) })),
    ),
    lostMessages: await lostMessagesIn(db, span),
    recordHead: await headOf(db),
    toldToNobody: await toldToNobodyIn(db, span),
  };
}

async function headOf(db: StateDb): Promise<string | undefined> {
  const head = await recordHead(db);
  return head.id === 0n ? undefined : headText(head);
}
