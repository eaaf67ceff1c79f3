import { type PartReport, renderTable, whole } from '../figures.ts';
import { CLICKS_LEAST, choices, comparedVariants, type Grain } from './anomaly-rules.ts';
import { readYear } from './real-year.ts';
import { type Drop, type Trial, tryAnomalies } from './try-anomalies.ts';

/** The drops of the comparison, in the order of the table's columns. */
const DROPS: readonly Drop[] = [
  ...[0.5, 0.8].flatMap((share) => [1, 2, 5].map((days) => ({ share, days }))),
  { share: 0.8, days: 2, afterBadWeek: true },
];

/** Those by which the thresholds were chosen. */
const CHOICE_DROPS: readonly Drop[] = [
  { share: 0.5, days: 2 },
  { share: 0.5, days: 5 },
  { share: 0.8, days: 2 },
];

/** Tries rules that look for anomalies on a year of real history, and on the same year with drops put into it. No target. */
export async function benchAnomalies(file: string | undefined): Promise<PartReport> {
  if (file === undefined) {
    throw new Error(
      'The anomalies are measured on a year of real history, and no file is named.\nnext step: npm run bench -- anomalies --data FILE, a CSV with date, keyword_id, impressions and clicks',
    );
  }
  const grains: readonly Grain[] = ['campaign', 'keyword'];
  const compared: Trial[] = [];
  for (const grain of grains) compared.push(tryAnomalies(await readYear(file, grain), comparedVariants(), DROPS));
  const candidates = choices();
  const { outcomes } = tryAnomalies(await readYear(file, 'campaign'), candidates, CHOICE_DROPS);
  const chosen = renderTable(
    ['share', 'spreads', 'days before', 'alarms', ...CHOICE_DROPS.map(titleOf)],
    candidates.map(({ share, spreads, daysBefore }, place) => [
      share,
      spreads,
      daysBefore ? 'too' : '',
      outcomes[place]?.alarmsPerYear.toFixed(2) ?? '',
      ...(outcomes[place]?.found.map(percent) ?? []),
    ]),
  );
  const parts = [...compared.map(comparison), `The thresholds, for campaigns, two days running:\n\n${chosen}`];
  return { figures: parts.join('\n\n'), targets: [] };
}

function comparison({ grain, subjects, lookedAt, years, drops, outcomes }: Trial): string {
  const table = renderTable(
    [`${grain}s`, `alarms per ${grain}-year`, 'on holidays', ...DROPS.map(titleOf)],
    outcomes.map(({ name, alarmsPerYear, onHolidaysPerYear, found }) => [
      name,
      alarmsPerYear.toFixed(2),
      onHolidaysPerYear.toFixed(2),
      ...found.map(percent),
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
