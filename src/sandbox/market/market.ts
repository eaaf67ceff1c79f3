import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';

export type Status = 'ENABLED' | 'PAUSED';
export type MatchType = 'EXACT' | 'PHRASE' | 'BROAD';

export interface Budget {
  readonly id: BudgetId;
  readonly name: string;
  /** The daily amount before anybody changed it. */
  readonly baseAmount: Micros;
  readonly explicitlyShared: boolean;
  readonly campaignIds: readonly CampaignId[];
}

export interface Campaign {
  readonly id: CampaignId;
  readonly name: string;
  readonly status: Status;
  readonly budget: Budget;
}

export interface AdGroup {
  readonly id: string;
  readonly name: string;
  readonly status: Status;
}

export interface Keyword {
  readonly campaign: Campaign;
  readonly adGroup: AdGroup;
  /** Unique within its ad group only, as in the public interface. */
  readonly criterionId: string;
  readonly status: Status;
  readonly text: string;
  readonly matchType: MatchType;
}

export interface Account {
  readonly customerId: CustomerId;
  readonly name: string;
  readonly currency: string;
  readonly timeZone: string;
  readonly budgets: readonly Budget[];
  readonly campaigns: readonly Campaign[];
  readonly keywords: readonly Keyword[];
}

/** What a market needs to know beside itself to say what happened on a day. */
export interface Moment {
  readonly today: CivilDate;
  /** How much of today has passed, 0 to 1. */
  readonly elapsedShare: number;
  amountOn(budget: Budget, date: CivilDate): Micros;
}

/**
 * One keyword's statistics of one day; the index is the keyword's place in `account.keywords`. `costMicros` is a whole
 * number: each market keeps all its costs together below 2^53, so sums of them are exact.
 */
export type VisitRow = (keywordIndex: number, impressions: number, clicks: number, costMicros: number) => void;

/** Accounts and their history, seeded or replayed. */
export interface Market {
  /** `seed 1` or `market FILE`, for reports. */
  readonly identity: string;
  readonly simulatedCost: boolean;
  readonly accounts: readonly Account[];
  /** From the first to the last day of a history that is replayed; undefined for a market that goes on. */
  readonly replayedDays?: DateRange;
  /** The days that can have statistics, ascending. */
  days(account: Account, today: CivilDate): readonly CivilDate[];
  /** Visits the day's rows in any order; a keyword without impressions may be left out. */
  visitDay(account: Account, date: CivilDate, moment: Moment, visit: VisitRow): void;
}

/** A market as the report and the `sandbox` command describe it; amounts are those before anybody changed them. */
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
