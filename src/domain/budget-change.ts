import type { CivilDate } from './civil-date.ts';
import type { BudgetId, CampaignId } from './ids.ts';
import { formatMoney, type Micros } from './micros.ts';
import { asRecorded, type ShowInstant } from './wording.ts';

/** The states in which the budget has the change's amount, as far as is known. */
export const MADE_STATES = ['applied', 'confirmed'] as const;

/** Whether the budget was changed, as far as is known. No other kind of decision has a state of these names. */
export function isMade({ state }: { readonly state: string }): boolean {
  return MADE_STATES.some((made) => made === state);
}

/** A change that the budget has seen, by whomever. */
export interface PastChange {
  /** The account's calendar day. */
  readonly day: CivilDate;
  readonly by: 'rule' | 'undo' | 'foreign';
  /** For a foreign change the amount we knew before. */
  readonly from: Micros;
  readonly to: Micros;
}

/** Who let a budget change through: the rule alone, a person who approved it, or a person who undoes another. */
export type Origin = 'rule' | 'approval' | 'undo';

interface Decided {
  readonly origin: Origin;
  /** The change that it undoes. */
  readonly undoes: bigint | undefined;
  /** As the record of changes has it: "rule trim@1f2e…", "approved by anna", or a person's name. */
  readonly actor: string;
  readonly rule: string;
  readonly ruleVersion: string;
}

/** Whether a person let it through, so that it does not depend on what automation may do. */
export function isPersons({ origin }: Pick<Decided, 'origin'>): boolean {
  return origin !== 'rule';
}

/** Who decided a change: "rule trim@1f2e…", "rule trim@1f2e…, approved by anna", "undo of B1 by anna". */
export function whoDecided(decided: Decided): string {
  const { origin, actor, rule, ruleVersion } = decided;
  if (origin === 'approval') return `rule ${rule}${ruleVersion === '' ? '' : `@${ruleVersion}`}, ${actor}`;
  return whoDecidedBesideRule(decided) ?? actor;
}

/** The same beside the rule's name: "approved by anna", "undo of B1 by anna"; undefined where the rule decided alone. */
export function whoDecidedBesideRule({
  origin,
  undoes,
  actor,
}: Pick<Decided, 'origin' | 'undoes' | 'actor'>): string | undefined {
  if (origin === 'rule') return undefined;
  return origin === 'undo' ? `undo of B${undoes} by ${actor}` : actor;
}

/** What a decision names a budget by; without a campaign it is of more than one. */
export interface BudgetSubject {
  readonly budgetId: BudgetId;
  readonly campaignId?: CampaignId | undefined;
  readonly campaignName?: string | undefined;
}

/** "Trail Shoes (campaign 21)", short "Trail Shoes"; "campaign 21" without a name; "budget 987" of several campaigns. */
export function subjectOf(
  { budgetId, campaignId, campaignName }: BudgetSubject,
  form: 'with id' | 'short',
  written: (name: string) => string = (name) => name,
): string {
  const name = campaignName === undefined ? '' : written(campaignName);
  const id = campaignId === undefined ? `budget ${budgetId}` : `campaign ${campaignId}`;
  if (name === '') return id;
  if (form === 'short') return name;
  return campaignId === undefined ? id : `${name} (${id})`;
}

/** A budget that shows another amount than our record has, and nobody knows yet which of the two is true. */
export interface AmountInDoubt {
  /** The amount in our record. */
  readonly expected: Micros;
  readonly found: Micros;
  /** Instant, UTC: a reading from then on decides. */
  readonly until: string;
}

/** "shows 60.00 EUR, and the record has 51.00 EUR: …", without a full stop. */
export function doubtWords(
  { expected, found, until }: AmountInDoubt,
  currency: string,
  show: ShowInstant = asRecorded,
): string {
  const amounts = `shows ${formatMoney(found, currency)}, and the record has ${formatMoney(expected, currency)}`;
  return `${amounts}: a reading may lag behind a change. A reading after ${show(until)} decides`;
}
