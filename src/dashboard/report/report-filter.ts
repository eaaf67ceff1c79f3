import { addDays, type CivilDate, type DateRange } from '../../domain/civil-date.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { rangeText } from '../../views/html/wording.ts';
import type { Comparison } from '../../views/report/comparison.ts';
import type { ReportFacts } from '../../views/report/report-facts.ts';

/** Restricts a report. An undefined day and an empty list restrict nothing. Days are in the accounts' calendars. */
export interface ReportFilter {
  readonly from: CivilDate | undefined;
  readonly to: CivilDate | undefined;
  readonly customers: readonly CustomerId[];
  readonly campaigns: readonly CampaignId[];
  /** Undefined if nobody chose one. */
  readonly comparison?: Comparison | undefined;
}

const RANGE_DAYS = 28;

/** Days that the figures cover. Default: the 28 days until the newest complete day. */
export function rangeOf({ from, to }: Pick<ReportFilter, 'from' | 'to'>, newest: CivilDate): DateRange {
  const end = to ?? (from !== undefined && from > newest ? from : newest);
  return { from: from ?? addDays(end, 1 - RANGE_DAYS), to: end };
}

/** The days that somebody chose, or "last 30 days". */
export function periodWords({ range }: Pick<ReportFacts, 'range'>, days: number): string {
  return range?.isChosen ? rangeText(range.range) : `last ${days} days`;
}
