import { MADE_STATES } from '../domain/budget-change.ts';
import { UNITS } from '../gaql/catalogue/units.ts';
import {
  ACCOUNT_DAY,
  ACTOR,
  AMOUNTS,
  BECAME,
  BUDGET,
  BUDGET_COLUMNS,
  CAME_IN_THE_WAY,
  CAMPAIGN,
  CAMPAIGN_NAME,
  CHANGE,
  CHANGE_STATE,
  CODE,
  CREATED_AT,
  CURRENCY,
  CUSTOMER,
  DECIDED_AT,
  DECIDED_BY,
  EVENT,
  EVENT_COLUMNS,
  EXPECTED,
  EXPIRES_AT,
  FOUND,
  KIND,
  OUTCOME,
  PROPOSAL_CODE,
  PROPOSAL_STATE,
  REASON,
  RULE_COLUMNS,
  SEEN_AT,
  SEEN_DAY,
  UNDOES,
  UPDATED_AT,
} from './budget-columns.ts';
import { bySql, flag, id, instant, json, money, text } from './kit/column.ts';
import type { PublishedView } from './kit/published-view.ts';

const RUN = id('run_id', 'The run; NULL where a person acted outside of one.');
const DECLARED = money('declared_micros', 'What the settings declared for the budget.');
const LIMITS = [
  text('amount_source', 'Whether the daily budget before was read or is declared in the settings.'),
  DECLARED,
  money('floor_micros', "The rule's floor."),
  money('ceiling_micros', "The rule's ceiling."),
];

const BUDGET_CHANGE: PublishedView = {
  name: 'budget_change',
  description: 'One row per budget change that was made, with its reason.',
  columns: [
    CHANGE,
    RUN,
    ...BUDGET_COLUMNS,
    ...AMOUNTS,
    ...RULE_COLUMNS,
    REASON,
    ACTOR,
    KIND,
    { ...CHANGE_STATE, meaning: 'applied (the service said so) or confirmed (read back later).' },
    bySql(instant('decided_at', 'When the change was decided.'), CREATED_AT.key),
    bySql(instant('changed_at', 'When the service had it.'), UPDATED_AT.key),
  ],
  key: ['id'],
  from: `FROM state.budget_intent WHERE state IN (${MADE_STATES.map((state) => `'${state}'`).join(', ')}) ORDER BY id`,
};

const BUDGET_INTENT: PublishedView = {
  name: 'budget_intent',
  description: 'One row per budget change that was decided, whatever became of it.',
  columns: [
    CHANGE,
    RUN,
    KIND,
    UNDOES,
    ...BUDGET_COLUMNS,
    ...RULE_COLUMNS,
    ACTOR,
    ...AMOUNTS,
    ...LIMITS,
    CHANGE_STATE,
    CODE,
    REASON,
    OUTCOME,
    CREATED_AT,
    UPDATED_AT,
  ],
  key: ['id'],
};

const BUDGET_PROPOSAL: PublishedView = {
  name: 'budget_proposal',
  description: 'One row per budget change for which a rule asked approval: awaiting it, approved, rejected or over.',
  columns: [
    PROPOSAL_CODE,
    RUN,
    ...BUDGET_COLUMNS,
    ...RULE_COLUMNS,
    ...AMOUNTS,
    ...LIMITS,
    PROPOSAL_STATE,
    REASON,
    BECAME,
    DECIDED_BY,
    DECIDED_AT,
    { ...CREATED_AT, meaning: 'When it was made.' },
    EXPIRES_AT,
  ],
  key: ['code'],
};

const FOREIGN_CHANGE: PublishedView = {
  name: 'foreign_change',
  description: 'One row per change of a budget that someone else made.',
  columns: [
    id('id', 'The number of the row.'),
    EVENT,
    CUSTOMER,
    BUDGET,
    SEEN_DAY,
    EXPECTED,
    FOUND,
    DECLARED,
    CAME_IN_THE_WAY,
    SEEN_AT,
  ],
  key: ['id'],
};

const DECISION: PublishedView = {
  name: 'decision',
  description:
    'One row per decision about a budget: changed, proposed to a person, refused, or only shown. NULL is what was not recorded.',
  columns: [
    EVENT,
    text(
      'kind',
      'change, proposal (a person was asked), refusal, or would_change (only shown: mode propose, or a dry run).',
    ),
    text(
      'origin',
      'Who let it be made: rule, approval by a person, or undo by a person. For what was not made always rule.',
    ),
    flag('dry_run', 'Whether it was decided in a run that was to change and send nothing.'),
    { ...RUN, meaning: 'The first run that came to it; NULL where a person acted outside of one.' },
    CUSTOMER,
    { ...BUDGET, meaning: 'The budget; NULL for a refusal where it is not known.' },
    CAMPAIGN,
    CAMPAIGN_NAME,
    text('subject_kind', 'Whose numbers decided: account, budget or campaign; NULL where it was not recorded.'),
    text('subject', 'Its name for people; NULL where it was not recorded.'),
    ACCOUNT_DAY,
    ...RULE_COLUMNS,
    text('mode', 'Of what would be changed: how far it might go by itself (propose, approve, apply).'),
    text('code', 'Of a refusal: what stopped it.'),
    CURRENCY,
    ...AMOUNTS,
    json(
      'numbers',
      'The numbers that decided and their days, as JSON; amounts in micros. NULL where they were not recorded.',
    ),
    json('facts', 'Of a refusal: the facts of its code, as JSON; amounts in micros.'),
    REASON,
    id('intent_id', 'Of a change: its number.'),
    text('proposal_code', 'The code of the proposal that it is, or came of.'),
    instant('decided_at', 'When it was decided.'),
  ],
  key: ['event_id'],
  grows: true,
};

const BUDGET_EVENT: PublishedView = {
  name: 'budget_event',
  description: 'One row per thing that happened to a budget change, in a chain that shows whether any was altered.',
  columns: EVENT_COLUMNS.map((column) =>
    // No DATETIME: the hashes cover the exact bytes of the state file.
    column.kind === 'instant' ? { ...column, kind: 'text', unit: UNITS.instant } : column,
  ),
  key: ['id'],
  grows: true,
};

export const PUBLISHED_BUDGETS: readonly PublishedView[] = [
  BUDGET_CHANGE,
  BUDGET_INTENT,
  BUDGET_PROPOSAL,
  FOREIGN_CHANGE,
  DECISION,
  BUDGET_EVENT,
];
