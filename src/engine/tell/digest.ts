import { makerWords, subjectOf } from '../../domain/budget-change.ts';
import { ALERT_SEVERITIES } from '../../domain/channel.ts';
import { addDays, type CivilDate, civilDateAt, clockTimeAt, instantOf, instantText } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { formatChangeIn } from '../../domain/micros.ts';
import { cutText, outsideName, shortLine } from '../../domain/outside-text.ts';
import { isSunsetNear, sunsetOf, sunsetWords } from '../../language/gaql/catalogue/sunset.ts';
import { firingAlerts, notify, readAlert } from '../../storage/records/alerts/alert-table.ts';
import {
  alertsToNobodyIn,
  changesMadeIn,
  type DigestSpan,
  failedAccountsSince,
  lastDigestAt,
  lostMessagesIn,
} from '../../storage/records/alerts/digest-facts.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import { openProposals, type Proposal } from '../../storage/records/budgets/proposal-table.ts';
import { headText, recordHead } from '../../storage/records/budgets/record-head.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { lastReportSince, type RunTarget, targetsOfRun } from '../../storage/records/runs/run-result-table.ts';
import { firstRunMs } from '../../storage/records/runs/run-table.ts';
import { sharedCourse, sharedName, sharedRest, sharedTargets } from '../../views/report/shared-targets.ts';
import type { App } from '../app.ts';
import { describeAccount, describeAmounts } from '../budgets/describe-change.ts';

const LINE_LENGTH_MAX = 80;
/** The first digest covers at most this time, in milliseconds. */
const FIRST_SPAN_MS = 7 * 86_400_000;

/** Sends a digest even without news, because a missing digest means that nothing ran. */
export async function enqueueDigests(app: App, nowMs: number, targets?: readonly RunTarget[]): Promise<void> {
  const { state, alerts } = app;
  const at = alerts.digestAt;
  if (at === undefined || alerts.recipients.length === 0) return;
  const firstMs = await firstRunMs(state.db);
  if (firstMs === undefined) return;
  for (const { name, timeZone } of alerts.recipients) {
    const day = dueDigest(at, timeZone, firstMs, nowMs);
    const dedupeKey = day && `digest:${name}:${day}`;
    if (!day || !dedupeKey || (await readAlert(state.db, dedupeKey))) continue;
    await state.db.transaction().execute(async (trx) => {
      if (await readAlert(trx, dedupeKey)) return;
      const last = await lastDigestAt(trx, name);
      const sinceMs = last === undefined ? Math.max(firstMs, nowMs - FIRST_SPAN_MS) : Date.parse(last);
      // Subtracts a second, so that the start of the first run is included.
      const since = last ?? instantText(sinceMs - 1000);
      const facts = await gatherFacts(trx, app, { since, now: instantText(nowMs) }, targets);
      const shown = `${civilDateAt(sinceMs, timeZone)} ${clockTimeAt(sinceMs, timeZone)} ${timeZone}`;
      const text = composeDigest(day, { ...facts, since: shown });
      const about = { dedupeKey, customerId: undefined, severity: 'info', kind: 'digest', reason: 'digest' } as const;
      await notify(trx, { ...about, recipientName: name, text }, nowMs);
    });
  }
}

async function gatherFacts(
  db: StateDb,
  { settings, redact }: App,
  span: DigestSpan,
  targets: readonly RunTarget[] | undefined,
) {
  const names = new Map((await allAccounts(db)).map(({ customerId, name }) => [customerId, name]));
  const nameOf = (id: CustomerId) => outsideName(names.get(id) ?? id, LINE_LENGTH_MAX);
  const localeOf = (id: CustomerId) => settings.accounts.get(id)?.locale;
  const cut = (line: string) => shortLine(redact(line), LINE_LENGTH_MAX);
  // Amounts and names are on separate lines, because a name could look like an amount.
  const linesOf = (reference: string, change: Intent | Proposal) =>
    `${reference} ${describeAmounts(change, localeOf(change.customerId))}\n  ${cut(`${subjectOf(change, 'with id', outsideName)}, ${nameOf(change.customerId)}`)}`;
  const changes = await changesMadeIn(db, span);
  const sunset = sunsetOf(settings.ads.version, Date.parse(span.now));
  const failed = await failedAccountsSince(db, span.since);
  const head = await recordHead(db);
  const report = targets === undefined ? await lastReportSince(db, span.since) : undefined;
  const shared = sharedTargets(targets ?? (report && (await targetsOfRun(db, report.id))));
  const firing = await firingAlerts(db, 'condition');
  const bySeverity = firing.toSorted(
    (a, b) => ALERT_SEVERITIES.indexOf(b.severity) - ALERT_SEVERITIES.indexOf(a.severity),
  );
  return {
    changes: changes.map((change) => ({ ...change, line: linesOf(`B${change.id}`, change) })),
    proposals: (await openProposals(db, Date.parse(span.now))).map((one) => linesOf(one.code, one)),
    conditions: bySeverity.map(({ severity, text, customerId, rule }) => {
      const where = [customerId && nameOf(customerId), rule && makerWords(rule)].filter((part) => part).join(', ');
      return cut(`${severity}: ${text} (${where})`);
    }),
    targets: shared.map((row) => {
      const [left] = sharedRest(row);
      return `${cut([sharedCourse(row), ...(left === undefined ? [] : [left])].join('. '))}\n  ${cut(sharedName(row))}`;
    }),
    failedAccounts: failed.map((id) => cut(describeAccount(id, { name: names.get(id) }))),
    lostMessages: await lostMessagesIn(db, span),
    recordHead: head.id === 0n ? undefined : headText(head),
    sunset: isSunsetNear(sunset) ? sunsetWords(sunset) : undefined,
    alertsToNobody: await alertsToNobodyIn(db, span),
  };
}

/** The day of the latest digest that is due. Undefined if none was due after `sinceMs`, the time of the first run. */
export function dueDigest(at: string, timeZone: string, sinceMs: number, nowMs: number): CivilDate | undefined {
  const today = civilDateAt(nowMs, timeZone);
  const day = instantOf(today, at, timeZone) <= nowMs ? today : addDays(today, -1);
  return instantOf(day, at, timeZone) > sinceMs ? day : undefined;
}

export interface DigestFacts {
  /** In the recipient's local time, such as `2026-11-20 08:00`. */
  readonly since: string;
  /** Newest first. Amounts are in micros. */
  readonly changes: readonly {
    readonly line: string;
    readonly currency: string;
    readonly from: bigint;
    readonly to: bigint;
  }[];
  readonly proposals: readonly string[];
  /** The most severe condition is first. */
  readonly conditions: readonly string[];
  /** Targets of several accounts. Those that need a person are first. */
  readonly targets: readonly string[];
  readonly failedAccounts: readonly string[];
  /** Messages that failed or whose delivery is not confirmed. */
  readonly lostMessages: number;
  /** Alerts that were withdrawn before anybody got them, for example because of a silence or a missing route. */
  readonly alertsToNobody: number;
  /** The newest audit event, such as `12:<hash>`, which later proves that no earlier event was altered. */
  readonly recordHead: string | undefined;
  /** Undefined unless the version of the advertising interface ends soon or has ended. */
  readonly sunset: string | undefined;
}

const LINES_SHOWN = 3;
/** In UTF-16 units. Leaves space for critical alerts in the same message. */
const DIGEST_LENGTH_MAX = 1000;

export function composeDigest(day: CivilDate, facts: DigestFacts): string {
  const head = facts.recordHead === undefined ? '' : `\nRecord ${facts.recordHead}`;
  const room = DIGEST_LENGTH_MAX - head.length;
  for (let shown = LINES_SHOWN; shown > 0; shown--) {
    const text = digestOf(day, facts, shown);
    if (text.length <= room) return `${text}${head}`;
  }
  return `${cutText(digestOf(day, facts, 0), room)}${head}`;
}

function digestOf(day: CivilDate, facts: DigestFacts, shown: number): string {
  const { since, changes, proposals, conditions, targets, failedAccounts, lostMessages, alertsToNobody, sunset } =
    facts;
  const part = (count: number, heading: string, command: string, lines: readonly string[] = []) =>
    partOf(count, heading, command, lines.slice(0, shown));
  const of = (count: number, one: string, many: string) => (count === 1 ? one : many);
  const failed = failedAccounts.length;
  const lost = lostMessages;
  const parts = [
    ...(sunset === undefined ? [] : [`${sunset}: pacekeeper doctor`]),
    ...part(
      changes.length,
      `${of(changes.length, 'budget', 'budgets')} changed${sumsOf(changes)}`,
      'pacekeeper budgets history',
      changes.map(({ line }) => line),
    ),
    ...part(
      proposals.length,
      of(proposals.length, 'change awaits approval', 'changes await approval'),
      'pacekeeper budgets list',
      proposals,
    ),
    ...part(
      conditions.length,
      `${of(conditions.length, 'condition', 'conditions')} firing`,
      'pacekeeper alerts list',
      conditions,
    ),
    ...part(
      targets.length,
      of(targets.length, 'target of several accounts', 'targets of several accounts'),
      'pacekeeper pacing',
      targets,
    ),
    ...part(failed, `${of(failed, 'account', 'accounts')} could not be read`, 'pacekeeper coverage', failedAccounts),
    ...part(lost, `${of(lost, 'message', 'messages')} not confirmed as delivered`, 'pacekeeper alerts list'),
    ...part(alertsToNobody, `${of(alertsToNobody, 'alert', 'alerts')} went to nobody`, 'pacekeeper alerts list --all'),
  ];
  return [`Pacekeeper, ${day}: since ${since}`, ...(parts.length > 0 ? parts : ['Nothing to report.'])].join('\n');
}

function partOf(count: number, heading: string, command: string, lines: readonly string[]): string[] {
  if (count === 0) return [];
  const head = `${count.toLocaleString('en-US')} ${heading}`;
  if (lines.length === 0) return [`${head}: ${command}`];
  const rest = count - lines.length;
  const more = rest > 0 ? [`- and ${rest.toLocaleString('en-US')} more: ${command}`] : [];
  return [`${head}:`, ...lines.map((line) => `- ${line}`), ...more];
}

/** Returns text such as ", 120.00 EUR to 102.00 EUR (-15%)" for each of the first three currencies. */
function sumsOf(changes: DigestFacts['changes']): string {
  const sums = new Map<string, { from: bigint; to: bigint }>();
  for (const { currency, from, to } of changes) {
    const sum = sums.get(currency) ?? { from: 0n, to: 0n };
    sums.set(currency, { from: sum.from + from, to: sum.to + to });
  }
  const texts = [...sums]
    .slice(0, LINES_SHOWN)
    .map(([currency, { from, to }]) => formatChangeIn(undefined, from, to, currency));
  return texts.map((text) => `, ${text}`).join('');
}
