import type { DecisionFacts } from '../../domain/decision-facts.ts';
import { formatMoney, formatMoneyChange, sumOfKnown } from '../../domain/micros.ts';
import { sumOfArriving } from '../../domain/still-arriving.ts';
import { grouped } from '../../domain/wording.ts';
import type { AccountMonth } from '../../language/results/account-month.ts';
import type { ReportResult } from '../../language/results/report-result.ts';
import type { RunTarget } from '../../storage/records/runs/run-result-table.ts';
import { sheetOf } from '../kit/sheet.ts';
import { terminalTable } from '../kit/terminal.ts';
import { runTargets } from '../pacing.ts';
import { count, cutLine, type NameOf, namesOf, oneLine, type TextLayout, wrapText } from '../text/text-layout.ts';
import { arrivingWords } from './arriving-words.ts';
import {
  endState,
  endWord,
  fullSubject,
  personWords,
  referenceOf,
  suggestionWords,
  wasMade,
} from './decision-words.ts';
import { MONTH_COLUMNS } from './month-columns.ts';
import { countAccounts, headBlocks, listBlock, monthsOfRun } from './render-head.ts';
import { changeOfBudgets, sharedTargets } from './shared-targets.ts';

const NEEDS_MAX = 5;
const CHANGES_MAX = 3;
const GROUPS_MAX = 3;
const ACCOUNTS_MAX = 5;
const NOTES_MAX = 3;

/** At most 24 lines for a day without problems, for any number of accounts. */
export function renderReportSummary(result: ReportResult, layout: TextLayout): string {
  const nameOf = namesOf(result.accounts);
  const decided = [...result.settled, ...result.decisions];
  const months = monthsOfRun(result);
  const blocks = [
    ...headBlocks(result, layout, NEEDS_MAX),
    noteLines(result, layout),
    listBlock('Changed', 'budget', decided.filter(wasMade), CHANGES_MAX, layout, (one) => changeLines(one, layout)),
    suggestedBlock(result.run.mode, decided, nameOf, layout, sharedTargets(runTargets(result))),
    accountsBlock(months, countAccounts(result), layout),
    endLines(result, decided, layout),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function noteLines({ notes }: ReportResult, { width }: TextLayout): string {
  const rest = notes.length - NOTES_MAX;
  const lines = notes.slice(0, NOTES_MAX).map((note) => wrapText(`Note: ${oneLine(note)}`, width, '', '  '));
  return [...lines, ...(rest > 0 ? [`${count(rest, 'more note')}. --verbose shows all.`] : [])].join('\n');
}

function shortReason(reason: string): string {
  return reason.split(/; |, \d{4}-\d{2}-\d{2}\b/, 1)[0] ?? reason;
}

function changeLines(decision: DecisionFacts, { width, bold }: TextLayout): string[] {
  const { from, to, currency, intent, rule, reason } = decision;
  const amounts = from === undefined || to === undefined ? '' : `: ${formatMoneyChange(from, to, currency)}`;
  const why = `${oneLine(personWords(decision) ?? rule)}: ${shortReason(oneLine(reason))}`;
  return [
    bold(wrapText(`B${intent?.id}  ${oneLine(fullSubject(decision))}${amounts}`, width, '  ', '    ')),
    cutLine(why, width, '    '),
  ];
}

function suggestedBlock(
  runMode: string,
  decided: readonly DecisionFacts[],
  nameOf: NameOf,
  layout: TextLayout,
  shared: readonly RunTarget[],
): string {
  const open = decided.filter(({ kind }) => kind === 'would_change');
  const isShared = (rule: string) => shared.some((one) => one.rule === rule);
  const groups = grouped(open, (one) => `${one.rule}\n${isShared(one.rule) ? '' : one.currency}\n${endWord(one)[0]}`);
  const block = listBlock('Suggested', 'group', groups, GROUPS_MAX, layout, (own) => [
    wrapText(groupWords(own, nameOf, shared), layout.width, '  ', '    '),
  ]);
  if (!open.some(({ mode }) => mode === 'propose')) return block;
  return `${block}\n${wrapText(suggestionWords(runMode), layout.width, '  ', '  ')}`;
}

const ENDED_UNSENT: readonly string[] = ['refused', 'expired', 'superseded'];

function undoneLine({ rules, accounts }: ReportResult, decided: readonly DecisionFacts[]): string[] {
  const unmade = decided.filter((one) => ENDED_UNSENT.includes(endState(one)));
  const codes = Map.groupBy(unmade, (one) => one.code ?? endWord(one)[0]);
  const counts = [...codes].map(([code, own]) => `${code} ${own.length}×`);
  const blind = new Set(
    rules.filter((one) => one.notEvaluated !== undefined && !one.isOfOtherCurrency).map(({ rule }) => rule),
  );
  const leftOut = accounts.filter((one) => one.leftOut !== undefined).length;
  const parts = [
    ...(unmade.length === 0 ? [] : [`${count(unmade.length, 'change')} not made (${counts.join(', ')})`]),
    ...(blind.size === 0 ? [] : [`${count(blind.size, 'rule')} not evaluated for at least one account`]),
    ...(leftOut === 0 ? [] : [`${count(leftOut, 'account')} left out`]),
  ];
  return parts.length === 0 ? [] : [`${parts.join(', ')}. --verbose shows why.`];
}

/** Budgets of a target of several accounts may be in several currencies, so its own sums count. */
function groupWords(own: readonly DecisionFacts[], nameOf: NameOf, shared: readonly RunTarget[]): string {
  const [first] = own;
  const target = shared.find(({ rule }) => rule === first?.rule);
  const from = sumOfKnown(own.map((one) => one.from));
  const to = sumOfKnown(own.map((one) => one.to));
  const accounts = new Set(own.map(({ customerId }) => customerId));
  const whose = accounts.size === 1 && first ? nameOf(first.customerId) : count(accounts.size, 'account');
  const word = first === undefined || endWord(first)[0] === 'suggested' ? '' : ` ${endWord(first)[0]}`;
  const ofRule = from === undefined || to === undefined ? '' : `, ${effectWords(from, to, first?.currency)}`;
  const effect = target ? `, ${changeOfBudgets(target)}` : ofRule;
  return `${oneLine(first?.rule ?? '')}, ${whose}: ${count(own.length, 'budget')}${word}${effect}`;
}

function effectWords(from: bigint, to: bigint, currency: string | undefined): string {
  const change = to - from;
  const sign = change > 0n ? '+' : '−';
  const size = formatMoney(change < 0n ? -change : change, currency);
  return `${formatMoneyChange(from, to, currency)} a day (${sign}${size})`;
}

function accountsBlock(months: readonly AccountMonth[], accounts: number, layout: TextLayout): string {
  if (months.length === 0) return '';
  const shown = months.slice(0, ACCOUNTS_MAX);
  const rest = accounts - shown.length;
  const arriving = sumOfArriving(months.map((month) => month.arriving));
  const note = arriving && `\n${wrapText(arrivingWords(arriving), layout.width, '  ', '  ')}`;
  const table = `${terminalTable(sheetOf(MONTH_COLUMNS, shown, 'people'), layout)}${note ?? ''}`;
  return rest > 0 ? `${table}\n  and ${count(rest, 'more account')}. The report page shows more.` : table;
}

function endLines(result: ReportResult, decided: readonly DecisionFacts[], { width }: TextLayout): string {
  const [first] = decided.filter(wasMade).map((one) => referenceOf(one));
  const undo = `Undo: pacekeeper budgets undo ${first}. Full reason: pacekeeper budgets show ${first}.`;
  const lines = [...undoneLine(result, decided), ...(first === undefined ? [] : [undo])];
  return lines.map((line) => wrapText(line, width, '', '')).join('\n');
}
