import { modeWords } from '../domain/frozen.ts';
import { isMade } from '../domain/made-change.ts';
import { decisionBlocks } from './render-decisions.ts';
import { leftOutLines, readTable, unreadTable } from './render-read.ts';
import { rulesTable } from './render-rules.ts';
import { totalTables } from './render-totals.ts';
import type { DecisionResult, MessageResult, ReportResult } from './report-result.ts';
import { bullets, frozenBlock, namesOf, section } from './sections.ts';
import { awaiting } from './state-words.ts';
import { count, type NameOf, oneLine, type TextLayout } from './text-layout.ts';
import { wrapText } from './wrap-text.ts';

/** The report for a person at a terminal. */
export function renderReportText(result: ReportResult, layout: TextLayout): string {
  const nameOf = namesOf(result.accounts);
  const blocks = [
    frozenBlock(result.frozen, layout),
    heading(result, layout),
    section('What was read', readTable(result.slices, nameOf, layout), layout),
    section('What was not read', unreadTable(result.slices, nameOf, layout), layout),
    ...totalTables(result.totals, nameOf, layout).map(({ title, table }) => section(title, table, layout)),
    section('What the rules said', rulesTable(result.rules, nameOf, layout), layout),
    section('Changes that earlier runs left open', decisionBlocks(result.settled, nameOf, layout), layout),
    section('Budgets', budgetBlocks(result, nameOf, layout), layout),
    section('Alerts', messageLines(result.messages, layout), layout),
    section('Accounts left out', bullets(leftOutLines(result.accounts, nameOf), layout), layout),
    section('Notes', bullets(result.notes, layout), layout),
    section('Failed', bullets(result.failures, layout), layout),
    lastLines(result, layout),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function heading({ run, frozen }: ReportResult, { width }: TextLayout): string {
  const mode = run.command === 'extract' ? '' : ` · mode ${modeWords(run.mode, frozen)}`;
  const dry = run.dryRun ? ', dry run' : '';
  const what = `pacekeeper ${run.command} · run ${run.id} · ${run.target}${mode}${dry}`;
  return `${wrapText(what, width, '', '  ')}\n${run.startedAt}`;
}

/** A line for each message, with what became of it. */
export function messageLines(messages: readonly MessageResult[], { width }: TextLayout): string {
  const words = { accepted: 'sent to', pending: 'waits for', failed: 'refused for', unknown: 'may have reached' };
  return messages
    .map(({ recipient, state, firstLine, alerts, instead }) => {
      const more = alerts > 1 ? ` · and ${count(alerts - 1, 'more alert')}` : '';
      const other = instead === undefined ? '' : `, told by ${instead} instead`;
      return wrapText(`${words[state]} ${recipient}${other}: ${oneLine(firstLine)}${more}`, width, '  ', '    ');
    })
    .join('\n');
}

function lastLines(result: ReportResult, { width }: TextLayout): string {
  const { operations } = result.run;
  const cost = `${count(operations, 'operation')} of the advertising interface's daily quota used.`;
  const lines = [...(operations === 0 ? [] : [cost]), lastLine(result)];
  return lines.map((line) => wrapText(line, width, '', '')).join('\n');
}

function lastLine({ run, failures, decisions, settled, messages, slices }: ReportResult): string {
  const changed = [...decisions, ...settled].filter(isMade).length;
  const rows = slices.reduce((sum, slice) => sum + slice.rows, 0n).toLocaleString('en-US');
  const actions = [count(changed, 'budget changed', 'budgets changed'), sentWords(messages)];
  const parts = [`${rows} rows read`, ...(run.command === 'extract' ? [] : actions), ...undone(decisions)];
  const end = failures.length === 0 ? 'Done' : `Done with ${count(failures.length, 'failure')}`;
  return `${end}: ${parts.join(', ')}.${run.exitCode === 0 ? '' : ' See "Failed" above.'}`;
}

/** "30 alerts sent in 1 message (25 as a number only)". */
export function sentWords(messages: readonly MessageResult[]): string {
  const accepted = messages.filter(({ state }) => state === 'accepted');
  const alerts = accepted.reduce((sum, one) => sum + one.alerts, 0);
  const bundled = alerts === accepted.length ? '' : ` in ${count(accepted.length, 'message')}`;
  const counted = accepted.reduce((sum, one) => sum + one.counted, 0);
  const numbers = counted === 0 ? '' : ` (${counted.toLocaleString('en-US')} as a number only)`;
  return `${count(alerts, 'alert')} sent${bundled}${numbers}`;
}

/** What became of the wishes, and the next step where all that is asked of a report is to show them. */
function budgetBlocks(result: ReportResult, nameOf: NameOf, layout: TextLayout): string {
  const blocks = decisionBlocks(notTwice(result), nameOf, layout);
  const shown = result.decisions.some(({ state, mode }) => state === 'proposed' && mode === 'propose');
  if (!shown) return blocks;
  const whose = result.run.mode === 'propose' ? 'automation.mode is propose' : "the rule's own mode is propose";
  return `${blocks}\n${wrapText(`Suggested only: ${whose} (docs/go-live.md).`, layout.width, '  ', '  ')}`;
}

/** What is not done and could be: by a report that is no dry run, and by a person. */
function undone(decisions: readonly DecisionResult[]): string[] {
  const would = decisions.filter((one) => one.state === 'proposed' && one.mode === 'apply').length;
  const waits = decisions.filter((one) => one.proposal !== undefined || one.code === 'WAITS_FOR_APPROVAL').length;
  return [
    ...(would === 0 ? [] : [`${count(would, 'budget')} would change`]),
    ...(waits === 0 ? [] : [awaiting(waits)]),
  ];
}

/** What a person asked for and was not done is told as a failure, with its reason: the decision need not say it again. */
function notTwice({ decisions }: ReportResult): readonly DecisionResult[] {
  return decisions.map((decision) => (decision.isToldAsFailure ? { ...decision, detail: undefined } : decision));
}
