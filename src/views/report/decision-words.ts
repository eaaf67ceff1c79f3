import {
  agentOf,
  isMade,
  isPersons,
  subjectOf,
  untilWords,
  whoDecided,
  whoDecidedBesideRule,
} from '../../domain/budget-change.ts';
import { addDays, type CivilDate } from '../../domain/civil-date.ts';
import { type DecisionFacts, type IntentFacts, isWaiting, type ProposalFacts } from '../../domain/decision-facts.ts';
import type { Refusal } from '../../language/rules/decide/refusal.ts';
import { refusalWords } from '../../language/rules/decide/refusal-words.ts';
import { CHANGE_WORDS, PROPOSAL_WORDS, REFUSED, type StateWord, SUGGESTED } from '../../storage/columns/state-words.ts';

export function wasMade({ intent }: DecisionFacts): boolean {
  return intent !== undefined && isMade(intent);
}

/** Text such as "Trail Shoes". */
export function shortSubject({ subject, ...decision }: DecisionFacts): string {
  const { campaignName, budgetId } = decision;
  if (campaignName === undefined && subject !== undefined) return subject;
  return budgetId === undefined ? (campaignName ?? 'not recorded') : subjectOf({ ...decision, budgetId }, 'short');
}

/** Text such as "Trail Shoes (campaign 21)". A change concerns the budget, whatever subject the rule has. */
export function fullSubject({ kind, subject, ...decision }: DecisionFacts): string {
  const { budgetId } = decision;
  if (budgetId === undefined || (kind !== 'change' && subject !== undefined)) return subject ?? 'not recorded';
  return subjectOf({ ...decision, budgetId }, 'with id');
}

export function actorWords({ origin, intent, proposal, kind }: DecisionFacts): string | undefined {
  if (kind === 'proposal') return proposal?.decidedBy;
  return intent && whoDecidedBesideRule({ origin, undoes: intent.undoes, actor: intent.actor });
}

/** Text such as "undo of B1 by anna". Undefined for a decision by the rule alone. */
export function personWords({ origin, intent, refused, rule, ruleVersion = '' }: DecisionFacts): string | undefined {
  if (!isPersons({ origin })) return undefined;
  const { undoes, actor } = intent ?? { undoes: refused?.undoes, actor: refused?.by ?? '' };
  return whoDecided({ origin, undoes, actor, rule, ruleVersion });
}

export function referenceOf({ kind, intent, proposal }: DecisionFacts): string | undefined {
  if (kind === 'proposal') return proposal?.code;
  return intent && `B${intent.id}`;
}

/** The state now, for a page. */
export function stateWordOf(decision: DecisionFacts): StateWord {
  const { kind, intent, proposal } = decision;
  if (isWaiting(decision)) return PROPOSAL_WORDS.open;
  if (kind === 'refusal') return REFUSED;
  if (kind === 'would_change') return SUGGESTED;
  if (kind === 'change') return intent === undefined ? NOT_RECORDED : CHANGE_WORDS[intent.state];
  return proposal === undefined ? NOT_RECORDED : PROPOSAL_WORDS[proposal.state];
}

const NOT_RECORDED: StateWord = ['not recorded', 'plain'];

/** The state at the end of a run. `postponed`: certainly not sent. The next run decides again. */
export function endState({ kind, intent }: DecisionFacts): EndState {
  if (kind === 'refusal') return 'refused';
  return kind === 'change' ? endOfIntent(intent) : 'proposed';
}

type EndState = 'proposed' | 'refused' | ReturnType<typeof endOfIntent>;

function endOfIntent(
  intent: IntentFacts | undefined,
): 'postponed' | Exclude<IntentFacts['state'], 'planned' | 'validated' | 'sending'> {
  const state = intent?.state ?? 'unknown';
  if (state === 'planned' || state === 'validated') return 'postponed';
  return state === 'sending' ? 'unknown' : state;
}

export function endWord(decision: DecisionFacts): StateWord {
  const { kind, mode, intent } = decision;
  if (kind === 'change') return END_WORDS[endOfIntent(intent)];
  if (kind === 'would_change' && mode === 'apply') return ['would change', 'waits'];
  if (kind === 'would_change' && mode === 'approve') return ['needs approval', 'waits'];
  return stateWordOf(decision);
}

const END_WORDS = { ...CHANGE_WORDS, postponed: ['postponed', 'waits'] } as const;

/** How to act on suggestions. A stricter mode of the whole run hides that of the rule. */
export function suggestionWords(runMode: string): string {
  const whose = runMode === 'propose' ? 'automation.mode' : "the rule's mode";
  return `Suggestions change nothing until ${whose} is approve or apply.`;
}

/** The sentence about a decision, beside its reason. */
export function detailWords({ kind, intent, proposal, refused, code, facts, rule }: DecisionFacts): string | undefined {
  if (refused !== undefined) return refused.because;
  if (kind === 'refusal') return refusalOnRecord(code, facts) ?? 'The facts of this refusal were not recorded.';
  if (kind === 'proposal') return proposal && awaitingWords({ ...proposal, rule });
  return intent?.isUnread ? 'This run could not read the account and its budget.' : intent?.outcome;
}

/** Undefined if the facts were altered, or written by a newer version. */
function refusalOnRecord(code: string | undefined, facts: unknown): string | undefined {
  try {
    return refusalWords({ kind: 'refused', code, facts } as Refusal);
  } catch {
    return undefined;
  }
}

function awaitingWords(proposal: ProposalFacts & Pick<DecisionFacts, 'rule'>): string | undefined {
  const { code, state, timeZone = 'UTC' } = proposal;
  if (state !== 'open') return undefined;
  return `It awaits approval until ${untilWords(proposal, timeZone)}. Run pacekeeper budgets approve ${code}.`;
}

/** The report of this day ends the proposal. Undefined if the proposal expires earlier, or is a suggestion of an agent. */
export function endingDay(proposal: {
  readonly accountDay: CivilDate;
  readonly expiresAt: string;
  readonly rule: string;
}): CivilDate | undefined {
  if (agentOf(proposal.rule) !== undefined) return undefined;
  return proposal.expiresAt.slice(0, 10) <= proposal.accountDay ? undefined : addDays(proposal.accountDay, 1);
}
