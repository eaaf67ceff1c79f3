import type { CivilDate } from '../../domain/civil-date.ts';
import type { Frozen } from '../../domain/frozen.ts';
import type { RecordedDecision } from '../../store/budgets/decision-table.ts';
import type { LastRead } from '../../store/runs/coverage-table.ts';
import type { PastRun } from '../../store/runs/run-history.ts';
import type { RunTarget } from '../../store/runs/run-result-table.ts';
import type { MESSAGE_WORDS } from '../../text/state-words.ts';
import type { ShownForeignChange } from '../../views/budgets-history.ts';
import type { AccountCoverage } from '../../views/coverage.ts';

/** Undefined means unknown; a complete day without rows is a known zero. */
export interface DaySums {
  readonly costMicros: bigint | undefined;
  readonly clicks: bigint | undefined;
  /** Known only by campaign, and if the table has them. */
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
  /** Words for the end of a sentence: "the table campaign_budget". */
  readonly source: string;
  /** Number of budgets of an account, or of campaigns that share a campaign's budget. */
  readonly count: number;
  /** Unknown campaigns may share it. */
  readonly isPartial?: boolean;
}

export interface CampaignFacts {
  readonly campaignId: string;
  readonly name: string | undefined;
  /** The complete days that pacing and movers need. An absent day counts as zero. */
  readonly days: ReadonlyMap<CivilDate, DaySums>;
  readonly budget: DailyBudget | undefined;
  /** Share of this month's eligible impressions in search. */
  readonly lostToBudget?: number | undefined;
}

export interface AccountFacts {
  readonly customerId: string;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly timeZone: string | undefined;
  readonly lastRead: LastRead;
  readonly oldBudgets: readonly (LastRead & { readonly table: string })[];
  /** In order, without gaps, at most a year. */
  readonly days: readonly DayFacts[];
  readonly budget: DailyBudget | undefined;
  /** Undefined if the page has no room for campaigns. */
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
  /** Undefined until it is sent. */
  readonly message: string | undefined;
  /** When the service accepted it, or else when it was created. UTC. */
  readonly at: string;
  readonly severity: string;
  readonly channel: string;
  /** The masked address. */
  readonly recipient: string | undefined;
  readonly state: keyof typeof MESSAGE_WORDS;
  readonly text: string;
}

export interface TargetsFacts {
  readonly runId: bigint;
  readonly at: string;
  readonly rows: readonly RunTarget[];
}

/** Money is in micros, exact. */
export interface ReportFacts {
  /** When the newest of the numbers were read, in UTC. Undefined before the first read. */
  readonly asOf: string | undefined;
  readonly writtenAt: string;
  readonly target: string | undefined;
  readonly mode: string;
  readonly frozen: Frozen | undefined;
  readonly lastRun: LastRun | undefined;
  /** The newest report run that was not a dry run. */
  readonly decidingRun: bigint | undefined;
  readonly notes: readonly string[];
  /** Source of spend and clicks; undefined if no table has both. */
  readonly table: string | undefined;
  readonly nearest: { readonly query: string; readonly lacks: readonly string[] } | undefined;
  readonly budgetTables: { readonly budgets: readonly string[]; readonly campaigns: readonly string[] };
  readonly accounts: readonly AccountFacts[];
  readonly accountsLeftOut: number;
  readonly lastDecisions: readonly RecordedDecision[];
  readonly decisions: readonly RecordedDecision[];
  /** Runs of the last 30 days by a version that did not record refusals. */
  readonly runsWithoutRefusals: number;
  readonly ruleTexts?: ReadonlyMap<string, string>;
  /** Undefined if no rule paces. */
  readonly targets?: TargetsFacts | undefined;
  readonly changes: readonly ChangeFacts[];
  readonly changesLeftOut: number;
  readonly foreign: readonly ForeignFacts[];
  readonly openProposals: number;
  readonly coverage: readonly AccountCoverage[];
  readonly alerts: readonly AlertFacts[];
}
