import { createHttpClient } from '../../src/services/http/http-client.ts';
import { ensureQueryTable } from '../../src/storage/warehouse/evolve-table.ts';
import { ensureMonths } from '../../src/storage/warehouse/postgres/query-tables.ts';
import type { LoadJob, ResponseRow } from '../extraction/response.ts';
import { splitBatches } from '../extraction/split-batches.ts';
import { measure, readJob } from '../measurement.ts';
import { benchQuery, CUSTOMER, daysOf } from '../query.ts';
import { checkStore, openStore } from '../store.ts';

/** Of these, 16 values a row stay below the 65,535 that one statement takes. */
const ROWS_PER_STATEMENT = 2_000;

/**
 * `insert-child.js JOB`: K of the comparison. The same response through the same HTTP client into the product's table:
 * cut into batches, JSON.parse for each, kysely's `values` with many rows a statement, one transaction around all.
 */
const job = readJob<LoadJob>();
const query = benchQuery();
const store = await openStore(job.database);
const http = createHttpClient();
try {
  await ensureQueryTable(store, query);
  const { from, to } = daysOf(job.window);
  const months = [...new Set([from.slice(0, 7), to.slice(0, 7)])];
  await store.db.transaction().execute((trx) => ensureMonths(trx, query.name, months));
  await measure(load, () => checkStore(store, query, job.expected));
} finally {
  await http.close();
  await store.close();
}

async function load(): Promise<void> {
  const answer = await http.send({ method: 'POST', url: `${job.url}/`, headers: {}, body: '{}' });
  let number = 1;
  await store.db.transaction().execute(async (transaction) => {
    const trx = transaction.withoutPlugins().withTables<{ 'warehouse.keyword_stats': Record<string, unknown> }>();
    for await (const batch of splitBatches(answer.body)) {
      const { results } = JSON.parse(batch.toString('utf8')) as { readonly results: readonly ResponseRow[] };
      for (let first = 0; first < results.length; first += ROWS_PER_STATEMENT) {
        const rows = results.slice(first, first + ROWS_PER_STATEMENT);
        const values = rows.map(({ campaign, adGroup, adGroupCriterion, metrics, segments }) => ({
          customer_id: CUSTOMER,
          campaign_id: campaign.id,
          campaign_name: campaign.name,
          campaign_advertising_channel_type: campaign.advertisingChannelType,
          ad_group_id: adGroup.id,
          ad_group_name: adGroup.name,
          ad_group_status: adGroup.status,
          ad_group_criterion_criterion_id: adGroupCriterion.criterionId,
          ad_group_criterion_status: adGroupCriterion.status,
          ad_group_criterion_keyword_text: adGroupCriterion.keyword.text,
          ad_group_criterion_keyword_match_type: adGroupCriterion.keyword.matchType,
          impressions: metrics.impressions,
          clicks: metrics.clicks,
          cost_micros: metrics.costMicros,
          date: segments.date,
          _row: number++,
        }));
        await trx.insertInto('warehouse.keyword_stats').values(values).execute();
      }
    }
  });
}
