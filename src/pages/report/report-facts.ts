import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { Frozen } from '../../domain/frozen.ts';
import type { RecordedDecision } from '../../store/budgets/decision-table.ts';
import type { LastRead } from '../../store/runs/coverage-table.ts';
import type { PastRun } from '../../store/runs/run-history.ts';
import type { RunTarget } from '../../store/runs/run-result-table.ts';
import type { MESSAGE_WORDS } from '../../text/state-words.ts';

/** What a day came to; undefined for what is not known. A complete day without rows came to nothing, which is known. */
export interface DaySums {
  readonly costMicros: bigint | undefined;
  readonly clicks: bigint | undefined;
}

/** A day of an account in the table the report is made of. */
export interface DayFacts extends DaySums {
  readonly date: CivilDate;
  readonly state: 'settled' | 'provisional' | 'missing';
}

/** What may be spent a day, in micros, as far as is known. */
export interface DailyBudget {
  readonly dailyMicros: bigint;
  /** Where the amount is known from, as the end of a sentence: "the table campaign_budget". */
  readonly source: string;
  /** Of an account: how many budgets the amount is the sum of. Of a campaign: how many campaigns spend from it. */
  readonly count: number;
  /** Of a campaign: more campaigns may spend from it than those that are known. */
  readonly isPartial?: boolean;
}

export interface CampaignFacts {
  readonly campaignId: string;
  readonly name: string | undefined;
  /** Complete days only, as far back as pacing and movers look; a day that is not here came to nothing. */
  readonly days: ReadonlyMap<CivilDate, DaySums>;
  /** Undefined where it is not known, or shared with campaigns that are not known. */
  readonly budget: DailyBudget | undefined;
}

export interface AccountFacts {
  readonly customerId: string;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly timeZone: string | undefined;
  /** When its numbers were read last, and why a later try failed. */
  readonly lastRead: LastRead;
  /** The tables of budgets whose last read failed. */
  readonly oldBudgets: readonly (LastRead & { readonly table: string })[];
  /** In order, without gaps, at most a year. Empty for an account of which no day was read. */
  readonly days: readonly DayFacts[];
  readonly budget: DailyBudget | undefined;
  /** Undefined where the page says nothing of campaigns for want of room. */
  readonly campaigns: readonly CampaignFacts[] | undefined;
}

/** A run with each of its failures, one sentence each. */
export type LastRun = Omit<PastRun, 'error' | 'failures'> & { readonly failures: readonly string[] };

/** A budget change that was made, with the days before and after it. */
export interface ChangeFacts extends RecordedDecision {
  readonly before: PeriodSums | undefined;
  readonly after: PeriodSums | undefined;
}

export interface PeriodSums extends DaySums {
  readonly days: number;
}

export interface ForeignFacts {
  readonly at: string;
  readonly account: string;
  readonly subject: string;
  readonly currency: string | undefined;
  readonly expectedMicros: bigint;
  readonly foundMicros: bigint;
}

export interface CoverageFacts {
  readonly query: string;
  readonly account: string;
  readonly first: CivilDate | undefined;
  readonly completeUntil: CivilDate | undefined;
  readonly provisionalDays: number;
  readonly missingDays: number;
  /** The first few stretches of missing days. */
  readonly holes: readonly DateRange[];
  /** Days that were over when first read and said something else later, and how late the last one still did. */
  readonly restatedDays: bigint;
  readonly lagDays: bigint | undefined;
}

export const ALERTS_READ = 500;

/** What one recipient is told of one alert. */
export interface AlertFacts {
  /** Which alert; the same for each recipient. */
  readonly alert: string;
  /** The message that told it; undefined while none was sent. */
  readonly message: string | undefined;
  /** When it was taken by the service, or else made: an instant, UTC. */
  readonly at: string;
  readonly severity: string;
  readonly channel: string;
  /** Masked; undefined while nobody is named. */
  readonly recipient: string | undefined;
  readonly state: keyof typeof MESSAGE_WORDS;
  readonly text: string;
}

/** How the months of the rules' targets went when a run looked. */
export interface TargetsFacts {
  readonly runId: bigint;
  /** Instant, UTC. */
  readonly at: string;
  readonly rows: readonly RunTarget[];
}

/** Everything the report says; money in micros, exact. */
export interface ReportFacts {
  /** The newest reading that the numbers come from; undefined where nothing was read. An instant, UTC. */
  readonly asOf: string | undefined;
  readonly writtenAt: string;
  readonly target: string | undefined;
  /** How far automation may go now, and why no budget is changed. */
  readonly mode: string;
  readonly frozen: Frozen | undefined;
  readonly lastRun: LastRun | undefined;
  /** The newest run that could decide anything for good. */
  readonly decidingRun: bigint | undefined;
  /** What a reader must know to judge the numbers, one sentence each. */
  readonly notes: readonly string[];
  /** The table that spend and clicks come from; undefined where none has them. */
  readonly table: string | undefined;
  /** Where there is no such table: the query that lacks least for one, and the fields that it lacks. */
  readonly nearest: { readonly query: string; readonly lacks: readonly string[] } | undefined;
  /** The tables that list budgets as they are now, and those that say which campaign spends from which. */
  readonly budgetTables: { readonly budgets: readonly string[]; readonly campaigns: readonly string[] };
  readonly accounts: readonly AccountFacts[];
  readonly accountsLeftOut: number;
  readonly lastDecisions: readonly RecordedDecision[];
  /** Of the last 30 days, the newest first. */
  readonly decisions: readonly RecordedDecision[];
  /** How many runs of the last 30 days are of before refusals were recorded. */
  readonly runsWithoutRefusals: number;
  /** What each rule is for, by its name, where its file says so now. */
  readonly ruleTexts?: ReadonlyMap<string, string>;
  /** Undefined where no rule paces. */
  readonly targets?: TargetsFacts | undefined;
  readonly changes: readonly ChangeFacts[];
  readonly changesLeftOut: number;
  readonly foreign: readonly ForeignFacts[];
  readonly openProposals: number;
  readonly coverage: readonly CoverageFacts[];
  readonly alerts: readonly AlertFacts[];
}
