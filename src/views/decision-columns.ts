import { isUndo } from '../domain/budget-change.ts';
import type { DecisionFacts } from '../domain/decision-facts.ts';
import type { AccountResult, ExplainedSubject, RuleResult } from '../language/results/report-result.ts';
import {
  BUDGET,
  CAMPAIGN,
  CAMPAIGN_NAME,
  CODE,
  CURRENCY,
  CUSTOMER,
  FROM,
  REASON,
  RULE,
  TO,
} from '../storage/columns/budget-columns.ts';
import { type Column, count, filled, id, state, text } from '../storage/columns/column.ts';
import type { StateWord } from '../storage/columns/state-words.ts';
import { detailWords, endState, endWord, fullSubject } from './report/decision-words.ts';

export const TRUTH_WORDS: Readonly<Record<ExplainedSubject['truth'], StateWord>> = {
  true: ['fires', 'waits'],
  unknown: ['unknown', 'bad'],
  false: ['does not fire', 'plain'],
};

export interface ShownDecision extends DecisionFacts {
  readonly accountName?: string | undefined;
}

/** The terminal never cuts this text, because people must recognise the subject. */
export const SUBJECT_WORDS = text('subject', 'The subject of the decision, in words.', 'subject', { wraps: true });
const STATE = state('state', 'proposed or refused. In the result of a run: the state of the change.', endState, {
  word: endWord,
});
const SUBJECT = filled(SUBJECT_WORDS, fullSubject);

export const DECISION_COLUMNS: readonly Column<ShownDecision>[] = [
  { ...STATE, title: 'State', only: ['people'] },
  { ...SUBJECT, title: 'Subject', only: ['people'] },
  filled(RULE, (decision: ShownDecision) => (isUndo(decision) ? undefined : decision.rule)),
  CUSTOMER,
  CAMPAIGN,
  CAMPAIGN_NAME,
  SUBJECT,
  BUDGET,
  CURRENCY,
  FROM,
  TO,
  STATE,
  CODE,
  id('intent_id', 'The number of the resulting change.', ({ intent }) => intent?.id, { only: ['json'] }),
  text(
    'proposal',
    'The code for approving it.',
    ({ kind, proposal }) => (kind === 'proposal' ? proposal?.code : undefined),
    { only: ['json'] },
  ),
  REASON,
  text('detail', 'The answer of a guard or of the service, in words.', detailWords, { title: 'Because', long: true }),
];

export const ACCOUNT_COLUMNS: readonly Column<AccountResult>[] = [
  CUSTOMER,
  text('name', 'The name of the account.', 'name'),
  CURRENCY,
  text('time_zone', 'The time zone, as an IANA name.', 'timeZone'),
  text('failure', 'Why the account could not be read.', 'failure'),
  text('left_out', "Why the account was skipped, in the service's words.", 'leftOut'),
];

const SUBJECTS = count('subjects', 'Number of checked subjects.', 'subjects', { title: 'Checked' });
export const FIRED = count('fired', 'Number of subjects for which it fired.', 'fired', { title: 'Fired' });
export const UNKNOWN = count('unknown', 'Number of subjects for which its condition is unknown.', 'unknown', {
  title: 'Unknown',
});

export const RULE_RESULT_COLUMNS: readonly Column<RuleResult>[] = [
  RULE,
  CUSTOMER,
  SUBJECTS,
  FIRED,
  UNKNOWN,
  text('not_evaluated', 'Why the rule was not evaluated.', 'notEvaluated'),
];

export interface RuleSummary extends Pick<RuleResult, 'rule' | 'subjects' | 'fired' | 'unknown'> {
  /** The name of the account, or the number of accounts if there are several. */
  readonly account: string | number;
}

export const RULE_SUMMARY_COLUMNS: readonly Column<RuleSummary>[] = [
  RULE,
  text('account', 'The account.', ({ account }) => (typeof account === 'string' ? account : undefined), {
    title: 'Account',
  }),
  count('accounts', 'Number of accounts.', ({ account }) => (typeof account === 'number' ? account : undefined), {
    title: 'Accounts',
  }),
  SUBJECTS,
  FIRED,
  UNKNOWN,
];
