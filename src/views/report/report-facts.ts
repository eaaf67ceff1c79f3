import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { Frozen } from '../../domain/frozen.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import type { ConversionLag } from '../../domain/still-arriving.ts';
import type { MESSAGE_WORDS } from '../../storage/columns/state-words.ts';
import type { RecordedDecision } from '../../storage/records/budgets/decision-table.ts';
import type { LastRead } from '../../storage/records/runs/coverage-table.ts';
import type { PastRun } from '../../storage/records/runs/run-history.ts';
import type { RecordedTarget, RunTarget } from '../../storage/records/runs/run-result-table.ts';
import type { ShownForeignChange } from '../budgets-history.ts';
import type { AccountCoverage } from '../coverage.ts';
import type { Comparison } from './comparison.ts';
import type { Need } from './needs-you.ts';

/** Undefined means unknown. A complete day without rows is a known zero. */
export interface DaySums {
  readonly costMicros: bigint | undefined;
  readonly clicks: bigint | undefined;
  readonly conversions?: number | undefined;
  /** In currency units. */
  readonly conversionsValue?: number | undefined;
}

export interface DayFacts extends DaySums {
  readonly date: CivilDate;
  readonly state: 'settled' | 'provisional' | 'missing';
}

export interface DailyBudget {
  readonly dailyMicros: bigint;
  /** Words for the end of a sentence, such as "the table campaign_budget". */
  readonly source: string;
  readonly count: number;
  /** True if unknown campaigns could also use the budget. */
  readonly isPartial?: boolean;
}

export interface CampaignFacts {
  readonly campaignId: string;
  readonly name: string | undefined;
  /** Contains only complete days. An absent day counts as zero. */
  readonly days: ReadonlyMap<CivilDate, DaySums>;
  readonly budget: DailyBudget | undefined;
  /** A fraction of this month's eligible search impressions. */
  readonly lostToBudget?: number | undefined;
}

export interface AccountFacts {
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly timeZone: string | undefined;
  readonly lastRead: LastRead;
  readonly oldBudgets: readonly (LastRead & { readonly table: string })[];
  /** Contains every day of one year and one day, and of the compared days. Conversion values are unknown unless a rule decides by them. */
  readonly days: readonly DayFacts[];
  /** Undefined without conversions. */
  readonly lag?: ConversionLag | undefined;
  readonly budget: DailyBudget | undefined;
  readonly campaigns: readonly CampaignFacts[] | undefined;
}

export type LastRun = Omit<PastRun, 'error' | 'failures'> & { readonly failures: readonly string[] };

export interface ChangeFacts extends RecordedDecision {
  readonly before: PeriodSums | undefined;
  readonly after: PeriodSums | undefined;
}

export interface PeriodSums extends DaySums {
  readonly days: number;
}

export interface ForeignFacts extends ShownForeignChange {
  readonly campaignName: string | undefined;
}

export const ALERTS_READ = 500;

export interface AlertFacts {
  readonly alert: string;
  /** In UTC. */
  readonly at: string;
  readonly severity: string;
  readonly channel: string;
  readonly recipient: string | undefined;
  readonly state: keyof typeof MESSAGE_WORDS;
  readonly text: string;
}

export interface TargetsFacts {
  readonly runId: bigint;
  readonly at: string;
  readonly rows: readonly RunTarget[];
  /** The target that a reader must know first, with its days. */
  readonly lead?: RecordedTarget | undefined;
}

export interface RangeCampaign extends DaySums {
  readonly customerId: CustomerId;
  readonly campaignId: CampaignId;
  readonly name: string | undefined;
  /** Without the days whose conversions are still arriving. Undefined if there are no others. */
  readonly converted: DaySums | undefined;
  /** Sums of the compared days. Undefined unless somebody chose a comparison, and all days are complete. */
  readonly before: PeriodSums | undefined;
  readonly convertedBefore: PeriodSums | undefined;
}

/** A report that is restricted to accounts, campaigns or days. */
export interface ReportRange {
  readonly range: DateRange;
  /** True if somebody chose the days. Changes and decisions then cover only these days. */
  readonly isChosen: boolean;
  /** Undefined if nobody chose one. */
  readonly comparison?: Comparison | undefined;
  readonly customers: readonly CustomerId[];
  readonly campaigns: readonly CampaignId[];
  /** Most spend first. In several currencies: most clicks first. */
  readonly top: readonly RangeCampaign[];
  /** The SELECT that yields `top`. Undefined without a table. */
  readonly topSql: string | undefined;
}

/** Amounts of money are exact and in micros. */
export interface ReportFacts {
  /** In UTC. Undefined before the first read. */
  readonly asOf: string | undefined;
  readonly writtenAt: string;
  /** Undefined for the whole report. */
  readonly range?: ReportRange | undefined;
  readonly target: string | undefined;
  readonly mode: string;
  readonly frozen: Frozen | undefined;
  readonly lastRun: LastRun | undefined;
  /** The newest report that was not a dry run. */
  readonly decidingRun: bigint | undefined;
  readonly notes: readonly string[];
  /** Undefined if no table has both spend and clicks. */
  readonly table: string | undefined;
  readonly nearest: { readonly query: string; readonly lacks: readonly string[] } | undefined;
  readonly budgetTables: { readonly budgets: readonly string[]; readonly campaigns: readonly string[] };
  readonly accounts: readonly AccountFacts[];
  readonly accountsLeftOut: number;
  readonly lastDecisions: readonly RecordedDecision[];
  readonly decisions: readonly RecordedDecision[];
  /** Counts only the last 30 days. */
  readonly runsWithoutRefusals: number;
  readonly ruleTexts?: ReadonlyMap<string, string>;
  readonly targets?: TargetsFacts | undefined;
  readonly changes: readonly ChangeFacts[];
  readonly changesLeftOut: number;
  readonly foreign: readonly ForeignFacts[];
  readonly needs: readonly Need[];
  /** Number of needs that the filter hides. */
  readonly needsElsewhere: number;
  /** Newest first. */
  readonly runs: readonly PastRun[];
  readonly coverage: readonly AccountCoverage[];
  readonly alerts: readonly AlertFacts[];
}
