import { writeFolder } from './world.ts';

const ALPEN = '4081725530';
const PACIFIC = '6193047821';

/** Moves money between four budgets in two accounts. Both must be in EUR. */
export const BEST = {
  customers: `${ALPEN},${PACIFIC}`,
  query: `SELECT campaign.id, campaign.name, campaign.status, segments.date, metrics.cost_micros, metrics.clicks,
  metrics.conversions_value FROM campaign WHERE segments.date DURING LAST_30_DAYS`,
  target: `description: Move money to the best campaigns once a week.
currency: EUR
reallocate: conversions_value / cost
over: 14 days
members:
  - { account: ${ALPEN}, where: "campaign_name IN ('Generisch - Zelte', 'Marke - Alpenkontor')" }
  - { account: ${PACIFIC}, where: "campaign_name IN ('GPS Watches', 'Brand - Pacific Trail')" }
limits: { step: 10%, cooldown: 7 days, floor: 5, ceiling: 150 }
mode: apply
`,
  /** Worst first. The first two give. */
  lines: [
    { name: 'Generisch - Zelte', customer: ALPEN, budget: '11087046455', from: 85_000_000n, to: 76_500_000n },
    { name: 'GPS Watches', customer: PACIFIC, budget: '12087092910', from: 140_000_000n, to: 138_500_000n },
    { name: 'Brand - Pacific Trail', customer: PACIFIC, budget: '12087046455', from: 60_000_000n, to: 66_000_000n },
    { name: 'Marke - Alpenkontor', customer: ALPEN, budget: '11087061940', from: 40_000_000n, to: 44_000_000n },
  ],
} as const;

export function putBest(folder: string, target: string = BEST.target): void {
  writeFolder(folder, 'targets', { 'best.yaml': target });
}
