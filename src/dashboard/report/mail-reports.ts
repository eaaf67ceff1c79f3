import { randomUUID } from 'node:crypto';
import type { AlertRecipient, MailedReport } from '../../config/alert-settings.ts';
import { addDays, civilDateAt, type DateRange, instantOf, startOfGrain } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { App } from '../../engine/app.ts';
import { deliverAlerts } from '../../engine/tell/deliver-alerts.ts';
import { readAlert } from '../../storage/records/alerts/alert-table.ts';
import { enqueueReportMail } from '../../storage/records/alerts/report-mail-table.ts';
import { firstRunMs } from '../../storage/records/runs/run-table.ts';
import { rangeRows } from '../../views/report/range-rows.ts';
import type { ReportFacts } from '../../views/report/report-facts.ts';
import { reportMail } from '../../views/report/report-mail.ts';
import { gatherReport } from './gather-report.ts';

const HOUR_MS = 60 * 60_000;

/** After this time, a report goes out with the days that are there, and says which are missing. */
const PATIENCE_MS = 12 * HOUR_MS;
/** The last day of an account in the west can end long after. The report must go out before the next day's is due. */
const PATIENCE_WITH_WEST_MS = 20 * HOUR_MS;

/**
 * Writes the mails of `alerts.reports` that are due into the outbox. The key of each has the days of its period. So several
 * processes, a crash or a second run make no second mail. After a pause of weeks, only the last period is sent.
 */
export async function enqueueDueReports(app: App): Promise<Enqueued> {
  const { state, alerts } = app;
  const firstMs = alerts.reports.size === 0 ? undefined : await firstRunMs(state.db);
  const done = { made: 0, failures: [] as string[] };
  if (firstMs === undefined) return done;
  for (const [name, report] of alerts.reports) {
    for (const recipient of alerts.recipients.filter((one) => report.to.includes(one.name))) {
      try {
        if (await enqueueIfDue(app, name, report, recipient, firstMs)) done.made += 1;
      } catch (error) {
        done.failures.push(app.redact(`The report ${name} could not be made: ${wordsOf(error)}`));
      }
    }
  }
  return done;
}

interface Enqueued {
  readonly made: number;
  readonly failures: readonly string[];
}

async function enqueueIfDue(
  app: App,
  name: string,
  report: MailedReport,
  recipient: AlertRecipient,
  firstMs: number,
): Promise<boolean> {
  const { db } = app.state;
  const nowMs = app.clock.now();
  const { period, atMs } = duePeriod(report, recipient, nowMs);
  const address = recipient.addresses.get('email');
  const dedupeKey = `report:${name}:${recipient.name}:${period.from}:${period.to}`;
  if (atMs <= firstMs || address === undefined || (await readAlert(db, dedupeKey))) return false;
  const facts = await factsOf(app, period, report.accounts ?? []);
  const missing = missingFrom(facts, report.accounts ?? []);
  const lasts = facts.accounts.some(({ timeZone = 'UTC' }) => civilDateAt(atMs, timeZone) <= period.to);
  const untilMs = atMs + (lasts ? PATIENCE_WITH_WEST_MS : PATIENCE_MS);
  if (nowMs < untilMs && !(missing.length === 0 && isComplete(facts, period))) return false;
  const mail = { dedupeKey, recipient: address, ...reportMail(facts, { ...report, period, missing }) };
  return enqueueReportMail(db, mail, nowMs);
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The last period that is over, and when its report is due. */
function duePeriod(
  { every, at }: MailedReport,
  { timeZone }: AlertRecipient,
  nowMs: number,
): { readonly period: DateRange; readonly atMs: number } {
  const dueOn = (start: DateRange['from']) => instantOf(start, at, timeZone);
  const current = startOfGrain(every, civilDateAt(nowMs, timeZone));
  const start = dueOn(current) <= nowMs ? current : startOfGrain(every, addDays(current, -1));
  const to = addDays(start, -1);
  return { period: { from: startOfGrain(every, to), to }, atMs: dueOn(start) };
}

function isComplete({ accounts }: ReportFacts, period: DateRange): boolean {
  return accounts.length > 0 && rangeRows(accounts, period).every(({ complete, length }) => complete === length);
}

/** Accounts that the file does not have. A report of too many accounts counts those that it leaves out. */
function missingFrom({ accounts, accountsLeftOut }: ReportFacts, chosen: readonly CustomerId[]): CustomerId[] {
  const known = new Set(accounts.map(({ customerId }) => customerId));
  return accountsLeftOut > 0 ? [] : chosen.filter((one) => !known.has(one));
}

const DAYS_BY_HAND = 7;

/** For `report --mail-to`: the last seven days until yesterday. */
async function enqueueReportTo(app: App, recipient: string, customers: readonly CustomerId[]): Promise<void> {
  const nowMs = app.clock.now();
  const to = addDays(civilDateAt(nowMs, app.alerts.timeZone), -1);
  const period = { from: addDays(to, 1 - DAYS_BY_HAND), to };
  const facts = await factsOf(app, period, customers);
  const made = reportMail(facts, { period, missing: missingFrom(facts, customers) });
  await enqueueReportMail(app.state.db, { dedupeKey: `report-by-hand:${randomUUID()}`, recipient, ...made }, nowMs);
}

/** Sends what is due, and the report that a person asked for. Returns what failed. */
export async function mailReports(
  app: App,
  byHand: { readonly to: string; readonly customers: readonly CustomerId[] } | undefined,
): Promise<readonly string[]> {
  const { made, failures } = await enqueueDueReports(app);
  try {
    if (byHand !== undefined) await enqueueReportTo(app, byHand.to, byHand.customers);
    const isEmpty = made === 0 && byHand === undefined;
    return isEmpty ? failures : [...failures, ...(await deliverAlerts(app)).failures];
  } catch (error) {
    return [...failures, app.redact(`The report could not be mailed: ${wordsOf(error)}`)];
  }
}

function factsOf(app: App, { from, to }: DateRange, customers: readonly CustomerId[]): Promise<ReportFacts> {
  const filter = { from, to, customers, campaigns: [] };
  return gatherReport(app, filter);
}
