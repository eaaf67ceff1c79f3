import { MADE_STATES } from '../../domain/budget-change.ts';
import { UNITS } from '../../language/gaql/catalogue/units.ts';
import { DECIDING_PROPOSALS } from '../records/budgets/event-table.ts';
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
import { bySql, flag, id, instant, json, money, text } from './column.ts';
import type { PublishedView } from './published-view.ts';

const RUN = id('run_id', 'The run. NULL if a person acted outside a run.');
const DECLARED = money('declared_micros', 'The amount that the settings declare for the budget.');
/** For tables with the column `origin`. */
const RULE_UNLESS_UNDO = RULE_COLUMNS.map((column) =>
  bySql(column, `CASE WHEN origin <> 'undo' THEN ${column.sql ?? column.key} END`),
);
const LIMITS = [
  text('amount_source', 'The source of the daily budget before the change: read, or declared in the settings.'),
  DECLARED,
  money('floor_micros', 'The floor in the rule.'),
  money('ceiling_micros', 'The ceiling in the rule.'),
];

const BUDGET_CHANGE: PublishedView = {
  name: 'budget_change',
  description: 'One row per budget change that took effect, with its reason.',
  columns: [
    CHANGE,
    RUN,
    ...BUDGET_COLUMNS,
    ...AMOUNTS,
    ...RULE_UNLESS_UNDO,
    REASON,
    ACTOR,
    KIND,
    { ...CHANGE_STATE, meaning: 'applied (the service confirmed it) or confirmed (read back later).' },
    bySql(instant('decided_at', 'When the change was decided.'), CREATED_AT.key),
    bySql(instant('changed_at', 'When the service accepted it.'), UPDATED_AT.key),
    UNDOES,
  ],
  key: ['id'],
  from: ({ records }) =>
    `FROM ${records}.budget_intent WHERE state IN (${MADE_STATES.map((state) => `'${state}'`).join(', ')})`,
};

const BUDGET_INTENT: PublishedView = {
  name: 'budget_intent',
  description: 'One row per decided budget change, with any outcome.',
  columns: [
    CHANGE,
    RUN,
    KIND,
    UNDOES,
    ...BUDGET_COLUMNS,
    ...RULE_UNLESS_UNDO,
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
  description: 'One row per budget change that needs approval: awaiting approval, approved, rejected or expired.',
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
    { ...CREATED_AT, meaning: 'When it was proposed.' },
    EXPIRES_AT,
    text('decided_why', 'The reason given for the decision. NULL without a reason.'),
  ],
  key: ['code'],
  // Altered events must not prevent a publication.
  from: ({ records }) => `FROM ${records}.budget_proposal LEFT JOIN (
    SELECT detail ->> 'proposal_code' AS decided_code, max(nullif(detail ->> 'why', '')) AS decided_why
    FROM (SELECT CASE WHEN json_valid(detail) THEN detail END AS detail FROM ${records}.budget_event
      WHERE kind IN (${DECIDING_PROPOSALS.map((kind) => `'${kind}'`).join(', ')})) AS event
    GROUP BY 1) AS decided ON decided_code = code`,
};

const FOREIGN_CHANGE: PublishedView = {
  name: 'foreign_change',
  description: 'One row per budget change made elsewhere.',
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
    instant(
      'expected_at',
      'When the expected amount was last read: the change was made later. NULL if an earlier change had set this amount.',
    ),
  ],
  key: ['id'],
};

const DECISION: PublishedView = {
  name: 'decision',
  description:
    'One row per decision about a budget: changed, awaiting approval, refused or suggested. Facts that were not recorded are NULL.',
  columns: [
    EVENT,
    text(
      'kind',
      'change, proposal (needs approval), refusal, or would_change (suggested: mode propose, or a dry run).',
    ),
    text(
      'origin',
      'The authority for a change: rule, approval (by a person) or undo (by a person). Always rule if no change was made.',
    ),
    flag('dry_run', 'Whether it was decided in a dry run. A dry run changes and sends nothing.'),
    { ...RUN, meaning: 'The first run with this decision. NULL if a person acted outside a run.' },
    CUSTOMER,
    { ...BUDGET, meaning: 'The budget. NULL for a refusal if unknown.' },
    CAMPAIGN,
    CAMPAIGN_NAME,
    text(
      'subject_kind',
      'The kind of subject whose numbers decided: account, budget or campaign. NULL if not recorded.',
    ),
    text('subject', 'The name of the subject. NULL if not recorded.'),
    ACCOUNT_DAY,
    ...RULE_UNLESS_UNDO,
    text('mode', 'The mode of a suggested change: propose, approve or apply.'),
    text('code', 'The reason code of a refusal.'),
    CURRENCY,
    ...AMOUNTS,
    json('numbers', 'The numbers that decided and their days, as JSON. Amounts in micros. NULL if not recorded.'),
    json('facts', 'The facts behind the code of a refusal, as JSON. Amounts in micros.'),
    REASON,
    id('intent_id', 'The number of the change, if there is one.'),
    text('proposal_code', 'The code of this proposal, or of the proposal that led to this change.'),
    instant('decided_at', 'When it was decided.'),
  ],
  key: ['event_id'],
  grows: true,
};

const BUDGET_EVENT: PublishedView = {
  name: 'budget_event',
  description: 'One row per event of a budget change, in a hash chain that reveals alterations.',
  columns: EVENT_COLUMNS.map((column) =>
    // The hash covers the exact text of the time, so DATETIME would lose information.
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
