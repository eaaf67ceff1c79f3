import { type BudgetSubject, isUndo, MADE_STATES, subjectOf } from '../../domain/budget-change.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { pathOf } from '../../domain/pages.ts';
import { UNITS } from '../../language/gaql/catalogue/units.ts';
import { type BudgetEvent, DECIDING_PROPOSALS } from '../records/budgets/event-table.ts';
import type { Intent } from '../records/budgets/intent-table.ts';
import type { Proposal } from '../records/budgets/proposal-table.ts';
import type { Account } from '../records/runs/account-table.ts';
import { bySql, type Column, day, flag, id, instant, json, money, state, text } from './column.ts';
import type { PublishedView } from './published-view.ts';
import { CHANGE_WORDS, PROPOSAL_WORDS } from './state-words.ts';

export interface ShownChange extends Intent {
  readonly accountName?: string | undefined;
  readonly undoneBy?: Pick<Intent, 'id' | 'actor' | 'createdAt'> | undefined;
  readonly beyondLimits?: string | undefined;
  /** The reason of the person who decided, in the history only. */
  readonly why?: string | undefined;
}

export interface ShownProposal extends Proposal {
  readonly accountName?: string | undefined;
  readonly why?: string | undefined;
  readonly reply?: string | undefined;
}

export interface OfAccount {
  readonly customerId?: CustomerId | undefined;
  readonly accountName?: string | undefined;
}

interface OfBudget extends OfAccount, BudgetSubject {
  readonly customerId: CustomerId;
}

export function accountNames(accounts: readonly Pick<Account, 'customerId' | 'name'>[]) {
  const names = new Map(accounts.map(({ customerId, name }) => [customerId, name]));
  return <Row extends { readonly customerId?: CustomerId | undefined }>(row: Row) => ({
    ...row,
    accountName: row.customerId && names.get(row.customerId),
  });
}

export const CUSTOMER = id('customer_id', 'The account.', ({ customerId }: OfAccount) => customerId, {
  title: 'Account',
  wraps: true,
  shown: ({ accountName, customerId }) => (accountName === undefined ? customerId : `${accountName} (${customerId})`),
  link: ({ customerId }) => customerId && pathOf('account', { customer: customerId }),
});
export const SUBJECT = text(
  'subject',
  'The campaign, or the budget if several campaigns share it.',
  (row: OfBudget) => subjectOf(row, 'short'),
  {
    title: 'Budget',
    wraps: true,
    stays: true,
    only: ['people'],
    link: ({ customerId, budgetId }) => pathOf('budget', { customer: customerId, budget: budgetId }),
  },
);

export const BUDGET = id('budget_id', 'The budget.', 'budgetId');
export const CAMPAIGN = id(
  'campaign_id',
  'The campaign whose numbers caused the change. NULL if there were several.',
  'campaignId',
);
export const CAMPAIGN_NAME = text('campaign_name', 'The name of the campaign at that time.', 'campaignName');
export const ACCOUNT_DAY = day('account_day', "The day of the change in the account's calendar.", 'accountDay');
export const CURRENCY = text('currency', "The account's currency, ISO 4217.", 'currency');
export const BUDGET_COLUMNS = [CUSTOMER, BUDGET, CAMPAIGN, CAMPAIGN_NAME, ACCOUNT_DAY, CURRENCY];
export const FROM = money('from_micros', 'The daily budget before the change.', 'from', {
  title: 'From',
  stays: true,
});
export const TO = money('to_micros', 'The daily budget after the change.', 'to', { title: 'To', stays: true });
export const AMOUNTS = [FROM, TO];

interface OfRule {
  readonly origin?: string | undefined;
  readonly rule?: string | undefined;
  readonly ruleVersion?: string | undefined;
}

export const RULE = text(
  'rule',
  'The rule that decided, by the name of its file. NULL for an undo.',
  (row: OfRule) => (isUndo(row) ? undefined : row.rule),
  { title: 'Rule' },
);
export const RULE_VERSION = text(
  'rule_version',
  'The version of the rule that decided. NULL if unknown, and for an undo.',
  (row: OfRule) => (isUndo(row) ? undefined : row.ruleVersion),
  { sql: "nullif(rule_version, '')" },
);
export const RULE_COLUMNS = [RULE, RULE_VERSION];
export const DECIDED_COLUMNS = [...BUDGET_COLUMNS, ...AMOUNTS, ...RULE_COLUMNS];
export const REASON = text(
  'reason',
  "The rule's condition with its numbers, or the reason that a person gave.",
  'reason',
  { title: 'Why', long: true },
);
export const ACTOR = text('actor', "The rule and its version, or the person's name.", 'actor');
export const KIND = text('kind', 'rule, or undo if a person undid a change.', 'kind');
export const CHANGE = id('id', 'The number of the change.', 'id', {
  title: 'Change',
  shown: (change) => `B${change.id}`,
});
export const UNDOES = id('undoes', 'The number of the change that this undo reverses.', 'undoes');
export const CHANGE_STATE = state(
  'state',
  'Under way: planned, validated, sending. Ended: applied, confirmed (read back), rejected, superseded (someone else changed the budget), expired (never sent). In doubt: unknown.',
  (change: ShownChange) => change.state,
  { title: 'State', importance: 2, word: (change) => CHANGE_WORDS[change.state] },
);
export const CODE = text('code', 'The error code, from the service or from pacekeeper.', 'code');
export const OUTCOME = text('outcome', 'The outcome in words.', 'outcome', { title: 'Outcome', long: true });
export const CREATED_AT = instant('created_at', 'When it was decided.', 'createdAt');
export const UPDATED_AT = instant('updated_at', 'When the row reached its current state.', 'updatedAt', {
  title: 'When',
  stays: true,
  importance: 1,
});

export const PROPOSAL_CODE = text('code', 'The code for approving or rejecting the change.', 'code');
export const PROPOSAL_STATE = state(
  'state',
  'open, approved, rejected, expired or superseded (outdated).',
  (proposal: Pick<Proposal, 'state'>) => proposal.state,
  { title: 'State', importance: 2, word: (proposal) => PROPOSAL_WORDS[proposal.state] },
);
export const EXPIRES_AT = instant('expires_at', 'When it expires.', 'expiresAt');
export const DECIDED_BY = text('decided_by', 'The person who decided, or pacekeeper.', 'decidedBy', { title: 'By' });
export const DECIDED_AT = instant('decided_at', 'When it was decided or ended.', 'decidedAt', { title: 'Ended' });
export const DECIDED_WHY = text('why', 'The reason given for the decision.', 'why', { title: 'Because', long: true });
export const BECAME = id('intent_id', 'The number of the resulting change.', 'intentId');

export const SEEN_DAY = day(
  'account_day',
  "The day when pacekeeper noticed the change, in the account's calendar.",
  'accountDay',
);
export const EXPECTED = money('expected_micros', 'The daily budget that pacekeeper expected.', 'expected', {
  only: ['json'],
});
export const FOUND = money('found_micros', 'The daily budget that was found.', 'found', { only: ['json'] });
export const SEEN_AT = instant('seen_at', 'When it was noticed.', 'seenAt', { only: ['json'] });
export const CAME_IN_THE_WAY = id('intent_id', 'The number of the change that it prevented.', 'intentId', {
  only: ['json'],
});
export const EVENT = id('event_id', 'The number of the event that records it.', 'eventId', { only: ['json'] });

export const EVENT_COLUMNS: readonly Column<BudgetEvent>[] = [
  id('id', 'The number of the event. Numbers have no gaps.', 'id', { title: 'Event' }),
  id('intent_id', 'The number of the affected change, or NULL.', 'intentId', { only: ['json'] }),
  text('kind', 'The name of the event, such as applied or frozen.', 'kind', {
    title: 'What',
  }),
  text('actor', ACTOR.meaning, 'actor', { title: 'Who' }),
  json(
    'detail',
    'The reason and the data read, sent and received, as JSON. Amounts in micros.',
    (event) => JSON.parse(event.detail) as unknown,
    { only: ['json'] },
  ),
  instant('created_at', 'When it happened.', 'createdAt', { title: 'When' }),
  text('previous_hash', 'The hash of the previous event.', 'previousHash', { only: ['json'] }),
  text('hash', 'SHA-256 of the other columns.', 'hash', { only: ['json'] }),
];

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
  references: { run_id: 'run (id)', undoes: 'budget_intent (id)', id: 'budget_intent (id)' },
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
  references: { run_id: 'run (id)', undoes: 'budget_intent (id)' },
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
  references: { run_id: 'run (id)', intent_id: 'budget_intent (id)' },
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
  references: { event_id: 'budget_event (id)', intent_id: 'budget_intent (id)' },
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
  references: { event_id: 'budget_event (id)' },
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
  references: { intent_id: 'budget_intent (id)' },
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
