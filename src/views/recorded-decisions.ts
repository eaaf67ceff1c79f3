import { pathOf } from '../page/status/pages.ts';
import { detailWords, referenceOf, stateWordOf, subjectWords } from '../report/decision-facts.ts';
import type { RecordedDecision } from '../store/decision-table.ts';
import { CUSTOMER, FROM, REASON, RULE, TO } from './budget-columns.ts';
import { type Column, filled, state, text } from './column.ts';

/** Of a decision on record, for people. */
export const RECORDED_DECISION_COLUMNS: readonly Column<RecordedDecision>[] = [
  text('subject', 'Whose budget it is.', subjectWords, {
    title: 'Budget',
    // A budget has a page once something of it was changed or asked.
    link: ({ kind, customerId, budgetId }) =>
      (kind === 'change' || kind === 'proposal') && budgetId !== undefined
        ? pathOf('budget', { customer: customerId, budget: budgetId })
        : undefined,
  }),
  CUSTOMER,
  text('reference', 'The change that was made, or the code of the proposal.', referenceOf, { title: 'Decision' }),
  state('state', 'What became of it.', ({ kind }) => kind, { title: 'State', word: stateWordOf }),
  filled(FROM, ({ fromMicros }) => fromMicros),
  filled(TO, ({ toMicros }) => toMicros),
  filled(RULE, ({ rule }) => rule),
  text('code', 'The code of what stopped it.', ({ code }) => code, { title: 'Code' }),
  text('detail', 'What stopped it, or what the service said.', detailWords, { title: 'Outcome', long: true }),
  REASON,
];
