import { interleave, medianOf, type Ratio, ratioOf } from './interleave.ts';
import { DAYS, RULES } from './many-rules.ts';
import type { Measurement } from './measurement.ts';
import { KEYWORDS, type RulesJob } from './rules-job.ts';
import { runChild } from './run-child.ts';
import { withDatabase } from './with-folder.ts';

export interface RulesSizes {
  readonly runs: number;
  readonly campaigns: number;
}

export interface RulesResults extends RulesSizes {
  readonly rows: number;
  readonly rules: number;
  /** The bare statement. */
  readonly sums: Measurement;
  readonly evaluation: Measurement;
  readonly evaluationBySums: Ratio;
}

/** Measures the evaluation of many rules against the bare sums that it cannot do without. */
export async function benchRules(folder: string, { runs, campaigns }: RulesSizes): Promise<RulesResults> {
  return withDatabase(folder, async (database) => {
    const job: RulesJob = { database, campaigns };
    await runChild('fill-rules', job);
    const sum = () => runChild<Measurement>('bare-sums', job);
    const evaluate = () => runChild<Measurement>('rules', job);
    // Not counted: it brings the file into the machine's memory for both.
    await sum();
    const rounds = await interleave('rules', runs, sum, evaluate);
    return {
      ...{ runs, campaigns, rules: RULES, rows: campaigns * DAYS * KEYWORDS },
      sums: medianOf(rounds, ({ baseline }) => baseline),
      evaluation: medianOf(rounds, ({ ours }) => ours),
      evaluationBySums: ratioOf(rounds, ({ baseline, ours }) => ours.seconds / baseline.seconds),
    };
  });
}
