import type { RulesResults } from './bench-rules.ts';
import { whole } from './markdown.ts';
import { describeRuns, type PartReport, renderPipelines } from './part-report.ts';

const BY_SUMS_MAX = 1.5;

/** Target 8. */
export function reportRules(results: RulesResults): PartReport {
  const { runs, rows, rules, campaigns, sums, evaluation, evaluationBySums } = results;
  const ratio = `${evaluationBySums.median.toFixed(2)} ×`;
  const table = renderPipelines([
    { name: 'A: the bare SQL aggregate', rows, measurement: sums, ratio: '1' },
    {
      ...{ name: `pacekeeper, ${whole(rules)} rules`, rows, measurement: evaluation },
      ...{ ratio: `${ratio} A`, rounds: evaluationBySums },
    },
  ]);
  return {
    figures: `${table}\n\n${describeRuns(runs)} The account has ${whole(campaigns)} campaigns.`,
    targets: [{ number: 8, found: ratio, reached: evaluationBySums.median <= BY_SUMS_MAX }],
  };
}
