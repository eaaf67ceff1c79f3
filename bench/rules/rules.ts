import { describeRuns, type PartReport, renderPipelines, whole } from '../figures.ts';
import { withDatabase } from '../folders.ts';
import { compareMeasured, type Measurement } from '../measurement.ts';
import { runChild } from '../processes.ts';
import { DAYS, KEYWORDS, RULES, type RulesJob } from './rules-job.ts';

export interface RulesSizes {
  readonly runs: number;
  readonly campaigns: number;
}

const BY_SUMS_MAX = 1.2;

/** Measures the evaluation of many rules against the bare sums that it cannot do without: target 8. */
export async function benchRules(folder: string, { runs, campaigns }: RulesSizes): Promise<PartReport> {
  const { baseline, ours, ratio } = await withDatabase(folder, async (database) => {
    const job: RulesJob = { database, campaigns, days: DAYS };
    await runChild('rules/fill-rules', job);
    const sum = () => runChild<Measurement>('rules/bare-sums', job);
    // Not counted: it brings the file into the machine's memory for both.
    await sum();
    return compareMeasured('rules', runs, sum, () => runChild<Measurement>('rules/rules', job));
  });
  const rows = campaigns * DAYS * KEYWORDS;
  const times = `${ratio.median.toFixed(2)} ×`;
  const table = renderPipelines([
    { name: 'A: a plain SQL sum', rows, measurement: baseline, ratio: '1' },
    { name: `pacekeeper, ${RULES} rules`, rows, measurement: ours, ratio: `${times} A`, rounds: ratio },
  ]);
  return {
    figures: `${table}\n\n${describeRuns(runs)} The account has ${whole(campaigns)} campaigns.`,
    targets: [{ number: 8, found: times, reached: ratio.median <= BY_SUMS_MAX }],
  };
}
