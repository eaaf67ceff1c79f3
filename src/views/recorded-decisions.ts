import { pathOf } from '../page/status/pages.ts';
import { detailWords, referenceOf, stateWordOf, subjectWords } from '../report/decision-facts.ts';
import type { RecordedDecision } from '../store/decision-table.ts';
import { CUSTOMER, REASON } from './budget-columns.ts';
import { type Column, money, state, text } from './column.ts';

/** Of a decision on record, for people. */
export const RECORDED_DECISION_COLUMNS: readonly Column<RecordedDecision>[] = [
  text('reference', 'The change that was made, or the code of the proposal.', referenceOf, { title: 'Decision' }),
  text('subject', 'Whose budget it is.', subjectWords, {
    title: 'Budget',
    link: ({ customerId, budgetId }) => budgetId && pathOf('budget', { customer: customerId, budget: budgetId }),
  }),
  CUSTOMER,
  state('state', 'What became of it.', ({ kind }) => kind, { title: 'State', word: stateWordOf }),
  money('from_micros', 'The daily budget before.', ({ fromMicros }) => fromMicros, { title: 'From' }),
  money('to_micros', 'The daily budget after.', ({ toMicros }) => toMicros, { title: 'To' }),
  text('rule', 'The rule that decided.', ({ rule }) => rule, { title: 'Rule' }),
  text('code', 'The code of what stopped it.', ({ code }) => code, { title: 'Code' }),
  text('detail', 'What stopped it, or what the service said.', detailWords, { title: 'Outcome', long: true }),
  REASON,
];
