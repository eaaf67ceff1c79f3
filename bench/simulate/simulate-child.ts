import { simulate } from '../../src/commands/simulate/run-simulate.ts';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { loadInputs } from '../../src/engine/load-inputs.ts';
import type { SimulationResult } from '../../src/language/results/simulation-result.ts';
import { jsonListing } from '../../src/views/kit/json.ts';
import { SIMULATE } from '../../src/views/simulate.ts';
import { measure, readJob } from '../measurement.ts';
import type { SimulateJob } from './simulate.ts';

const HOUR_MS = 3_600_000;

/** `simulate-child.js JOB`: the shipped rules on a simulated account, from the files to the JSON. */
const { days, campaigns, withRules } = readJob<SimulateJob>();
let result: SimulationResult | undefined;
await measure(
  async () => {
    const { queries, rules } = await loadInputs(
      { queries: 'queries', rules: 'rules', targets: '', models: 'models' },
      () => ({
        catalogue: loadCatalogue('v25'),
      }),
    );
    result = await simulate(
      { queries, rules: withRules ? rules : [], targets: [], rates: [] },
      {
        days,
        seed: 1,
        marketFile: undefined,
        customerId: undefined,
        campaigns,
        from: undefined,
        shocks: true,
        changesCount: 'same_day',
        policy: { cooldownMs: HOUR_MS, repeatMs: 24 * HOUR_MS },
        boundsOf: () => ({ dailyTotalMax: undefined, dailyExposureMax: undefined }),
        holidaysOf: () => new Set<never>(),
        conversionDaysOf: () => 7,
        mode: 'apply',
      },
    );
    jsonListing(SIMULATE, result);
  },
  () => {
    // Rules that never look would be quick.
    if (withRules && !result?.rules.some(({ fired }) => fired > 0)) throw new Error('Simulating: no rule ever fired.');
  },
);
