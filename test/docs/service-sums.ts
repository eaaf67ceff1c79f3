import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { rowsOf } from '../sandbox/sandbox-client.ts';

/** A row of the service's own answer, with whole numbers where the service has texts. */
export interface ServiceRow {
  readonly account: string;
  readonly name: string;
  /** Names the campaign or the keyword within its account. */
  readonly id: string;
  readonly date: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly costMicros: number;
}

/** What the service itself answers about the days of all accounts: nothing of the product takes part. */
export async function serviceRows(
  sandbox: Sandbox,
  resource: 'campaign' | 'keyword_view',
  [from, to]: readonly [string, string],
  and = '',
): Promise<ServiceRow[]> {
  const name = resource === 'campaign' ? 'campaign.name' : 'ad_group_criterion.keyword.text';
  const fields = `${name}, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date`;
  const ids = resource === 'campaign' ? 'campaign.id' : 'ad_group.id, ad_group_criterion.criterion_id';
  const query = `SELECT ${ids}, ${fields} FROM ${resource} WHERE segments.date BETWEEN '${from}' AND '${to}'${and}`;
  const found = sandbox.market.accounts.map(async ({ customerId, name: account }) =>
    (await rowsOf(sandbox, customerId, query)).map(
      ({ campaign, adGroup, adGroupCriterion, metrics, segments }): ServiceRow => ({
        account,
        name: adGroupCriterion?.keyword.text ?? campaign.name,
        id: adGroupCriterion ? `${adGroup.id}/${adGroupCriterion.criterionId}` : campaign.id,
        date: segments.date,
        impressions: Number(metrics.impressions ?? 0),
        clicks: Number(metrics.clicks ?? 0),
        costMicros: Number(metrics.costMicros ?? 0),
      }),
    ),
  );
  return (await Promise.all(found)).flat();
}

/** Sums of the rows by a key, in the order in which the keys appear. */
export function sumsBy(rows: readonly ServiceRow[], keyOf: (row: ServiceRow) => string) {
  const sums = new Map<string, { impressions: number; clicks: number; costMicros: number; days: Set<string> }>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = sums.get(key) ?? { impressions: 0, clicks: 0, costMicros: 0, days: new Set<string>() };
    sum.impressions += row.impressions;
    sum.clicks += row.clicks;
    sum.costMicros += row.costMicros;
    sum.days.add(row.date);
    sums.set(key, sum);
  }
  return sums;
}

/** The Monday of the day's week. */
export function mondayOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}
