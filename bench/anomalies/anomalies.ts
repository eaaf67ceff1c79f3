import { type PartReport, renderTable, whole } from '../figures.ts';
import { CLICKS_LEAST, comparedVariants, type Grain, lookedAt } from './anomaly-rules.ts';
import { readYear } from './real-year.ts';
import { RESULTS } from './result-rules.ts';
import { type SimulatedSize, simulatedYears } from './simulated-years.ts';
import { tryAnomalies } from './try-anomalies.ts';
import type { Change, Year } from './year.ts';

/** Two accounts of a hundred campaigns, and the days before the year that its first rules compare with. */
const SIMULATED: SimulatedSize = { seeds: [1, 2], campaigns: 100, days: 36 + 365 };

/**
 * Tries rules that look for anomalies on simulated years, and with a file on a year of real history. Each year is tried as it was,
 * and with changes put into it. No target.
 */
export async function benchAnomalies(file: string | undefined): Promise<PartReport> {
  const figures = results(simulatedYears(SIMULATED));
  return { figures, targets: [], ...(file === undefined ? {} : { apart: { clicks: await clicks(file) } }) };
}

/** The days that a change lasts; a cell of the comparison has a figure for each. */
const LENGTHS = [1, 2, 5];

const clicksLeft = (times: number, days: number, afterBadWeek = false): Change => ({
  metric: 'clicks',
  times,
  days,
  afterBadWeek,
});

/** The changes of the comparison, by column. */
const DROPS = [0.5, 0.2].map((times) => LENGTHS.map((days) => clicksLeft(times, days)));
const REPEATED = clicksLeft(0.2, 2, true);

async function clicks(file: string): Promise<string> {
  const grains: readonly Grain[] = ['campaign', 'keyword'];
  const compared: string[] = [];
  for (const grain of grains) compared.push(compareClicks(await readYear(file, grain), grain));
  return compared.join('\n\n');
}

function compareClicks(year: Year, grain: Grain): string {
  const changes = [...DROPS.flat(), REPEATED];
  const trial = tryAnomalies({ year, lookedAt: lookedAt(grain), variants: comparedVariants(grain), changes });
  const table = renderTable(
    [`${grain}s`, 'alarms', 'on holidays', ...DROPS.map(titleOf), 'a week after the same'],
    trial.outcomes.map(({ name, alarmsPerYear, onHolidaysPerYear, found }) => [
      name,
      alarmsPerYear.toFixed(2),
      onHolidaysPerYear.toFixed(2),
      ...byColumn([...DROPS, [REPEATED]], found),
    ]),
  );
  const enough = `with a usual value of at least ${CLICKS_LEAST[grain]} clicks`;
  const { lookedAt: looked, subjects, years, changes: drops } = trial;
  const counts = `${whole(looked)} of ${whole(subjects)} ${grain}s, ${years.toFixed(1)} ${grain}-years, ${whole(drops)} added drops`;
  return `${table}\n\nIncluded: days ${enough} (${counts}).`;
}

function results(year: Year): string {
  const parts = RESULTS.map(({ name, enough, columns, ...rules }) => {
    const trial = tryAnomalies({ year, ...rules, changes: columns.flat() });
    const table = renderTable(
      [name, 'alarms', ...columns.map((own) => `${titleOf(own)}: ${own.map(({ days }) => days).join(', ')} days`)],
      trial.outcomes.map(({ name: variant, alarmsPerYear, found }) => [
        variant,
        alarmsPerYear.toFixed(2),
        ...byColumn(columns, found),
      ]),
    );
    const counts = `${whole(trial.lookedAt)} campaigns, ${whole(trial.years)} campaign-years, ${whole(trial.changes)} added changes`;
    return `${table}\n\nIncluded: days ${enough} (${counts}).`;
  });
  return parts.join('\n\n');
}

/** The page says that these figures are in %. */
function byColumn(columns: readonly (readonly Change[])[], found: readonly number[]): string[] {
  const left = [...found];
  return columns.map((own) => left.splice(0, own.length).map(percent).join(', '));
}

const percent = (share: number): string => String(Math.round(share * 100));

/** "−80 %" or "×2", which all changes of the column share; "a week after the same" has words of its own. */
function titleOf([change]: readonly Change[]): string {
  const times = change?.times ?? 1;
  return times < 1 ? `−${Math.round((1 - times) * 100)} %` : `×${times}`;
}
