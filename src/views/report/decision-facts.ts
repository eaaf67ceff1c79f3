import { isMade, subjectOf, whoDecidedBesideRule } from '../../domain/budget-change.ts';
import { addDays, type CivilDate } from '../../domain/civil-date.ts';
import type { Refusal } from '../../language/rules/decide/refusal.ts';
import { refusalWords } from '../../language/rules/decide/refusal-words.ts';
import { CHANGE_WORDS, PROPOSAL_WORDS, REFUSED, type StateWord, SUGGESTED } from '../../storage/columns/state-words.ts';
import type { RecordedDecision } from '../../storage/records/budgets/decision-table.ts';

export function wasMade({ intent }: RecordedDecision): boolean {
  return intent !== undefined && isMade(intent);
}

export function subjectWords({ subject, ...decision }: RecordedDecision): string {
  const { campaignName, budgetId } = decision;
  if (campaignName === undefined && subject !== undefined) return subject;
  return budgetId === undefined ? (campaignName ?? 'not recorded') : subjectOf({ ...decision, budgetId }, 'short');
}

export function actorWords({ origin, intent, proposal, kind }: RecordedDecision): string | undefined {
  if (kind === 'proposal') return proposal?.decidedBy;
  return intent && whoDecidedBesideRule({ origin, undoes: intent.undoes, actor: intent.actor });
}

export function referenceOf({ kind, intent, proposal }: RecordedDecision): string | undefined {
  if (kind === 'proposal') return proposal?.code;
  return intent && `B${intent.id}`;
}

export function stateWordOf({ kind, intent, proposal }: RecordedDecision): StateWord {
  if (kind === 'refusal') return REFUSED;
  if (kind === 'would_change') return SUGGESTED;
  if (kind === 'change') return intent === undefined ? NOT_RECORDED : CHANGE_WORDS[intent.state];
  return proposal === undefined ? NOT_RECORDED : PROPOSAL_WORDS[proposal.state];
}

const NOT_RECORDED: StateWord = ['not recorded', 'plain'];

export function detailWords({ kind, intent, code, facts }: RecordedDecision): string | undefined {
  if (kind !== 'refusal') return intent?.outcome;
  return refusalOnRecord(code, facts) ?? 'The facts of this refusal were not recorded.';
}

/** Undefined if the facts were altered, or written by a newer version. */
function refusalOnRecord(code: string | undefined, facts: unknown): string | undefined {
  try {
    return refusalWords({ kind: 'refused', code, facts } as Refusal);
  } catch {
    return undefined;
  }
}

/** The report of this day ends the proposal. Undefined if the proposal expires earlier. */
export function endingDay(proposal: {
  readonly accountDay: CivilDate;
  readonly expiresAt: string;
}): CivilDate | undefined {
  return proposal.expiresAt.slice(0, 10) <= proposal.accountDay ? undefined : addDays(proposal.accountDay, 1);
}
