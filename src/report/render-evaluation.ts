import { frozenLines, modeWords } from '../domain/frozen.ts';
import { decisionBlocks } from './render-decisions.ts';
import { accountJson, decisionJson, ruleJson } from './render-json.ts';
import { rulesTable } from './render-rules.ts';
import type { EvaluationResult, RuleAlert } from './rules-result.ts';
import { bullets, frozenBlock, NOTHING_READ, namesOf, section } from './sections.ts';
import { count, listed, type NameOf, type TextLayout } from './text-layout.ts';
import { toJson } from './to-json.ts';
import { wrapText } from './wrap-text.ts';

/** What the rules would do now, for a person at a terminal. */
export function renderEvaluation(result: EvaluationResult, layout: TextLayout): string {
  const nameOf = namesOf(result.accounts);
  const blocks = [
    frozenBlock(result.frozen, layout),
    `${wrapText(`pacekeeper rules evaluate · ${result.target} · mode ${modeWords(result.mode, result.frozen)}`, layout.width, '', '  ')}\n${result.evaluatedAt}`,
    section('What the rules say', result.unread ? '' : rulesTable(result.rules, nameOf, layout), layout),
    section('Budgets', decisionBlocks(result.decisions, nameOf, layout), layout),
    section('Alerts', alertLines(result.alerts, nameOf, layout), layout),
    section('Notes', bullets(result.notes, layout), layout),
    section('Failed', bullets(result.failures, layout), layout),
    wrapText(lastLine(result), layout.width, '', ''),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

export function renderEvaluationJson(result: EvaluationResult): string {
  return toJson({
    target: result.target,
    mode: result.mode,
    evaluated_at: result.evaluatedAt,
    notes: [...frozenLines(result.frozen), ...result.notes],
    accounts: result.accounts.map(accountJson),
    rules: result.rules.map(ruleJson),
    decisions: result.decisions.map(decisionJson),
    alerts: result.alerts.map(({ rule, customerId, severity, lines }) => ({
      rule,
      customer_id: customerId,
      severity,
      lines,
    })),
    failures: result.failures,
  });
}

function alertLines(alerts: readonly RuleAlert[], nameOf: NameOf, layout: TextLayout): string {
  const lines = alerts.flatMap(({ severity, customerId, lines: texts }) =>
    texts.map((text) => `${severity.toUpperCase()}  ${nameOf(customerId)}: ${text}`),
  );
  return bullets(lines, layout);
}

function lastLine({ decisions, alerts, unread }: EvaluationResult): string {
  if (unread) return NOTHING_READ;
  const changes = decisions.filter(({ state, mode }) => state === 'proposed' && mode === 'apply').length;
  const asked = decisions.filter(({ state, mode }) => state === 'proposed' && mode === 'approve').length;
  const suggested = decisions.filter(({ state, mode }) => state === 'proposed' && mode === 'propose').length;
  const held = decisions.filter(({ state }) => state === 'refused').length;
  const told = alerts.reduce((sum, { lines }) => sum + lines.length, 0);
  const parts = [
    `make ${count(changes, 'change')}`,
    ...(asked === 0 ? [] : [`ask a person about ${count(asked, 'change')}`]),
    ...(suggested === 0 ? [] : [`suggest ${count(suggested, 'change')}`]),
    ...(held === 0 ? [] : [`hold back ${held.toLocaleString('en-US')}`]),
    `send ${count(told, 'alert')}`,
  ];
  return `Nothing was changed or sent. A report would ${listed(parts)}.`;
}

/** What would be changed, and after it what would be told, a row each. */
export function evaluationRows({ decisions, alerts }: EvaluationResult): object[] {
  return [
    ...decisions.map((decision) => ({ row: 'decision', ...decisionJson(decision) })),
    ...alerts.flatMap(({ rule, customerId, severity, lines }) =>
      lines.map((text) => ({ row: 'alert', rule, customer_id: customerId, severity, text })),
    ),
  ];
}
