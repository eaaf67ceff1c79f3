import type { CampaignStatus } from '../../domain/campaign-status.ts';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';

export type Status = CampaignStatus;
export type Channel = 'SEARCH' | 'PERFORMANCE_MAX' | 'DISPLAY';
export type MatchType = 'EXACT' | 'PHRASE' | 'BROAD';

export interface Budget {
  readonly id: BudgetId;
  readonly name: string;
  /** The amount before any change. */
  readonly baseAmount: Micros;
  readonly explicitlyShared: boolean;
  readonly campaignIds: readonly CampaignId[];
}

export interface Campaign {
  readonly id: CampaignId;
  readonly name: string;
  readonly status: Status;
  readonly channel: Channel;
  readonly budget: Budget;
  readonly results: Results;
}

export interface Results {
  readonly conversionsPerClick: number;
  /** In currency units. */
  readonly orderValue: number;
}

export interface AdGroup {
  readonly id: string;
  readonly name: string;
  readonly status: Status;
}

export interface Keyword {
  readonly campaign: Campaign;
  readonly adGroup: AdGroup;
  /** Unique only within the ad group. */
  readonly criterionId: string;
  readonly status: Status;
  readonly text: string;
  readonly matchType: MatchType;
}

export interface OpenGroup {
  readonly campaign: Campaign;
  readonly group: AdGroup;
}

export interface Account {
  readonly customerId: CustomerId;
  readonly name: string;
  readonly currency: string;
  readonly timeZone: string;
  readonly budgets: readonly Budget[];
  readonly campaigns: readonly Campaign[];
  readonly keywords: readonly Keyword[];
  readonly openGroups: readonly OpenGroup[];
}

/** `unitIndex` of a row is an index into this list. */
export function unitsOf({ keywords, openGroups }: Account): readonly (Keyword | OpenGroup)[] {
  return [...keywords, ...openGroups];
}

export interface Moment {
  readonly today: CivilDate;
  readonly elapsedShare: number;
  amountOn(budget: Budget, date: CivilDate): Micros;
}

/** `unitIndex` is an index into {@link unitsOf}. Total costs stay below 2^53 micros, so sums are exact. */
export type VisitRow = (
  unitIndex: number,
  impressions: number,
  clicks: number,
  costMicros: number,
  wanted: number,
) => void;

export interface Market {
  readonly identity: string;
  /** Decides random values such as conversions and ranks. */
  readonly seed: number;
  readonly simulatedCost: boolean;
  readonly accounts: readonly Account[];
  /** Undefined unless the market replays a file. */
  readonly replayedDays?: DateRange;
  /** In ascending order. */
  days(account: Account, today: CivilDate): readonly CivilDate[];
  /** Rows can come in any order. Units without impressions may be missing. */
  visitDay(account: Account, date: CivilDate, moment: Moment, visit: VisitRow): void;
}

/** The result contains the budget amounts before any change. */
export function describeMarket({ identity, simulatedCost, replayedDays, accounts }: Market) {
  return {
    identity,
    simulatedCost,
    replayedDays,
    accounts: accounts.map(({ customerId, name, currency, timeZone, budgets }) => ({
      customerId,
      name,
      currency,
      timeZone,
      budgets: budgets.map(({ id, baseAmount, campaignIds }) => ({
        budgetId: id,
        amountMicros: baseAmount,
        campaignIds,
      })),
    })),
  };
}
