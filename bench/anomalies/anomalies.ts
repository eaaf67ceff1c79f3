import { type PartReport, renderTable, whole } from '../figures.ts';
import { CLICKS_LEAST, choices, comparedVariants, type Grain } from './anomaly-rules.ts';
import { readYear } from './real-year.ts';
import { type Drop, type Trial, tryAnomalies } from './try-anomalies.ts';

/** The days that a drop lasts; a cell of the comparison has a figure for each. */
const LENGTHS = [1, 2, 5];
const SHARES = [0.5, 0.8];

/** The drops of the comparison, in the order of the table's figures. */
const DROPS: readonly Drop[] = [
  ...SHARES.flatMap((share) => LENGTHS.map((days) => ({ share, days }))),
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
  const figuresOf = candidates.map((_, place) => [
    outcomes[place]?.alarmsPerYear.toFixed(2) ?? '',
    ...(outcomes[place]?.found.map(percent) ?? []),
  ]);
  // The candidates come in pairs, of which the second also compares with the days before.
  const pairs = candidates.flatMap(({ share, spreads, daysBefore }, place) => {
    const [alone = [], too = []] = figuresOf.slice(place, place + 2);
    return daysBefore ? [] : [[share, spreads, ...alone.map((figure, column) => `${figure}, ${too[column] ?? ''}`)]];
  });
  const chosen = renderTable(['share', 'MADs', 'alarms', ...CHOICE_DROPS.map(titleOf)], pairs);
  const parts = [
    ...compared.map(comparison),
    `Thresholds, for campaigns, two days running: without, then with the days before; drops in %.\n\n${chosen}`,
  ];
  return { figures: parts.join('\n\n'), targets: [] };
}

function comparison({ grain, subjects, lookedAt, years, drops, outcomes }: Trial): string {
  const table = renderTable(
    [`${grain}s`, 'alarms', 'on holidays', ...SHARES.map(signed), 'a week after the same'],
    outcomes.map(({ name, alarmsPerYear, onHolidaysPerYear, found }) => [
      name,
      alarmsPerYear.toFixed(2),
      onHolidaysPerYear.toFixed(2),
      ...SHARES.map((_, place) =>
        found
          .slice(place * LENGTHS.length, (place + 1) * LENGTHS.length)
          .map(percent)
          .join(', '),
      ),
      percent(found.at(-1) ?? 0),
    ]),
  );
  const enough = `${CLICKS_LEAST[grain]} clicks on a usual day of the weekday`;
  const exposure = `${whole(lookedAt)} of ${whole(subjects)} ${grain}s have ${enough} for thirty days or more, ${years.toFixed(1)} years together`;
  return `${table}\n\n${exposure}; ${whole(drops)} drops.`;
}

const signed = (share: number): string => `−${share * 100} %`;
const titleOf = ({ share, days }: Drop): string => `${signed(share)}, ${days} days`;

/** The page says that the figures of drops are in %. */
const percent = (share: number): string => String(Math.round(share * 100));
