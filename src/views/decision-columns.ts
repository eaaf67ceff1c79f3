import type { AccountResult, DecisionResult, RuleResult } from '../results/report-result.ts';
import { decisionWord } from '../text/state-words.ts';
import { BUDGET, CAMPAIGN, CAMPAIGN_NAME, CODE, CURRENCY, CUSTOMER, FROM, REASON, RULE, TO } from './budget-columns.ts';
import { type Column, count, id, state, text } from './kit/column.ts';

export interface ShownDecision extends DecisionResult {
  readonly accountName?: string | undefined;
}

/** Never cut: people must recognise the subject. */
export const SUBJECT_WORDS = text('subject', 'The subject of the decision, for people.', 'subject', { wraps: true });
const STATE = state('state', 'proposed or refused; of a run, what became of the change.', 'state', {
  word: decisionWord,
});

export const DECISION_COLUMNS: readonly Column<ShownDecision>[] = [
  { ...STATE, title: 'State', only: ['people'] },
  { ...SUBJECT_WORDS, title: 'Subject', only: ['people'] },
  RULE,
  CUSTOMER,
  CAMPAIGN,
  CAMPAIGN_NAME,
  SUBJECT_WORDS,
  BUDGET,
  CURRENCY,
  FROM,
  TO,
  STATE,
  CODE,
  id('intent_id', 'The number of the change that it became.', 'intentId', { only: ['json'] }),
  text('proposal', 'The code by which a person approves it.', 'proposal', { only: ['json'] }),
  REASON,
  text('detail', 'The answer of a guard or of the service.', 'detail', { title: 'Because', long: true }),
];

export const ACCOUNT_COLUMNS: readonly Column<AccountResult>[] = [
  CUSTOMER,
  text('name', 'Its name.', 'name'),
  CURRENCY,
  text('time_zone', 'IANA name.', 'timeZone'),
  text('failure', 'The failure.', 'failure'),
  text('left_out', "Why nothing was done for it, in the service's word.", 'leftOut'),
];

const SUBJECTS = count('subjects', 'How many it looked at.', 'subjects', { title: 'Looked at' });
export const FIRED = count('fired', 'Subjects for which it fired.', 'fired', { title: 'Fired' });
export const UNKNOWN = count('unknown', 'Subjects for which its condition is unknown.', 'unknown', {
  title: 'Unknown',
});

export const RULE_RESULT_COLUMNS: readonly Column<RuleResult>[] = [
  RULE,
  CUSTOMER,
  SUBJECTS,
  FIRED,
  UNKNOWN,
  text('not_evaluated', 'The reason why it was not evaluated.', 'notEvaluated'),
];

export interface RuleSummary extends Pick<RuleResult, 'rule' | 'subjects' | 'fired' | 'unknown'> {
  /** The account's name, or the number of accounts. */
  readonly account: string | number;
}

export const RULE_SUMMARY_COLUMNS: readonly Column<RuleSummary>[] = [
  RULE,
  text('account', 'The account.', ({ account }) => (typeof account === 'string' ? account : undefined), {
    title: 'Account',
  }),
  count('accounts', 'How many accounts.', ({ account }) => (typeof account === 'number' ? account : undefined), {
    title: 'Accounts',
  }),
  SUBJECTS,
  FIRED,
  UNKNOWN,
];
