import type { CampaignStatus } from '../../../domain/campaign-status.ts';
import { unreachable } from '../../../domain/errors.ts';
import { type BudgetId, type CampaignId, campaignId, isId } from '../../../domain/ids.ts';
import type { Member, MemberDemand } from '../../../domain/member.ts';
import { unitsOfBudget } from '../../../domain/micros.ts';
import type { Rational } from '../../../domain/rational.ts';
import type { Column } from '../../gaql/check/column.ts';
import type { Subject } from '../decide/decision.ts';
import type { StoppedCampaign } from '../decide/refusal.ts';
import { leavesOut } from '../decide/what-serves.ts';
import type { Rule } from '../rule.ts';
import type { CampaignBudget, EvaluatedAccount } from './evaluated-account.ts';
import { Figures } from './figures.ts';
import { columnOf } from './plan-rule.ts';

export interface Scene {
  readonly account: EvaluatedAccount;
  readonly demand: MemberDemand;
  readonly columns: readonly Column[];
}

export interface Candidate {
  readonly subject: Subject;
  readonly figures: Figures;
  readonly budgets: readonly CampaignBudget[];
  /** Contains only budgets without a running campaign. */
  readonly stopped: ReadonlyMap<BudgetId, readonly StoppedCampaign[]>;
  /** Campaigns that do not count, because they are not running. */
  readonly leftOut: readonly StoppedCampaign[];
}

export interface CampaignCandidate extends Candidate {
  readonly campaignId: CampaignId;
  readonly budget: CampaignBudget | undefined;
  readonly status: CampaignStatus | undefined;
}

export function campaignCandidate(member: Member, scene: Scene): CampaignCandidate {
  const { account, demand } = scene;
  const id = campaignId(String(member.ids[0]));
  const budget = account.budgets.get(id);
  const name = newestText(member, 'campaign.name', scene) ?? budget?.campaignName;
  const label = named(name, `campaign ${id}`);
  const status = budget?.campaignStatus;
  return {
    campaignId: id,
    budget,
    status,
    leftOut: [],
    budgets: budget === undefined ? [] : [budget],
    stopped: stoppedIn([{ budget, status, subject: { label } }]),
    figures: new Figures(demand, [member], budget && unitsOfBudget(budget.amount)),
    subject: {
      ...NO_NAMES,
      kind: 'campaign',
      customerId: account.customerId,
      campaignId: id,
      campaignName: name,
      budgetId: budget?.budgetId,
      label,
    },
  };
}

export function partCandidate(kind: 'ad_group' | 'keyword', member: Member, scene: Scene): Candidate {
  const { account, demand } = scene;
  const text = (field: string) => newestText(member, field, scene);
  const written = text('campaign.id');
  const campaign = written !== undefined && isId(written) ? campaignId(written) : undefined;
  const budget = campaign === undefined ? undefined : account.budgets.get(campaign);
  const [adGroupId, criterionId] = member.ids;
  const what = kind === 'ad_group' ? `ad group ${adGroupId}` : `keyword ${criterionId} of ad group ${adGroupId}`;
  const name = text(kind === 'ad_group' ? 'ad_group.name' : 'ad_group_criterion.keyword.text');
  return {
    budgets: budget === undefined ? [] : [budget],
    stopped: NONE_STOPPED,
    leftOut: [],
    figures: new Figures(demand, [member], budget && unitsOfBudget(budget.amount)),
    subject: {
      kind,
      customerId: account.customerId,
      campaignId: campaign,
      budgetId: budget?.budgetId,
      campaignName: text('campaign.name') ?? budget?.campaignName,
      adGroupId,
      criterionId,
      label: named(name, what),
    },
  };
}

/** Sorted by budget id. Omits campaigns whose budget is unknown. */
export function byBudget(campaigns: readonly CampaignCandidate[]): (readonly CampaignCandidate[])[] {
  return [...groupsOf(campaigns)]
    .sort(([one], [other]) => (BigInt(one) < BigInt(other) ? -1 : 1))
    .map(([, own]) => own);
}

export interface Counted {
  readonly counted: readonly CampaignCandidate[];
  readonly leftOut: readonly CampaignCandidate[];
}

/** If no campaign is running, all campaigns count, so that the refused change is reported. */
export function countedBy(rule: Rule, campaigns: readonly CampaignCandidate[]): Counted {
  const leftOut = campaigns.filter(({ status }) => leavesOut(rule, status));
  const counted = campaigns.filter(({ status }) => !leavesOut(rule, status));
  return counted.length > 0 ? { counted, leftOut } : { counted: campaigns, leftOut: [] };
}

export function budgetCandidate({ counted, leftOut }: Counted, { account, demand }: Scene): Candidate | undefined {
  const [first] = counted;
  if (first?.budget === undefined) return undefined;
  const { budgetId: id } = first.budget;
  const only = counted.length === 1 ? first : undefined;
  const about = only === undefined ? `${counted.length} campaigns` : only.subject.label;
  const subject: Subject = {
    ...NO_NAMES,
    kind: 'budget',
    customerId: account.customerId,
    budgetId: id,
    campaignId: only?.campaignId,
    campaignName: only?.subject.campaignName,
    label: `budget ${id} (${about})`,
  };
  const figures = only?.figures ?? merged(counted, demand, first.figures.budget);
  return { subject, figures, budgets: first.budgets, stopped: stoppedIn(counted), leftOut: leftOut.flatMap(stoppedOf) };
}

/** Omits budgets that other campaigns also spend from. */
export function accountCandidate(
  rule: Rule,
  { counted, leftOut }: Counted,
  all: readonly CampaignCandidate[],
  { account, demand }: Scene,
): Candidate {
  const chosen = new Set([...counted, ...leftOut]);
  // A removed campaign no longer spends from a budget.
  const others = all.filter((one) => !chosen.has(one) && one.status !== 'REMOVED' && !leavesOut(rule, one.status));
  const shared = new Set(others.flatMap(({ budget }) => budget?.budgetId ?? []));
  const budgets = budgetsOf(counted);
  const idle = [...budgetsOf(leftOut)].filter(([id]) => !budgets.has(id));
  const isKnown = budgets.size > 0 && counted.every(({ budget }) => budget !== undefined);
  return {
    subject: accountSubject(account),
    figures: merged(counted, demand, isKnown ? sumOf([...budgets.values()]) : undefined),
    budgets: [...budgets, ...idle].map(([, budget]) => budget).filter(({ budgetId }) => !shared.has(budgetId)),
    stopped: stoppedIn([...counted, ...leftOut]),
    leftOut: leftOut.flatMap(stoppedOf),
  };
}

export function wholeAccount(member: Member | undefined, { account, demand }: Scene): Candidate {
  const budgets = [...new Map([...account.budgets.values()].map((budget) => [budget.budgetId, budget])).values()];
  const isKnown = budgets.length > 0 && (account.unreadable ?? []).length === 0;
  const amount = isKnown ? sumOf(budgets) : undefined;
  const members = member === undefined ? [] : [member];
  const campaigns = [...account.budgets].map(([id, budget]) => {
    const label = named(budget.campaignName, `campaign ${id}`);
    return { budget, status: budget.campaignStatus, subject: { label } };
  });
  return {
    subject: accountSubject(account),
    budgets,
    leftOut: [],
    stopped: stoppedIn(campaigns),
    figures: new Figures(demand, members, amount),
  };
}

const NONE_STOPPED: Candidate['stopped'] = new Map();

type Running = Pick<CampaignCandidate, 'budget' | 'status'> & { readonly subject: Pick<Subject, 'label'> };

function stoppedIn(campaigns: readonly Running[]): Candidate['stopped'] {
  if (!campaigns.some((one) => stoppedOf(one).length > 0)) return NONE_STOPPED;
  const idle = [...groupsOf(campaigns)].filter(([, own]) => own.every((one) => stoppedOf(one).length > 0));
  return new Map(idle.map(([id, own]) => [id, own.flatMap(stoppedOf)]));
}

function groupsOf<Campaign extends Pick<CampaignCandidate, 'budget'>>(campaigns: readonly Campaign[]) {
  const known = campaigns.filter((one): one is Campaign & { budget: CampaignBudget } => one.budget !== undefined);
  return Map.groupBy(known, ({ budget }) => budget.budgetId);
}

function stoppedOf({ status, subject: { label } }: Running): StoppedCampaign[] {
  return status === undefined || status === 'ENABLED' ? [] : [{ label, status }];
}

function budgetsOf(campaigns: readonly CampaignCandidate[]): Map<BudgetId, CampaignBudget> {
  return new Map(campaigns.flatMap(({ budget }) => (budget === undefined ? [] : [[budget.budgetId, budget]])));
}

const NO_NAMES = {
  campaignId: undefined,
  campaignName: undefined,
  budgetId: undefined,
  adGroupId: undefined,
  criterionId: undefined,
};

function accountSubject({ customerId }: EvaluatedAccount): Subject {
  return { ...NO_NAMES, kind: 'account', customerId, label: `account ${customerId}` };
}

function merged(parts: readonly Candidate[], demand: MemberDemand, budget: Rational | undefined): Figures {
  return new Figures(
    demand,
    parts.flatMap(({ figures }) => figures.members),
    budget,
  );
}

function sumOf(budgets: readonly CampaignBudget[]): Rational {
  return unitsOfBudget(budgets.reduce((sum, { amount }) => sum + amount, 0n));
}

export function newestText(
  member: Member,
  field: string,
  { demand, columns }: Pick<Scene, 'demand' | 'columns'>,
): string | undefined {
  const attribute = demand.attributes.indexOf(columnOf(columns, field) ?? '');
  const value = member.stretches.findLast((stretch) => stretch !== undefined)?.attributes[attribute];
  return value === undefined || value === null ? undefined : String(value);
}

function named(name: string | undefined, what: string): string {
  return name === undefined ? what : `${name} (${what})`;
}

export function subjectKey(
  subject: Pick<Subject, 'kind'> & Partial<Pick<Subject, 'campaignId' | 'budgetId' | 'adGroupId' | 'criterionId'>>,
): string {
  const { kind } = subject;
  switch (kind) {
    case 'campaign':
      return `campaign/${subject.campaignId}`;
    case 'budget':
      return `budget/${subject.budgetId}`;
    case 'account':
      return 'account';
    case 'ad_group':
      return `ad_group/${subject.adGroupId}`;
    case 'keyword':
      return `keyword/${subject.adGroupId}/${subject.criterionId}`;
    default:
      return unreachable(kind);
  }
}
