import { minuteText } from '../../domain/civil-date.ts';
import { type DecisionFacts, isWaiting } from '../../domain/decision-facts.ts';
import { modeWords } from '../../domain/frozen.ts';
import { sumOfKnown } from '../../domain/micros.ts';
import { capitalised, grouped } from '../../domain/wording.ts';
import type { AccountMonth } from '../../language/results/account-month.ts';
import type { MessageResult, ReportResult } from '../../language/results/report-result.ts';
import { awaiting } from '../../storage/columns/state-words.ts';
import type { RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { monthText } from '../html/wording.ts';
import { runTargets } from '../pacing.ts';
import { count, frozenBlock, oneLine, section, type TextLayout, wrapText } from '../text/text-layout.ts';
import { wasMade } from './decision-words.ts';
import { endWords, lackedWords, offWords, shortMoney, targetName } from './month-words.ts';
import { sharedCourse, sharedName, sharedRest, sharedTargets } from './shared-targets.ts';

const TARGETS_MAX = 3;

/** The conclusion comes before all tables: what was spent, whether targets are met, what needs a person, what failed. */
export function headBlocks(result: ReportResult, layout: TextLayout, most = Number.POSITIVE_INFINITY): string[] {
  const { frozen, months, needs, failures } = result;
  const { width, bold } = layout;
  const shared = sharedTargets(runTargets(result));
  const needed = needs ?? [];
  const isQuiet = needed.length + failures.length === 0;
  const lines = [
    titleLine(result),
    ...(months === undefined
      ? []
      : [spentWords(result), ...sharedWords(shared), ...targetWords(monthsOfRun(result), shared.length > 0)]),
    ...(needs !== undefined && isQuiet ? [`${bold('Needs you:')} nothing`] : []),
  ];
  const done = wrapText(doneLine(result), width, '', '  ');
  const told = lines.map((line) => wrapText(line, width, '', '  ')).concat(isQuiet ? [done] : []);
  const wrapped = (one: string) => [wrapText(oneLine(one), width, '  ', '    ')];
  return [
    frozenBlock(frozen, layout),
    told.join('\n'),
    listBlock('Needs you', 'item', needed, most, layout, wrapped),
    listBlock('Failed', 'failure', failures, most, layout, wrapped),
    isQuiet ? '' : done,
  ];
}

export function listBlock<Item>(
  title: string,
  what: string,
  items: readonly Item[],
  most: number,
  layout: TextLayout,
  lines: (item: Item) => readonly string[],
): string {
  const named = items.length > most ? `${title}: ${count(items.length, what)}, the first ${most}` : title;
  return section(named, items.slice(0, most).flatMap(lines).join('\n'), layout);
}

export function monthsOfRun({ months = [], accounts }: ReportResult): readonly AccountMonth[] {
  const ofRun = new Set(accounts.map(({ customerId }) => customerId));
  return months.filter(({ customerId }) => ofRun.has(customerId));
}

export function countAccounts({ accounts }: Pick<ReportResult, 'accounts'>): number {
  return accounts.filter(({ leftOut }) => leftOut === undefined).length;
}

function titleLine({ run, frozen }: ReportResult): string {
  const mode = run.command === 'extract' ? '' : ` · mode ${modeWords(run.mode, frozen)}`;
  const dry = run.dryRun ? ', dry run' : '';
  return `pacekeeper ${run.command} · run ${run.id} · ${minuteText(run.startedAt)} · ${run.target}${mode}${dry}`;
}

/** Text such as "Spent in November 2026: 4,844 EUR, 674,979 JPY, complete until 2026-11-17." */
function spentWords(result: ReportResult): string {
  const months = monthsOfRun(result);
  const sums = grouped(months, ({ month }) => month ?? '').flatMap((own) => {
    const [first] = own;
    if (first?.month === undefined) return [];
    const amounts = grouped(own, ({ currency }) => currency ?? '').map((alike) => {
      const currency = alike[0]?.currency;
      return shortMoney(sumOfKnown(alike.map(({ spent }) => spent)), currency) ?? `unknown ${currency ?? ''}`.trim();
    });
    return [` in ${monthText(first.month)}: ${amounts.join(', ')}`];
  });
  const spent = sums.length === 0 ? ': unknown' : sums.join(';');
  return `Spent${spent}, ${completeWords(months, countAccounts(result))}.`;
}

/** Text such as "complete until 2026-11-25, Thames until 2026-11-24". */
function completeWords(months: readonly AccountMonth[], accounts: number): string {
  const byDay = grouped(months, ({ completeUntil }) => completeUntil ?? '');
  const [first, ...others] = byDay.sort((one, other) => other.length - one.length);
  const day = (own: readonly AccountMonth[]) => own[0]?.completeUntil;
  const rest = others.map((own) => {
    const [one] = own.length === 1 ? own : [];
    const whose = one === undefined ? count(own.length, 'account') : oneLine(one.name ?? one.customerId);
    return `${whose} ${day(own) === undefined ? 'without a complete day' : `until ${day(own)}`}`;
  });
  const whose = months.length > 0 && months.length < accounts;
  const newest = first && day(first);
  const until = newest === undefined ? 'no complete day yet' : `complete until ${newest}`;
  const lacking = months.filter(({ lackedDays }) => lackedDays > 0);
  if (months.length > 1 && lacking.length > 0) {
    rest.push(`${count(lacking.length, 'account lacks', 'accounts lack')} earlier days`);
  }
  if (months.length === 1) rest.push(...lacking.map(({ lackedDays }) => lackedWords(lackedDays)));
  return `${[until, ...rest].join(', ')}${whose ? ` (${count(months.length, 'account')} with most clicks)` : ''}`;
}

/** Text such as "Target client, 4 accounts: will end at 42,120 EUR, target 40,000. 12,204 EUR left." */
function sharedWords(shared: readonly RunTarget[]): string[] {
  const lines = shared
    .slice(0, TARGETS_MAX)
    .map((row) => oneLine([`Target ${sharedName(row)}: ${sharedCourse(row)}.`, ...sharedRest(row)].join(' ')));
  const rest = shared.length - lines.length;
  return rest === 0 ? lines : [...lines, `${count(rest, 'more target')} of several accounts: pacekeeper pacing.`];
}

/** Accounts off target come first. */
function targetWords(months: readonly AccountMonth[], hasOthers: boolean): string[] {
  const aimed = months.flatMap(({ target, month, ...account }) =>
    target !== undefined && target.month === month ? [{ ...account, target }] : [],
  );
  if (aimed.length === 0) return hasOthers ? [] : ['Target: none known.'];
  const lines = aimed.slice(0, TARGETS_MAX).map(({ target, currency, name, customerId }) => {
    const state = capitalised(offWords(target) ?? 'on target');
    return `${state}: ${endWords(target, currency)}, ${oneLine(targetName(target))}, ${oneLine(name ?? customerId)}.`;
  });
  const rest = aimed.slice(TARGETS_MAX);
  const off = rest.filter(({ target }) => target.off !== undefined).length;
  return rest.length === 0 ? lines : [...lines, `${count(rest.length, 'more account')} with a target, ${off} off.`];
}

/** Text such as "Done with 1 failure: 9 rows read, 1 budget changed, 0 alerts sent." */
function doneLine({ run, failures, decisions, settled, messages, slices }: ReportResult): string {
  const changed = [...decisions, ...settled].filter(wasMade).length;
  const rows = slices.reduce((sum, slice) => sum + slice.rows, 0n).toLocaleString('en-US');
  const actions = [count(changed, 'budget changed', 'budgets changed'), sentWords(messages)];
  const parts = [`${rows} rows read`, ...(run.command === 'extract' ? [] : actions), ...undone(decisions)];
  const end = failures.length === 0 ? 'Done' : `Done with ${count(failures.length, 'failure')}`;
  return `${end}: ${parts.join(', ')}.`;
}

export function sentWords(messages: readonly MessageResult[]): string {
  const accepted = messages.filter(({ state }) => state === 'accepted');
  const alerts = accepted.reduce((sum, one) => sum + one.alerts, 0);
  const bundled = alerts === accepted.length ? '' : ` in ${count(accepted.length, 'message')}`;
  const counted = accepted.reduce((sum, one) => sum + one.counted, 0);
  const numbers = counted === 0 ? '' : ` (${counted.toLocaleString('en-US')} summarised)`;
  return `${count(alerts, 'alert')} sent${bundled}${numbers}`;
}

function undone(decisions: readonly DecisionFacts[]): string[] {
  const would = decisions.filter(({ kind, mode }) => kind === 'would_change' && mode === 'apply').length;
  const waits = decisions.filter((one) => one.kind === 'proposal' || isWaiting(one)).length;
  return [
    ...(would === 0 ? [] : [`${count(would, 'budget')} would change`]),
    ...(waits === 0 ? [] : [awaiting(waits)]),
  ];
}
