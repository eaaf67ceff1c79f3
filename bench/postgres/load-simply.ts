import { createHttpClient } from '../../src/services/http/http-client.ts';
import type { StateDb } from '../../src/storage/records/record-store.ts';
import { ensureQueryTable } from '../../src/storage/warehouse/evolve-table.ts';
import { ensureMonths } from '../../src/storage/warehouse/postgres/query-tables.ts';
import type { LoadJob, ResponseRow } from '../extraction/response.ts';
import { splitBatches } from '../extraction/split-batches.ts';
import { measure, readJob } from '../measurement.ts';
import { benchQuery, CUSTOMER, daysOf } from '../query.ts';
import { checkStore, openStore } from '../store.ts';

/** Rows of the product's table, by its columns. */
type Batch = readonly ReturnType<typeof columnsOf>[];

/**
 * The frame of what is compared with pacekeeper: the same response through the same HTTP client into the product's
 * table, cut into batches, `JSON.parse` for each, one transaction around all.
 */
export async function loadSimply(store: (trx: StateDb, batches: AsyncIterable<Batch>) => Promise<void>): Promise<void> {
  const job = readJob<LoadJob>();
  const query = benchQuery();
  const opened = await openStore(job.database);
  const http = createHttpClient();
  try {
    await ensureQueryTable(opened, query);
    const { from, to } = daysOf(job.window);
    const months = [...new Set([from.slice(0, 7), to.slice(0, 7)])];
    await opened.db.transaction().execute((trx) => ensureMonths(trx, query.name, months));
    const load = async () => {
      const { body } = await http.send({ method: 'POST', url: `${job.url}/`, headers: {}, body: '{}' });
      await opened.db.transaction().execute((trx) => store(trx, batchesOf(body)));
    };
    await measure(load, () => checkStore(opened, query, job.expected));
  } finally {
    await http.close();
    await opened.close();
  }
}

async function* batchesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Batch> {
  let number = 1;
  for await (const batch of splitBatches(body)) {
    const { results } = JSON.parse(batch.toString('utf8')) as { readonly results: readonly ResponseRow[] };
    yield results.map((row) => columnsOf(row, number++));
  }
}

function columnsOf(row: ResponseRow, number: number) {
  const { campaign, adGroup, adGroupCriterion, metrics, segments } = row;
  return {
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
    _row: number,
  };
}
