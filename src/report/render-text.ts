import { formatMoney } from '../domain/micros.ts';
import { changedBudget } from './describe-results.ts';
import { leftOutLines, readTable, unreadTable } from './render-read.ts';
import { rulesTable } from './render-rules.ts';
import { totalTables } from './render-totals.ts';
import type { DecisionResult, MessageResult, ReportResult } from './report-result.ts';
import { count, type NameOf, oneLine, type TextLayout, withId } from './text-layout.ts';
import { wrapText } from './wrap-text.ts';

/** The report for a person at a terminal. */
export function renderReportText(result: ReportResult, layout: TextLayout): string {
  const names = new Map(result.accounts.map(({ customerId, name }) => [customerId, name ?? customerId]));
  const nameOf: NameOf = (id) => oneLine(names.get(id) ?? id);
  const blocks = [
    heading(result),
    section('What was read', readTable(result.slices, nameOf, layout), layout),
    section('What was not read', unreadTable(result.slices, nameOf, layout), layout),
    ...totalTables(result.totals, nameOf, layout).map(({ title, table }) => section(title, table, layout)),
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
  const mode = run.command === 'extract' ? '' : ` · mode ${run.mode}`;
  const dry = run.dryRun ? ', dry run' : '';
  return `pacekeeper ${run.command} · run ${run.id} · ${run.target}${mode}${dry}\n${run.startedAt}`;
}

function section(title: string, body: string, layout: TextLayout): string {
  return body === '' ? '' : `${layout.bold(title)}\n${body}`;
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

function lastLines(result: ReportResult, { width }: TextLayout): string {
  const { operations } = result.run;
  const cost = `${count(operations, 'operation')} of the advertising interface's daily quota used.`;
  const lines = [...(operations === 0 ? [] : [cost]), lastLine(result)];
  return lines.map((line) => wrapText(line, width, '', '')).join('\n');
}

function lastLine({ run, failures, decisions, settled, messages, slices }: ReportResult): string {
  const changed = [...decisions, ...settled].filter(changedBudget).length;
  const sent = messages.filter(({ state }) => state === 'accepted').length;
  const rows = slices.reduce((sum, slice) => sum + slice.rows, 0n).toLocaleString('en-US');
  const actions = [count(changed, 'budget changed', 'budgets changed'), count(sent, 'alert sent', 'alerts sent')];
  const parts = [`${rows} rows read`, ...(run.command === 'extract' ? [] : actions)];
  const end = failures.length === 0 ? 'Done' : `Done with ${count(failures.length, 'failure')}`;
  return `${end}: ${parts.join(', ')}.${run.exitCode === 0 ? '' : ' See "Failed" above.'}`;
}
