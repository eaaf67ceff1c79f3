import { parse } from 'node:path';
import { type SimulationOrder, simulate } from '../../src/commands/simulate/run-simulate.ts';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import type { Inputs } from '../../src/engine/load-inputs.ts';
import { checkQueryFile } from '../../src/language/gaql/query-file.ts';
import type { SimulationResult } from '../../src/language/results/simulation-result.ts';
import { checkRuleFile } from '../../src/language/rules/file/rule-file.ts';
import { checkTargetFile } from '../../src/language/targets/target-file.ts';

export const CAMPAIGN_DAYS = {
  'stats.sql': `SELECT campaign.id, campaign.name, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date
    FROM campaign WHERE segments.date DURING LAST_30_DAYS`,
};

/** Query, rule and target files, checked as the commands check them. */
export function inputsOf(
  rules: Readonly<Record<string, string>>,
  queries: Readonly<Record<string, string>> = CAMPAIGN_DAYS,
  targets: Readonly<Record<string, string>> = {},
): Pick<Inputs, 'queries' | 'rules' | 'targets'> {
  const context = { catalogue: loadCatalogue('v25') };
  const checked = Object.entries(queries).map(([file, text]) =>
    required(checkQueryFile(parse(file).name, text, context)?.query, file),
  );
  const byName = new Map(checked.map((query) => [query.name, query]));
  const about = {
    version: '0'.repeat(12),
    completeness: { settleDays: new Map(), conversionDays: 7 },
    catalogueOf: () => context.catalogue,
  };
  return {
    queries: checked,
    rules: Object.entries(rules).map(([file, text]) =>
      required(checkRuleFile(parse(file).name, text, byName, new Set(), about).rule, file),
    ),
    targets: Object.entries(targets).map(([file, text]) =>
      required(checkTargetFile(parse(file).name, text, byName, new Set(), about).target, file),
    ),
  };
}

function required<Item>(item: Item | undefined, file: string): Item {
  if (item === undefined) throw new Error(`${file} has errors.`);
  return item;
}

const HOUR_MS = 3_600_000;

/** A simulation of ten days of a small account, unless something else is said. */
export function simulateIn(
  inputs: Pick<Inputs, 'queries' | 'rules'> & Partial<Pick<Inputs, 'targets' | 'rates'>>,
  options: Partial<SimulationOrder> = {},
): Promise<SimulationResult> {
  return simulate(
    { targets: [], rates: [], ...inputs },
    {
      days: 10,
      seed: 1,
      marketFile: undefined,
      customerId: undefined,
      campaigns: 8,
      from: undefined,
      shocks: true,
      changesCount: 'same_day',
      policy: { cooldownMs: HOUR_MS, repeatMs: 24 * HOUR_MS },
      boundsOf: () => ({ dailyTotalMax: undefined, dailyExposureMax: undefined }),
      holidaysOf: () => new Set<never>(),
      conversionDaysOf: () => 7,
      mode: 'apply',
      ...options,
    },
  );
}
