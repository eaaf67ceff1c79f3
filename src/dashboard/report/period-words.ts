import { rangeText } from '../../views/html/wording.ts';
import type { ReportFacts } from '../../views/report/report-facts.ts';

/** The days that somebody chose, or "last 30 days". */
export function periodWords({ range }: Pick<ReportFacts, 'range'>, days: number): string {
  return range?.isChosen ? rangeText(range.range) : `last ${days} days`;
}
