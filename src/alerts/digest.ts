import { addDays, type CivilDate, civilDateAt, instantOf } from '../domain/civil-date.ts';
import { formatChangeIn } from '../domain/micros.ts';
import { cutText } from '../domain/outside-text.ts';

export function digestKey(recipient: string, day: CivilDate): string {
  return `digest:${recipient}:${day}`;
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
  const { since, changes, proposals, conditions, failedAccounts, lostMessages, alertsToNobody, sunset } = facts;
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
