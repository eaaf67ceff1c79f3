import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFolder } from './world.ts';

const EUR = '4081725530';
const GBP = '7350926148';

/** 6,452.22 EUR are left for eleven days: 586.56 EUR a day. The report wants one budget raised and two lowered. */
export const NORTHWIND = {
  customers: `${EUR},${GBP}`,
  query: `SELECT campaign.id, campaign.name, campaign.status, segments.date, metrics.cost_micros, metrics.clicks
FROM campaign WHERE segments.date DURING LAST_30_DAYS`,
  target: `description: Northwind buys one amount in two countries.
currency: EUR
amount: 9000
members:
  - { account: ${EUR}, where: "campaign_name IN ('Generisch - Zelte', 'Schlafsäcke')" }
  - { account: ${GBP}, where: "campaign_name IN ('Road Bikes', 'Helmets')" }
limits: { cooldown: 1 day }
mode: approve
`,
  /** Decreases first, as they are made. */
  lines: [
    { customer: EUR, budget: '11087092910', from: 45_000_000n, to: 33_510_000n },
    { customer: GBP, budget: '13087061940', from: 95_000_000n, to: 61_110_000n },
    { customer: EUR, budget: '11087046455', from: 85_000_000n, to: 170_000_000n },
  ],
} as const;

export function putNorthwind(folder: string, target: string = NORTHWIND.target): void {
  writeFolder(folder, 'targets', { 'northwind.yaml': target });
  writeFileSync(join(folder, 'exchange_rates.csv'), 'date,from,to,rate\n2026-11-19,GBP,EUR,1.17\n');
}
