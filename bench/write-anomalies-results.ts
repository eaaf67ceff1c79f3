import { CLICKS_LEAST } from './anomaly-rules.ts';
import { type AnomaliesResults, CHOICE_DROPS, DROPS } from './bench-anomalies.ts';
import { renderTable, whole } from './markdown.ts';
import type { PartReport } from './part-report.ts';
import type { Drop, Trial } from './try-anomalies.ts';

/** What was found of false alarms and of drops; there are no targets. */
export function reportAnomalies({ compared, choices }: AnomaliesResults): PartReport {
  const chosen = renderTable(
    ['share', 'spreads', 'days before', 'alarms', ...CHOICE_DROPS.map(titleOf)],
    choices.map(({ share, spreads, daysBefore, alarmsPerYear, found }) => [
      ...[share, spreads, daysBefore ? 'too' : '', alarmsPerYear.toFixed(2), ...found.map(percent)],
    ]),
  );
  const parts = [...compared.map(comparison), `The thresholds, for campaigns, two days running:\n\n${chosen}`];
  return { figures: parts.join('\n\n'), targets: [] };
}

function comparison({ grain, subjects, lookedAt, years, drops, outcomes }: Trial): string {
  const table = renderTable(
    [`${grain}s`, `alarms per ${grain}-year`, 'on holidays', ...DROPS.map(titleOf)],
    outcomes.map(({ name, alarmsPerYear, onHolidaysPerYear, found }) => [
      ...[name, alarmsPerYear.toFixed(2), onHolidaysPerYear.toFixed(2), ...found.map(percent)],
    ]),
  );
  const enough = `${CLICKS_LEAST[grain]} clicks on a usual day of the weekday`;
  const exposure = `${whole(lookedAt)} of ${whole(subjects)} ${grain}s have ${enough} for thirty days or more, ${years.toFixed(1)} years together`;
  return `${table}\n\n${exposure}; ${whole(drops)} drops were put in.`;
}

function titleOf({ share, days, afterBadWeek }: Drop): string {
  const length = `−${share * 100} %, ${days} ${days === 1 ? 'day' : 'days'}`;
  return afterBadWeek ? `${length}, a week after the same` : length;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
