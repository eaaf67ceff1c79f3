import { isRefused, isWaiting } from '../../domain/decision-facts.ts';
import { listed } from '../../domain/wording.ts';
import type { EvaluationResult, RuleAlert } from '../../language/results/report-result.ts';
import { accountNames, CUSTOMER, RULE } from '../../storage/columns/budget-columns.ts';
import { type Column, isFor, list, text } from '../../storage/columns/column.ts';
import { DECISION_COLUMNS } from '../../views/decision-columns.ts';
import { type Listing, memberPart, part } from '../../views/kit/listing.ts';
import {
  ACCOUNTS,
  FAILED,
  headOf,
  membersOf,
  NOT_EVALUATED,
  NOTES,
  RULES,
  RULES_SAID,
} from '../../views/rule-parts.ts';
import { count as counted, NOTHING_READ } from '../../views/text/text-layout.ts';

interface ShownAlert extends RuleAlert {
  readonly accountName?: string | undefined;
  readonly line?: string;
}

const ALERT_COLUMNS: readonly Column<ShownAlert>[] = [
  RULE,
  CUSTOMER,
  text('severity', 'The severity of an alert: info, warning or critical.', 'severity', { title: 'Severity' }),
  list('lines', 'The text of the alert, one line per subject.', 'lines', { only: ['json'] }),
  text('text', 'The text of the alert.', 'line', { title: 'Text', long: true, only: ['people', 'rows'] }),
];

export const RULES_EVALUATE: Listing<EvaluationResult> = {
  name: 'rules evaluate',
  about: '`row` is `decision`, or `alert` for an alert that people would receive.',
  order: DECISION_COLUMNS.filter((column) => isFor(column, 'rows')).map(({ key }) => key),
  frozen: ({ frozen }) => frozen,
  before: (result) => [...headOf('rules evaluate', result), conclusion(result)],
  json: (result) => ({ mode: result.mode, ...membersOf(result) }),
  parts: [
    ACCOUNTS,
    RULES,
    RULES_SAID,
    NOT_EVALUATED,
    part({
      json: 'decisions',
      row: 'decision',
      title: 'Budgets',
      columns: DECISION_COLUMNS,
      rows: ({ decisions, accounts }) => decisions.map(accountNames(accounts)),
    }),
    memberPart('alerts', { row: 'alert', only: ['json'], title: 'Alerts', columns: ALERT_COLUMNS }),
    part({
      row: 'alert',
      only: ['people', 'rows'],
      title: 'Alerts',
      columns: ALERT_COLUMNS,
      rows: ({ alerts, accounts }) =>
        alerts.map(accountNames(accounts)).flatMap((alert) => alert.lines.map((line) => ({ ...alert, line }))),
    }),
    NOTES,
    FAILED,
  ],
};

function conclusion({ decisions, alerts, unread }: EvaluationResult): string {
  if (unread) return NOTHING_READ;
  const proposed = (wanted: string) =>
    decisions.filter(({ kind, mode }) => kind === 'would_change' && mode === wanted).length;
  const held = decisions.filter(isRefused).length;
  const waiting = decisions.filter(isWaiting).length;
  const sent = alerts.reduce((sum, { lines }) => sum + lines.length, 0);
  const parts = [
    `make ${counted(proposed('apply'), 'change')}`,
    ...(proposed('approve') === 0 ? [] : [`ask for approval of ${counted(proposed('approve'), 'change')}`]),
    ...(proposed('propose') === 0 ? [] : [`suggest ${counted(proposed('propose'), 'change')}`]),
    ...(waiting === 0 ? [] : [`leave ${counted(waiting, 'request')} awaiting approval`]),
    ...(held === 0 ? [] : [`refuse ${counted(held, 'change')}`]),
    `send ${counted(sent, 'alert')}`,
  ];
  return `Nothing was changed or sent. A report would ${listed(parts)}.`;
}
