import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { loadInputs } from '../../src/engine/load-inputs.ts';
import { CAMPAIGN_DAYS, simulateIn } from './simulate-in.ts';

export const QUARTER_DAYS = 90;

/** One amount for the four accounts of the sandbox, which has four currencies. The band is that of the promise: 2 percent. */
const CLIENT = `description: A client buys 30,000 EUR a month in four countries.
currency: EUR
amount: 30000
members: [{ account: 4081725530 }, { account: 7350926148 }, { account: 6193047821 }, { account: 9264813507 }]
band: 99% to 101%
limits: { floor: 5, ceiling: 800 }
`;
export const RATES = 'date,from,to,rate\n2026-01-01,GBP,EUR,1.17\n2026-01-01,USD,EUR,0.92\n2026-01-01,EUR,JPY,165\n';

/** How far each month of a simulated quarter ends from the target, as a share of the target. */
export async function clientQuarter(folder: string, seed: number): Promise<number[]> {
  const inputs = await inputsWith(folder, { 'targets/client.yaml': CLIENT, 'exchange_rates.csv': RATES });
  const { targets } = await simulateIn(inputs, { days: QUARTER_DAYS, seed, campaigns: undefined });
  return targets.map(({ targetMicros, withMicros }) => Number(withMicros - targetMicros) / Number(targetMicros));
}

/** Inputs of files beside a query of daily costs. */
export async function inputsWith(folder: string, files: Readonly<Record<string, string>>) {
  for (const name of ['queries', 'rules', 'targets']) mkdirSync(join(folder, name), { recursive: true });
  const queries = Object.entries(CAMPAIGN_DAYS).map(([name, text]) => [`queries/${name}`, text] as const);
  for (const [name, text] of [...queries, ...Object.entries(files)]) writeFileSync(join(folder, name), text);
  const paths = { queries: 'queries', rules: 'rules', models: 'models', targets: 'targets' };
  const beside = Object.fromEntries(Object.entries(paths).map(([kind, name]) => [kind, join(folder, name)]));
  return loadInputs(beside as typeof paths, () => ({ catalogue: loadCatalogue('v25') }));
}
