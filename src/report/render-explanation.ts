import { frozenLines, modeWords } from '../domain/frozen.ts';
import { decisionLine } from './render-decisions.ts';
import { accountJson, decisionJson, ruleJson } from './render-json.ts';
import { ruleObject } from './render-rule-list.ts';
import { rulesTable } from './render-rules.ts';
import type { ExplainedSubject, ExplanationResult } from './rules-result.ts';
import { bullets, frozenBlock, NOTHING_READ, namesOf, section } from './sections.ts';
import { LINES_MAX, type NameOf, oneLine, type TextLayout, withId } from './text-layout.ts';
import { toJson } from './to-json.ts';
import { wrapText } from './wrap-text.ts';

const WORDS: Readonly<Record<ExplainedSubject['truth'], string>> = {
  true: 'FIRES',
  false: 'DOES NOT FIRE',
  unknown: 'UNKNOWN',
};

/** One rule with the numbers it decides on, for a person at a terminal: what fires first, then what is not known. */
export function renderExplanation(result: ExplanationResult, layout: TextLayout): string {
  const nameOf = namesOf(result.accounts);
  const { rule } = result;
  const order = ['true', 'unknown', 'false'];
  const sorted = result.subjects.toSorted((a, b) => order.indexOf(a.truth) - order.indexOf(b.truth));
  // What fires is shown whole; of the others a few say enough.
  const shown = sorted.filter(({ truth }, index) => truth === 'true' || index < LINES_MAX);
  const rest = sorted.length - shown.length;
  const more = rest > 0 ? [`${rest.toLocaleString('en-US')} more: name a campaign with --campaign ID.`] : [];
  const mode = rule.change === undefined ? 'alerts only' : `mode ${modeWords(rule.effectiveMode, result.frozen)}`;
  const heading = `rule ${rule.name}@${rule.version} · ${result.target} · ${mode}`;
  const blocks = [
    frozenBlock(result.frozen, layout),
    `${wrapText(heading, layout.width, '', '  ')}\n${result.evaluatedAt}`,
    wrapText(oneLine(rule.description), layout.width, '', ''),
    result.unread ? NOTHING_READ : rulesTable(result.results, nameOf, layout),
    shown.map((subject) => subjectBlock(subject, nameOf, layout)).join('\n'),
    bullets(more, layout),
    section('Notes', result.unread ? '' : bullets(result.notes, layout), layout),
    section('Failed', bullets(result.failures, layout), layout),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function subjectBlock(subject: ExplainedSubject, nameOf: NameOf, layout: TextLayout): string {
  const { width, bold } = layout;
  const { truth, customerId, explanation, alert, decisions } = subject;
  // An account may have many budgets, and nobody knows them by their numbers.
  const isOfSeveral = subject.campaignId === undefined && subject.budgetId === undefined;
  const lines = [
    bold(wrapText(`${WORDS[truth]}  ${oneLine(subject.subject)}`, width, '  ', '    ')),
    wrapText(withId(customerId, nameOf), width, '    ', '    '),
    wrapText(oneLine(explanation), width, '    ', '    '),
    ...decidedBy(subject).map((line) => wrapText(oneLine(line), width, '    ', '    ')),
    ...(alert === undefined ? [] : [wrapText(`Alert: ${oneLine(alert)}`, width, '    ', '    ')]),
    ...decisions.map((decision) => wrapText(decisionLine(decision, isOfSeveral), width, '    ', '    ')),
  ];
  return lines.join('\n');
}

/** Where only some of the clauses made the condition what it is. */
function decidedBy({ clauses }: ExplainedSubject): string[] {
  const deciding = clauses.filter(({ decided }) => decided);
  if (deciding.length === 0 || deciding.length === clauses.length) return [];
  return [`Decided by: ${deciding.map(({ text, truth }) => `${text} is ${truth}`).join('; ')}`];
}

export function renderExplanationJson(result: ExplanationResult): string {
  return toJson({
    rule: ruleObject(result.rule),
    target: result.target,
    evaluated_at: result.evaluatedAt,
    accounts: result.accounts.map(accountJson),
    results: result.results.map(ruleJson),
    subjects: result.subjects.map((subject) => ({
      customer_id: subject.customerId,
      subject: subject.subject,
      campaign_id: subject.campaignId,
      budget_id: subject.budgetId,
      truth: subject.truth,
      explanation: subject.explanation,
      clauses: subject.clauses,
      alert: subject.alert,
      decisions: subject.decisions.map(decisionJson),
    })),
    notes: [...frozenLines(result.frozen), ...result.notes],
    failures: result.failures,
  });
}
