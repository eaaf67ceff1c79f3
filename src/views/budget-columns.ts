import { type BudgetSubject, subjectOf } from '../domain/budget-change.ts';
import type { CustomerId } from '../domain/ids.ts';
import { pathOf } from '../html/pages.ts';
import type { BudgetEvent } from '../store/budgets/event-table.ts';
import type { Intent } from '../store/budgets/intent-table.ts';
import type { ChangedBudget } from '../store/budgets/past-changes.ts';
import type { Proposal } from '../store/budgets/proposal-table.ts';
import { CHANGE_WORDS, PROPOSAL_WORDS } from '../text/state-words.ts';
import { type Column, count, day, id, instant, json, money, state, text } from './kit/column.ts';

export interface ShownChange extends Intent {
  readonly accountName?: string | undefined;
  readonly undoneBy?: Pick<Intent, 'id' | 'actor' | 'createdAt'> | undefined;
  readonly beyondLimits?: string | undefined;
}

interface OfAccount {
  readonly customerId?: CustomerId | undefined;
  readonly accountName?: string | undefined;
}

interface OfBudget extends OfAccount, BudgetSubject {
  readonly customerId: CustomerId;
}

export const CUSTOMER = id('customer_id', 'The account.', ({ customerId }: OfAccount) => customerId, {
  title: 'Account',
  wraps: true,
  shown: ({ accountName, customerId }) => (accountName === undefined ? customerId : `${accountName} (${customerId})`),
});
export const SUBJECT = text(
  'subject',
  'The campaign, or the budget of several.',
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
  'The campaign whose numbers decided; NULL where it was more than one.',
  'campaignId',
);
export const CAMPAIGN_NAME = text('campaign_name', 'Its name at that time.', 'campaignName');
export const ACCOUNT_DAY = day('account_day', "The day of the account's calendar that it counts for.", 'accountDay');
export const CURRENCY = text('currency', "The account's currency, ISO 4217.", 'currency');
export const BUDGET_COLUMNS = [CUSTOMER, BUDGET, CAMPAIGN, CAMPAIGN_NAME, ACCOUNT_DAY, CURRENCY];
export const FROM = money('from_micros', 'The daily budget before.', 'from', { title: 'From' });
export const TO = money('to_micros', 'The daily budget after.', 'to', { title: 'To' });
export const AMOUNTS = [FROM, TO];
export const RULE = text('rule', 'The rule that decided: the name of its file.', 'rule', { title: 'Rule' });
export const RULE_VERSION = text(
  'rule_version',
  'Which wording of the rule decided; NULL where it is not known.',
  'ruleVersion',
  { sql: "nullif(rule_version, '')" },
);
export const RULE_COLUMNS = [RULE, RULE_VERSION];
export const DECIDED_COLUMNS = [...BUDGET_COLUMNS, ...AMOUNTS, ...RULE_COLUMNS];
export const REASON = text(
  'reason',
  "The rule's condition with the numbers it saw, or why a person wanted it.",
  'reason',
  { title: 'Why', long: true },
);
export const ACTOR = text('actor', "Who: a rule and its wording, or a person's name.", 'actor');
export const KIND = text('kind', 'rule, or undo for a person who took a change back.', 'kind');
export const CHANGE = id('id', 'The number of the change.', 'id', {
  title: 'Change',
  shown: (change) => `B${change.id}`,
});
export const UNDOES = id('undoes', 'The change that it takes back.', 'undoes');
export const CHANGE_STATE = state(
  'state',
  'planned, validated and sending on its way; applied, confirmed (read back), rejected, superseded (someone else changed the budget), expired (never sent) at its end; unknown while nobody knows whether it was made.',
  (change: ShownChange) => change.state,
  { title: 'State', word: (change) => CHANGE_WORDS[change.state] },
);
export const CODE = text('code', "The service's name, or ours, of what went wrong.", 'code');
export const OUTCOME = text('outcome', 'What became of it.', 'outcome', { title: 'Outcome', long: true });
export const CREATED_AT = instant('created_at', 'When it was decided.', 'createdAt');
export const UPDATED_AT = instant('updated_at', 'When it came to its state.', 'updatedAt', { title: 'When' });

export const PROPOSAL_CODE = text('code', 'What the person names it by.', 'code');
export const PROPOSAL_STATE = state(
  'state',
  'open, approved, rejected, expired, or superseded by another decision.',
  (proposal: Pick<Proposal, 'state'>) => proposal.state,
  { title: 'State', word: (proposal) => PROPOSAL_WORDS[proposal.state] },
);
export const EXPIRES_AT = instant('expires_at', 'Until when it could be decided.', 'expiresAt');
export const DECIDED_BY = text('decided_by', 'Who ended it.', 'decidedBy', { title: 'By' });
export const DECIDED_AT = instant('decided_at', 'When it ended.', 'decidedAt', { title: 'Ended' });
export const BECAME = id('intent_id', 'The change that it became.', 'intentId');

export const SEEN_DAY = day('account_day', "The day of the account's calendar on which it was seen.", 'accountDay');
export const EXPECTED = money('expected_micros', 'The daily budget as we knew it.', 'expected', { only: ['json'] });
export const FOUND = money('found_micros', 'The daily budget that was found.', 'found', { only: ['json'] });
export const SEEN_AT = instant('seen_at', 'When it was seen.', 'seenAt', { only: ['json'] });
export const CAME_IN_THE_WAY = id('intent_id', 'The change that it came in the way of.', 'intentId', {
  only: ['json'],
});
export const EVENT = id('event_id', 'The event that tells of it.', 'eventId', { only: ['json'] });

export const EVENT_COLUMNS: readonly Column<BudgetEvent>[] = [
  id('id', 'The number of the event, without a gap.', 'id', { title: 'Event' }),
  id('intent_id', 'The change that it is about; NULL where it is about none.', 'intentId', { only: ['json'] }),
  text('kind', 'What happened: the state that the change came to, proposed, approved, frozen and so on.', 'kind', {
    title: 'What',
  }),
  text('actor', ACTOR.meaning, 'actor', { title: 'Who' }),
  json(
    'detail',
    'Why, what was read, sent and answered, as JSON; amounts in micros.',
    (event) => JSON.parse(event.detail) as unknown,
    { only: ['json'] },
  ),
  instant('created_at', 'When it happened.', 'createdAt', { title: 'When' }),
  text('previous_hash', 'The hash of the event before.', 'previousHash', { only: ['json'] }),
  text('hash', 'SHA-256 of the other columns.', 'hash', { only: ['json'] }),
];

export const CHANGED_BUDGET_COLUMNS: readonly Column<ChangedBudget>[] = [
  SUBJECT,
  CUSTOMER,
  count('changes', 'Changes of ours that stand, and those of others.', 'changes', { title: 'Changes' }),
  instant('last_at', 'What anybody knows of it last.', 'lastAt', { title: 'Last' }),
];
