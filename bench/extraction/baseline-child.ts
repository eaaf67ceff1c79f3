import type Database from 'better-sqlite3';
import { createHttpClient } from '../../src/services/http/http-client.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { measure, readJob } from '../measurement.ts';
import { benchQuery, CUSTOMER } from '../query.ts';
import { checkTotals } from '../totals.ts';
import type { LoadJob, ResponseRow } from './response.ts';
import { splitBatches } from './split-batches.ts';

const TABLE = `CREATE TABLE keyword_stats (
  customer_id INTEGER NOT NULL, date TEXT NOT NULL, ad_group_id INTEGER NOT NULL,
  ad_group_criterion_criterion_id INTEGER NOT NULL, campaign_id INTEGER, campaign_name TEXT,
  campaign_advertising_channel_type TEXT, ad_group_name TEXT, ad_group_status TEXT, ad_group_criterion_status TEXT,
  ad_group_criterion_keyword_text TEXT, ad_group_criterion_keyword_match_type TEXT, impressions INTEGER,
  clicks INTEGER, cost_micros INTEGER, PRIMARY KEY (customer_id, date, ad_group_id, ad_group_criterion_criterion_id)
) STRICT, WITHOUT ROWID`;

/**
 * `baseline-child.js JOB`: B of the targets. The same response through the same HTTP client into a table like the product's in the
 * same kind of database, but for the number of the row: cut into batches, JSON.parse for each, one run of one prepared INSERT for each row, one
 * transaction around all. The columns are written out by hand, as nobody's generic product could.
 */
const job = readJob<LoadJob>();
const query = benchQuery();
const state = await openState(job.database);
const http = createHttpClient();
try {
  state.connection.exec(TABLE);
  await measure(
    () => load(state.connection),
    () => checkTotals(state.connection, query.name, job.expected),
  );
} finally {
  await http.close();
  await state.close();
}

async function load(connection: Database.Database): Promise<void> {
  const customer = Number(CUSTOMER);
  const columns = ['customer_id', ...query.columns.map(({ name }) => name)];
  // Results of run() are not read; without this each would carry a BigInt.
  const insert = connection
    .prepare(`INSERT INTO keyword_stats (${columns}) VALUES (${columns.map(() => '?')})`)
    .safeIntegers(false);
  const answer = await http.send({ method: 'POST', url: `${job.url}/`, headers: {}, body: '{}' });
  connection.exec('BEGIN');
  for await (const batch of splitBatches(answer.body)) {
    const { results } = JSON.parse(batch.toString('utf8')) as { readonly results: readonly ResponseRow[] };
    for (const { campaign, adGroup, adGroupCriterion, metrics, segments } of results) {
      insert.run(
        customer,
        campaign.id,
        campaign.name,
        campaign.advertisingChannelType,
        adGroup.id,
        adGroup.name,
        adGroup.status,
        adGroupCriterion.criterionId,
        adGroupCriterion.status,
        adGroupCriterion.keyword.text,
        adGroupCriterion.keyword.matchType,
        metrics.impressions,
        metrics.clicks,
        metrics.costMicros,
        segments.date,
      );
    }
  }
  connection.exec('COMMIT');
}
