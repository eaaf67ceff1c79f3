import type { DateRange } from '../domain/civil-date.ts';
import { formatMoney, formatMoneyRounded } from '../domain/micros.ts';
import { changedBudget } from './describe-results.ts';
import type {
  AccountResult,
  DecisionResult,
  MessageResult,
  ReportResult,
  RuleResult,
  TotalResult,
} from './report-result.ts';
import { type TableColumn, textTable } from './text-table.ts';
import { wrapText } from './wrap-text.ts';

/** How the text is laid out: the terminal's width, and emphasis where the stream can show it. */
export interface TextLayout {
  readonly width: number;
  readonly bold: (text: string) => string;
}

const CAMPAIGNS_SHOWN = 8;

/** The report for a person at a terminal. */
export function renderReportText(result: ReportResult, layout: TextLayout): string {
  const names = new Map(result.accounts.map(({ customerId, name }) => [customerId, name ?? customerId]));
  const nameOf: NameOf = (id) => oneLine(names.get(id) ?? id);
  const blocks = [
    heading(result),
    section('What was read', readTable(result, nameOf, layout), layout),
    ...totalBlocks(result, nameOf, layout),
    section('What the rules said', rulesTable(result.rules, nameOf, layout), layout),
    section('Changes that earlier runs left open', decisionBlocks(result.settled, nameOf, layout), layout),
    section('Budgets', decisionBlocks(result.decisions, nameOf, layout), layout),
    section('Alerts', messageLines(result.messages, layout), layout),
    section('Accounts left out', bullets(leftOutLines(result.accounts, nameOf), layout), layout),
    section('Notes', bullets(result.notes, layout), layout),
    section('Failed', bullets(result.failures, layout), layout),
    lastLines(result, layout),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function heading({ run }: ReportResult): string {
  const dry = run.dryRun ? ', dry run' : '';
  return `pacekeeper ${run.command} · run ${run.id} · ${run.target} · mode ${run.mode}${dry}\n${run.startedAt}`;
}

function section(title: string, body: string, layout: TextLayout): string {
  return body === '' ? '' : `${layout.bold(title)}\n${body}`;
}

type NameOf = (id: AccountResult['customerId']) => string;

/** Names are for reading, the id is for looking an account up: it stands wherever there is room. */
function withId(id: AccountResult['customerId'], nameOf: NameOf): string {
  const name = nameOf(id);
  return name === id ? id : `${name} (${id})`;
}

const LEFT_OUT_NAMED = 3;

/** Accounts that are not in use, by the service's word; of many the first ones are named. */
function leftOutLines(accounts: readonly AccountResult[], nameOf: NameOf): string[] {
  const words = [...new Set(accounts.flatMap(({ leftOut }) => leftOut ?? []))].sort();
  return words.map((word) => {
    const ids = accounts.filter(({ leftOut }) => leftOut === word).map(({ customerId }) => customerId);
    const named = ids.slice(0, LEFT_OUT_NAMED).map((id) => withId(id, nameOf));
    const more = ids.length > LEFT_OUT_NAMED ? ` and ${ids.length - LEFT_OUT_NAMED} more` : '';
    const count = ids.length === 1 ? '1 account' : `${ids.length} accounts`;
    return `${count}, ${word}: ${named.join(', ')}${more}`;
  });
}

function readTable({ slices }: ReportResult, nameOf: NameOf, { width }: TextLayout): string {
  if (slices.length === 0) return '';
  const columns: TableColumn[] = [
    { title: 'Query', align: 'left' },
    { title: 'Account', align: 'left', flexible: true },
    { title: 'Days', align: 'left' },
    { title: 'Rows', align: 'right' },
  ];
  const rows = slices.map(({ query, customerId, days, rows: count, notOffered, failure }) => [
    query,
    nameOf(customerId),
    daysText(days),
    notOffered ? 'not offered' : failure === undefined ? count.toLocaleString('en-US') : 'failed',
  ]);
  return textTable(columns, rows, width);
}

function daysText(days: DateRange | undefined): string {
  return days === undefined ? 'now' : `${days.from} to ${days.to}`;
}

/** One table per query that has metrics: accounts with their largest campaigns. */
function totalBlocks(result: ReportResult, nameOf: NameOf, layout: TextLayout): string[] {
  const queries = [...new Set(result.totals.map(({ query }) => query))];
  return queries.map((query) => {
    const totals = result.totals.filter((total) => total.query === query);
    const metrics = [...(totals[0]?.metrics.keys() ?? [])];
    const columns: TableColumn[] = [
      { title: 'Account and campaign', align: 'left', flexible: true },
      ...metrics.map((name) => ({ title: metricTitle(name), align: 'right' as const })),
    ];
    const accounts = [...new Set(totals.map(({ customerId }) => customerId))];
    const rows = accounts.flatMap((id) =>
      accountRows(
        totals.filter(({ customerId }) => customerId === id),
        metrics,
        nameOf,
      ),
    );
    return section(`Totals of ${query}`, textTable(columns, rows, layout.width), layout);
  });
}

function metricTitle(column: string): string {
  const words = column.replace(/_micros$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function accountRows(totals: readonly TotalResult[], metrics: readonly string[], nameOf: NameOf): string[][] {
  const whole = totals.filter(({ campaign }) => campaign === undefined);
  const weight = metrics.find((name) => name.endsWith('_micros')) ?? metrics[0] ?? '';
  const heaviest = totals
    .filter(({ campaign }) => campaign !== undefined)
    .sort((a, b) => Number(b.metrics.get(weight) ?? 0) - Number(a.metrics.get(weight) ?? 0));
  const cells = (total: TotalResult) => metrics.map((name) => metricText(name, total));
  const rest = heaviest.length - CAMPAIGNS_SHOWN;
  return [
    ...whole.map((total) => [withId(total.customerId, nameOf), ...cells(total)]),
    ...heaviest.slice(0, CAMPAIGNS_SHOWN).map((total) => [`  ${campaignName(total)}`, ...cells(total)]),
    ...(rest > 0 ? [[`  and ${rest} more campaigns`, ...metrics.map(() => '')]] : []),
  ];
}

function campaignName({ campaign }: TotalResult): string {
  return oneLine(campaign?.name ?? `campaign ${campaign?.id}`);
}

function metricText(name: string, { metrics, currency }: TotalResult): string {
  const value = metrics.get(name) ?? 0n;
  if (typeof value === 'bigint' && name.endsWith('_micros')) return formatMoneyRounded(value, currency);
  return value.toLocaleString('en-US');
}

function rulesTable(rules: readonly RuleResult[], nameOf: NameOf, { width }: TextLayout): string {
  if (rules.length === 0) return '';
  const columns: TableColumn[] = [
    { title: 'Rule', align: 'left' },
    { title: 'Account', align: 'left', flexible: true },
    { title: 'Campaigns', align: 'right' },
    { title: 'Fired', align: 'right' },
    { title: 'Unknown', align: 'right' },
  ];
  const evaluated = rules.filter(({ notEvaluated }) => notEvaluated === undefined);
  const rows = evaluated.map(({ rule, customerId, campaigns, fired, unknown }) => [
    rule,
    nameOf(customerId),
    String(campaigns),
    String(fired),
    String(unknown),
  ]);
  const table = rows.length === 0 ? [] : [textTable(columns, rows, width)];
  return [...table, ...notEvaluatedLines(rules, nameOf, width)].join('\n');
}

/** Accounts that a rule leaves alone for the same reason share a line. */
function notEvaluatedLines(rules: readonly RuleResult[], nameOf: NameOf, width: number): string[] {
  const groups = new Map<string, string[]>();
  for (const { rule, customerId, notEvaluated } of rules) {
    if (notEvaluated === undefined) continue;
    const key = `${rule} not evaluated (${notEvaluated})`;
    groups.set(key, [...(groups.get(key) ?? []), nameOf(customerId)]);
  }
  return [...groups].map(([key, accounts]) => wrapText(`${key}: ${accounts.join(', ')}`, width, '', '  '));
}

const STATE_WORDS: Readonly<Record<DecisionResult['state'], string>> = {
  proposed: 'PROPOSED',
  refused: 'REFUSED',
  applied: 'CHANGED',
  confirmed: 'CONFIRMED',
  rejected: 'REJECTED',
  unknown: 'UNKNOWN',
  superseded: 'GIVEN UP',
  expired: 'EXPIRED',
  postponed: 'POSTPONED',
};

/** A decision has a reason that must be read whole, so it is a paragraph and not a table's row. */
function decisionBlocks(decisions: readonly DecisionResult[], nameOf: NameOf, layout: TextLayout): string {
  const { width, bold } = layout;
  return decisions
    .map((decision) => {
      const { state, campaignName: name, campaignId, customerId, rule, reason, detail } = decision;
      const campaign = oneLine(name ?? `campaign ${campaignId}`);
      const head = `${STATE_WORDS[state]}  ${campaign}${amounts(decision)}`;
      const lines = [
        bold(wrapText(head, width, '  ', '    ')),
        wrapText(`${withId(customerId, nameOf)}, rule ${rule}`, width, '    ', '    '),
        wrapText(oneLine(reason), width, '    ', '    '),
        ...(detail === undefined ? [] : [wrapText(oneLine(detail), width, '    ', '    ')]),
      ];
      return lines.join('\n');
    })
    .join('\n');
}

function amounts({ from, to, currency }: DecisionResult): string {
  return from === undefined || to === undefined
    ? ''
    : `: ${formatMoney(from, undefined)} to ${formatMoney(to, currency)}`;
}

function messageLines(messages: readonly MessageResult[], { width }: TextLayout): string {
  const words = { accepted: 'sent to', pending: 'waits for', failed: 'refused for', unknown: 'may have reached' };
  return messages
    .map(({ recipient, state, firstLine }) =>
      wrapText(`${words[state]} ${recipient}: ${oneLine(firstLine)}`, width, '  ', '    '),
    )
    .join('\n');
}

function bullets(lines: readonly string[], { width }: TextLayout): string {
  return lines.map((line) => wrapText(oneLine(line), width, '  ', '    ')).join('\n');
}

/** Names come from outside: a line break or a control character must not redraw the terminal. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '·');
}

function lastLines(result: ReportResult, { width }: TextLayout): string {
  const { operations } = result.run;
  const cost = `The advertising interface was asked ${operations === 1 ? 'once' : `${operations} times`}: so many operations of its daily quota.`;
  return [...(operations === 0 ? [] : [cost]), lastLine(result)]
    .map((line) => wrapText(line, width, '', ''))
    .join('\n');
}

function lastLine({ run, failures, decisions, settled, messages, slices }: ReportResult): string {
  const changed = [...decisions, ...settled].filter(changedBudget).length;
  const sent = messages.filter(({ state }) => state === 'accepted').length;
  const rows = slices.reduce((sum, slice) => sum + slice.rows, 0n).toLocaleString('en-US');
  const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;
  const parts = [
    `${rows} rows read`,
    count(changed, 'budget changed', 'budgets changed'),
    count(sent, 'alert sent', 'alerts sent'),
  ];
  const end = failures.length === 0 ? 'Done' : `Done with ${count(failures.length, 'failure', 'failures')}`;
  return `${end}: ${parts.join(', ')}.${run.exitCode === 0 ? '' : ' See "Failed" above.'}`;
}
