import { type BudgetId, type CampaignId, campaignId, isId } from '../domain/ids.ts';
import type { Member, MemberDemand } from '../domain/member.ts';
import type { Rational } from '../domain/rational.ts';
import type { Column } from '../gaql/check/column.ts';
import { type CompiledRule, unitsOfBudget } from './compile-rule.ts';
import type { Subject } from './decision.ts';
import type { CampaignBudget, EvaluatedAccount } from './evaluated-account.ts';
import { Figures } from './figures.ts';
import { columnOf } from './plan-rule.ts';

/** Whose members are evaluated, and what was asked of the table. */
export interface Scene {
  readonly account: EvaluatedAccount;
  readonly demand: MemberDemand;
  /** Of the table. */
  readonly columns: readonly Column[];
}

/** What a rule is evaluated on, with the budgets that it may change. */
export interface Candidate {
  readonly subject: Subject;
  readonly figures: Figures;
  /** Each once. */
  readonly budgets: readonly CampaignBudget[];
}

/** A campaign that has rows, as the budgets and the account are made of it. */
export interface CampaignCandidate extends Candidate {
  readonly campaignId: CampaignId;
  readonly budget: CampaignBudget | undefined;
}

export function campaignCandidate(member: Member, scene: Scene): CampaignCandidate {
  const { account, demand } = scene;
  const id = campaignId(String(member.ids[0]));
  const budget = account.budgets.get(id);
  const name = newestText(member, 'campaign.name', scene) ?? budget?.campaignName;
  return {
    campaignId: id,
    budget,
    budgets: budget === undefined ? [] : [budget],
    figures: new Figures(demand, [member], budget && unitsOfBudget(budget.amount)),
    subject: {
      ...NO_NAMES,
      ...{ kind: 'campaign', customerId: account.customerId },
      ...{ campaignId: id, campaignName: name, budgetId: budget?.budgetId },
      label: named(name, `campaign ${id}`),
    },
  };
}

/** An ad group or a keyword. Its budget is its campaign's. */
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
    figures: new Figures(demand, [member], budget && unitsOfBudget(budget.amount)),
    subject: {
      ...{ kind, customerId: account.customerId, campaignId: campaign, budgetId: budget?.budgetId },
      campaignName: text('campaign.name') ?? budget?.campaignName,
      ...{ adGroupId, criterionId, label: named(name, what) },
    },
  };
}

/** The account's budgets with the campaigns that have rows, by budget id. */
export function budgetCandidates(
  campaigns: readonly CampaignCandidate[],
  { account, demand }: Scene,
): { readonly candidate: Candidate; readonly campaigns: readonly CampaignCandidate[] }[] {
  const groups = new Map<BudgetId, CampaignCandidate[]>();
  for (const campaign of campaigns) {
    const id = campaign.budget?.budgetId;
    if (id !== undefined) groups.set(id, [...(groups.get(id) ?? []), campaign]);
  }
  return [...groups]
    .sort(([one], [other]) => (BigInt(one) < BigInt(other) ? -1 : 1))
    .flatMap(([id, group]) => {
      const [first] = group;
      if (first === undefined) return [];
      const only = group.length === 1 ? first : undefined;
      const about = only === undefined ? `${group.length} campaigns` : only.subject.label;
      const subject: Subject = {
        ...NO_NAMES,
        ...{ kind: 'budget', customerId: account.customerId, budgetId: id },
        ...{ campaignId: only?.campaignId, campaignName: only?.subject.campaignName },
        label: `budget ${id} (${about})`,
      };
      const figures = only?.figures ?? merged(group, demand, first.figures.budget);
      return [{ candidate: { subject, figures, budgets: first.budgets }, campaigns: group }];
    });
}

/** The account, made of the campaigns that take part. Budgets of which others have a share are left out of it. */
export function accountCandidate(
  taking: readonly CampaignCandidate[],
  all: readonly CampaignCandidate[],
  { account, demand }: Scene,
): Candidate {
  const chosen = new Set(taking);
  // What is removed spends from no budget any more.
  const others = all.filter((one) => !chosen.has(one) && one.budget?.campaignRemoved !== true);
  const shared = new Set(others.flatMap(({ budget }) => budget?.budgetId ?? []));
  const budgets = new Map(taking.flatMap(({ budget }) => (budget === undefined ? [] : [[budget.budgetId, budget]])));
  const isKnown = budgets.size > 0 && taking.every(({ budget }) => budget !== undefined);
  return {
    subject: accountSubject(account),
    figures: merged(taking, demand, isKnown ? sumOf([...budgets.values()]) : undefined),
    budgets: [...budgets.values()].filter(({ budgetId }) => !shared.has(budgetId)),
  };
}

/** The account of a table that knows no campaigns: all its budgets are its own. */
export function wholeAccount(member: Member | undefined, { account, demand }: Scene): Candidate {
  const budgets = [...new Map([...account.budgets.values()].map((budget) => [budget.budgetId, budget])).values()];
  const amount = budgets.length > 0 ? sumOf(budgets) : undefined;
  const members = member === undefined ? [] : [member];
  return { subject: accountSubject(account), figures: new Figures(demand, members, amount), budgets };
}

/** Whether the subject has rows in the rule's days and is chosen by its attributes. Unknown is not chosen. */
export function takesPart({ where, newestFirst }: CompiledRule, { figures }: Candidate): boolean {
  return figures.hasRows(newestFirst) && (where === undefined || where(figures) === 'true');
}

const NO_NAMES = {
  ...{ campaignId: undefined, campaignName: undefined, budgetId: undefined },
  ...{ adGroupId: undefined, criterionId: undefined },
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
  const [first, ...rest] = budgets.map(({ amount }) => unitsOfBudget(amount));
  return rest.reduce((sum, { n }) => ({ n: sum.n + n, d: sum.d }), first ?? { n: 0n, d: 1n });
}

/** A value as the newest of the member's rows has it. */
function newestText(member: Member, field: string, { demand, columns }: Scene): string | undefined {
  const attribute = demand.attributes.indexOf(columnOf(columns, field) ?? '');
  const value = member.stretches.findLast((stretch) => stretch !== undefined)?.attributes[attribute];
  return value === undefined || value === null ? undefined : String(value);
}

function named(name: string | undefined, what: string): string {
  return name === undefined ? what : `${name} (${what})`;
}
