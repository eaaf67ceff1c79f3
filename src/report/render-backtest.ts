import { type DateRange, daysBetween } from '../domain/civil-date.ts';
import { formatMoneyChange } from '../domain/micros.ts';
import { refusalWords } from '../rules/refusal-words.ts';
import type { AccountBacktest, BacktestResult } from './backtest-result.ts';
import { rowsText } from './render-backtest-rows.ts';
import { accountJson } from './render-json.ts';
import { ruleObject } from './render-rule-list.ts';
import { bullets, namesOf, section } from './sections.ts';
import { count, listed, type NameOf, oneLine, type TextLayout, withId } from './text-layout.ts';
import { toJson } from './to-json.ts';
import { wrapText } from './wrap-text.ts';

/** What nobody who reads a back-test may forget. */
export const HISTORY_DID_NOT_REACT =
  'The history did not react: costs and clicks are those of the budgets of then, whatever the rule would have set.';

const DAYS_SHOWN = 3;

/** What a rule would have done on past days, for a person at a terminal. */
export function renderBacktest(result: BacktestResult, layout: TextLayout): string {
  const { rule, days, target, trials, notes, failures } = result;
  const nameOf = namesOf(result.accounts);
  const heading = `back-test of ${rule.name}@${rule.version} · ${target} · ${days.from} to ${days.to}`;
  const rows = trials.flatMap(({ customerId, currency, rows: own }) =>
    own.map((row) => ({ customerId, currency, row })),
  );
  const blocks = [
    wrapText(heading, layout.width, '', '  '),
    wrapText(oneLine(rule.description), layout.width, '', ''),
    wrapText(HISTORY_DID_NOT_REACT, layout.width, '', ''),
    trials.map((trial) => accountBlock(trial, result, nameOf, layout)).join('\n\n'),
    section('What it would have done', rowsText(rows, trials.length > 1 ? nameOf : undefined, layout), layout),
    section('Notes', bullets(notes, layout), layout),
    section('Failed', bullets(failures, layout), layout),
    wrapText(lastLine(result), layout.width, '', ''),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function accountBlock(trial: AccountBacktest, { rule }: BacktestResult, nameOf: NameOf, layout: TextLayout): string {
  const { customerId, currency, sums, budgets } = trial;
  const [first, ...others] = sums.notEvaluated.map(
    ({ from, to, reason }) => `${from === to ? from : `${from} to ${to}`}: ${reason}`,
  );
  const shown = [first, ...others].slice(0, DAYS_SHOWN).flatMap((one) => one ?? []);
  const rest = dayCount(sums.notEvaluated.slice(shown.length));
  const { known, restated, not_on_record: later } = sums.data;
  const data = [
    ...(known === 0 ? [] : [`${count(known, 'day')} by the numbers as they were known then`]),
    ...(restated === 0 ? [] : [`${count(restated, 'day')} by numbers restated since, scaled back`]),
    ...(later === 0 ? [] : [`${count(later, 'day')} by today's numbers, as those of then are not all on record`]),
  ];
  const refused = [...sums.refused].map(([code, times]) => `${code} ${times.toLocaleString('en-US')}`);
  const changes =
    rule.change === undefined
      ? [`Began to be true ${timesText(sums.alerts ?? 0)}`]
      : [
          `${count(sums.changes, 'change')}${refused.length === 0 ? '' : `; refused: ${refused.join(', ')}`}`,
          `Budgets together: ${formatMoneyChange(budgets.begin, budgets.end, currency)} a day`,
        ];
  const lines = [
    `${count(sums.evaluated, 'day')} looked at${data.length === 0 ? '' : `: ${listed(data)}`}`,
    ...(first === undefined ? [] : [`${count(dayCount(sums.notEvaluated), 'day')} not evaluated. ${shown.join('. ')}`]),
    ...(rest > 0 ? [`… and ${count(rest, 'day')} more that ${rest === 1 ? 'was' : 'were'} not`] : []),
    `Fired ${times(sums.fired)} of ${sums.looked.toLocaleString('en-US')}, unknown ${times(sums.unknown)}`,
    ...changes,
  ];
  return section(withId(customerId, nameOf), bullets(lines, layout), layout);
}

const dayCount = (ranges: readonly DateRange[]): number =>
  ranges.reduce((sum, { from, to }) => sum + daysBetween(from, to) + 1, 0);

const times = (number: number): string => number.toLocaleString('en-US');

/** How often people are told of a rule's changes depends on more than the rule, so of such a rule the changes are said alone. */
function lastLine({ rule, trials }: BacktestResult): string {
  const sum = (of: (trial: AccountBacktest) => number) => trials.reduce((total, trial) => total + of(trial), 0);
  const did =
    rule.change === undefined
      ? `told people ${timesText(sum(({ sums }) => sums.alerts ?? 0))} that it began to be true`
      : `made ${count(
          sum(({ sums }) => sums.changes),
          'change',
        )}`;
  return `Nothing was changed or sent. Let loose, the rule would have ${did}.`;
}

const timesText = (number: number): string => count(number, 'time');

export function renderBacktestJson(result: BacktestResult): string {
  const { rule, target, days, evaluatedAt, trials, notes, failures } = result;
  return toJson({
    rule: ruleObject(rule),
    target,
    ...{ from: days.from, to: days.to, evaluated_at: evaluatedAt },
    note: HISTORY_DID_NOT_REACT,
    accounts: result.accounts.map(accountJson),
    results: trials.map(({ customerId, currency, sums, budgets }) => ({
      ...{ rule: rule.name, customer_id: customerId, currency },
      days: sums.evaluated + dayCount(sums.notEvaluated),
      evaluated: sums.evaluated,
      not_evaluated: sums.notEvaluated.map(({ from, to, reason }) => ({ from, to, reason })),
      as_known: sums.data.known,
      restated: sums.data.restated,
      not_on_record: sums.data.not_on_record,
      subjects: sums.looked,
      ...{ fired: sums.fired, unknown: sums.unknown, changes: sums.changes, alerts: sums.alerts },
      refused: Object.fromEntries(sums.refused),
      ...{ budgets_begin_micros: budgets.begin, budgets_end_micros: budgets.end },
    })),
    rows: backtestRows(result),
    notes,
    failures,
  });
}

/** A row for each change, for each time an alert's condition began to be true, and for each refusal that was asked for. */
export function backtestRows({ rule, trials }: BacktestResult): object[] {
  return trials.flatMap(({ customerId, currency, rows }) =>
    rows.map(({ kind, day, subject, ...row }) => ({
      ...{ row: kind, date: day, rule: rule.name, customer_id: customerId },
      ...{ campaign_id: subject.campaignId, campaign_name: subject.campaignName, subject: subject.label },
      budget_id: 'budgetId' in row ? row.budgetId : subject.budgetId,
      currency,
      ...('from' in row && { from_micros: row.from, to_micros: row.to, limited_by: row.limitedBy }),
      ...('refusal' in row && { code: row.refusal.code, detail: refusalWords(row.refusal) }),
      ...('reason' in row && { reason: row.reason }),
      ...('text' in row && { text: row.text }),
    })),
  );
}
