import { type BudgetSubject, isUndo, subjectOf } from '../../domain/budget-change.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { pathOf } from '../../domain/pages.ts';
import type { BudgetEvent } from '../records/budgets/event-table.ts';
import type { Intent } from '../records/budgets/intent-table.ts';
import type { Proposal } from '../records/budgets/proposal-table.ts';
import type { Account } from '../records/runs/account-table.ts';
import { type Column, day, id, instant, json, money, state, text } from './column.ts';
import { CHANGE_WORDS, PROPOSAL_WORDS } from './state-words.ts';

export interface ShownChange extends Intent {
  readonly accountName?: string | undefined;
  readonly undoneBy?: Pick<Intent, 'id' | 'actor' | 'createdAt'> | undefined;
  readonly beyondLimits?: string | undefined;
}

export interface ShownProposal extends Proposal {
  readonly accountName?: string | undefined;
  readonly why?: string | undefined;
  readonly reply?: string | undefined;
}

interface OfAccount {
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
export const FROM = money('from_micros', 'The daily budget before the change.', 'from', { title: 'From' });
export const TO = money('to_micros', 'The daily budget after the change.', 'to', { title: 'To' });
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
  { title: 'State', word: (change) => CHANGE_WORDS[change.state] },
);
export const CODE = text('code', 'The error code, from the service or from pacekeeper.', 'code');
export const OUTCOME = text('outcome', 'The outcome in words.', 'outcome', { title: 'Outcome', long: true });
export const CREATED_AT = instant('created_at', 'When it was decided.', 'createdAt');
export const UPDATED_AT = instant('updated_at', 'When the row reached its current state.', 'updatedAt', {
  title: 'When',
});

export const PROPOSAL_CODE = text('code', 'The code for approving or rejecting the change.', 'code');
export const PROPOSAL_STATE = state(
  'state',
  'open, approved, rejected, expired or superseded (outdated).',
  (proposal: Pick<Proposal, 'state'>) => proposal.state,
  { title: 'State', word: (proposal) => PROPOSAL_WORDS[proposal.state] },
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
