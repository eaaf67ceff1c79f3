import { addDays, type CivilDate, civilDateAt, clockTimeAt, secondText } from './civil-date.ts';
import type { BudgetId, CampaignId } from './ids.ts';
import { formatMoney, type Micros } from './micros.ts';
import type { ShowInstant } from './wording.ts';

/** A change in one of these states took effect. */
export const MADE_STATES = ['applied', 'confirmed'] as const;

export function isMade({ state }: { readonly state: string }): boolean {
  return MADE_STATES.some((made) => made === state);
}

/** True for an amount beyond the proposed one, or on the other side of the present one. A person may approve only less. */
export function isLargerStep(from: bigint, proposed: bigint, approved: bigint): boolean {
  if (proposed > from) return approved > proposed || approved < from;
  return approved < proposed || approved > from;
}

export interface PastChange {
  /** A day in the account's time zone. */
  readonly day: CivilDate;
  /** `refused`: the service refused the change, but no reading has proven yet that it was not made. */
  readonly by: 'rule' | 'undo' | 'foreign' | 'refused';
  readonly from: Micros;
  readonly to: Micros;
}

export type Origin = 'rule' | 'approval' | 'undo';

interface Decided {
  readonly origin: Origin;
  readonly undoes: bigint | undefined;
  /** Such as "rule trim@1f2e…", "approved by anna", or a person's name. */
  readonly actor: string;
  readonly rule: string;
  readonly ruleVersion: string;
}

/** A person decides an undo. The record names the rule of the undone change only because the limits of this rule apply. */
export function isUndo({ origin }: { readonly origin?: string | undefined }): boolean {
  return origin === 'undo';
}

/** True for an approval or an undo. */
export function isPersons({ origin }: Pick<Decided, 'origin'>): boolean {
  return origin !== 'rule';
}

/** Returns text such as "rule trim@1f2e…, approved by anna" or "undo of B1 by anna". */
export function whoDecided(decided: Decided): string {
  const { origin, actor, rule, ruleVersion } = decided;
  if (origin === 'approval') return `${makerWords(rule)}${ruleVersion === '' ? '' : `@${ruleVersion}`}, ${actor}`;
  return whoDecidedBesideRule(decided) ?? actor;
}

export function whoDecidedBesideRule({
  origin,
  undoes,
  actor,
}: Pick<Decided, 'origin' | 'undoes' | 'actor'>): string | undefined {
  if (origin === 'rule') return undefined;
  return origin === 'undo' ? `undo of B${undoes} by ${actor}` : actor;
}

/** `campaignId` is undefined unless exactly one campaign uses the budget. */
export interface BudgetSubject {
  readonly budgetId: BudgetId;
  readonly campaignId?: CampaignId | undefined;
  readonly campaignName?: string | undefined;
}

/** Returns "Trail Shoes (campaign 21)", or "Trail Shoes" in short form. Without a name: "campaign 21". */
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

/** The service shows `found`, but pacekeeper recorded `expected`. */
export interface AmountInDoubt {
  readonly expected: Micros;
  readonly found: Micros;
  /** In UTC. A read after this time shows which amount is right. */
  readonly until: string;
}

export function doubtWords(
  { expected, found, until }: AmountInDoubt,
  currency: string,
  show: ShowInstant = secondText,
): string {
  const amounts = `shows ${formatMoney(found, currency)}, expected ${formatMoney(expected, currency)}`;
  return `${amounts}: the service may show a change late. A read after ${show(until)} shows the outcome`;
}

/** Returns text such as "18:00 Europe/Berlin". If the last day is later, the text also names the next report. */
export function untilWords(
  {
    accountDay,
    createdAt,
    expiresAt,
    rule,
  }: {
    readonly accountDay: CivilDate;
    readonly createdAt: string;
    readonly expiresAt: string;
    readonly rule: string;
  },
  timeZone: string,
): string {
  const untilMs = Date.parse(expiresAt);
  const day = civilDateAt(untilMs, timeZone);
  const time = `${clockTimeAt(untilMs, timeZone)} ${timeZone}`;
  if (day === civilDateAt(Date.parse(createdAt), timeZone)) return time;
  if (agentOf(rule) !== undefined) return `${day} ${time}`;
  const next = addDays(accountDay, 1);
  return `the report of ${next}, ${day === next ? '' : `${day} `}${time} at the latest`;
}

const PREFIX = 'agent:';

/** Also the name of a token. */
export const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** Stands in the place of a rule's name, which has no colon. */
export function ruleOfAgent(agent: string): string {
  return PREFIX + agent;
}

/** The agent that suggested the change. Undefined for a rule or target. */
export function agentOf(rule: string): string | undefined {
  return rule.startsWith(PREFIX) ? rule.slice(PREFIX.length) : undefined;
}

/** Such as "rule trim" or "suggested by agent desk". */
export function makerWords(rule: string): string {
  const agent = agentOf(rule);
  return agent === undefined ? `rule ${rule}` : `suggested by agent ${agent}`;
}
