import { type Choice, choices, comparedVariants, type Grain } from './anomaly-rules.ts';
import { readYear } from './real-year.ts';
import { type Drop, type Outcome, type Trial, tryAnomalies } from './try-anomalies.ts';

/** The drops of the comparison, in the order of the table's columns. */
export const DROPS: readonly Drop[] = [
  ...[0.5, 0.8].flatMap((share) => [1, 2, 5].map((days) => ({ share, days }))),
  { share: 0.8, days: 2, afterBadWeek: true },
];

/** Those by which the thresholds were chosen. */
export const CHOICE_DROPS: readonly Drop[] = [
  { share: 0.5, days: 2 },
  { share: 0.5, days: 5 },
  { share: 0.8, days: 2 },
];

export interface AnomaliesResults {
  readonly compared: readonly Trial[];
  readonly choices: readonly (Choice & Outcome)[];
}

/** Tries rules that look for anomalies on a year of real history, and on the same year with drops put into it. */
export async function benchAnomalies(file: string | undefined): Promise<AnomaliesResults> {
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
  return {
    compared,
    choices: candidates.flatMap((choice, place) => {
      const outcome = outcomes[place];
      return outcome === undefined ? [] : [{ ...choice, ...outcome }];
    }),
  };
}
