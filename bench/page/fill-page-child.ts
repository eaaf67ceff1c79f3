import { join } from 'node:path';
import { loadDescriptions } from '../../src/config/load-catalogue.ts';
import { addDays, instantText } from '../../src/domain/civil-date.ts';
import { queryFingerprint } from '../../src/language/gaql/check/query-for-range.ts';
import { ensureQueryTable } from '../../src/storage/warehouse/evolve-table.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { openedState } from '../../test/support/state.ts';
import { readJob } from '../measurement.ts';
import { benchQuery, CUSTOMER, noonMs, TODAY } from '../query.ts';
import { PAGE_DAYS, type PageJob } from './page-job.ts';

const READ_AT = instantText(noonMs(TODAY));

/** Numbers that look random and are the same each time. */
const NOISE = 'abs((campaign.id * 2654435761 + keyword.id * 40503 + day.id * 69069) * 1103515245 % 2147483647)';

const ROWS = `
  WITH RECURSIVE
    campaign(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM campaign WHERE id < @campaigns),
    keyword(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM keyword WHERE id < @keywords),
    day(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM day WHERE id < @days - 1),
    cell AS (SELECT campaign.id AS campaign, keyword.id AS keyword, day.id AS day, ${NOISE} AS noise FROM day, campaign, keyword)
  INSERT INTO keyword_stats (customer_id, date, ad_group_id, ad_group_criterion_criterion_id, campaign_id, campaign_name,
    campaign_advertising_channel_type, ad_group_name, ad_group_status, ad_group_criterion_status,
    ad_group_criterion_keyword_text, ad_group_criterion_keyword_match_type, impressions, clicks, cost_micros, _row)
  SELECT @customer, date(@from, '+' || day || ' days'), 150000000000 + campaign, 300000000 + keyword, 20000000000 + campaign,
    'Campaign ' || campaign, 'SEARCH', 'Ad group ' || campaign, 'ENABLED', 'ENABLED', 'hiking boots ' || keyword, 'EXACT',
    noise % 2000, noise % 97, noise % 97 * (200000 + noise % 3000000),
    (day * @campaigns + campaign) * @keywords + keyword
  FROM cell`;

const DAYS = `
  WITH RECURSIVE day(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM day WHERE id < @days - 1)
  INSERT INTO account_day (query, customer_id, date, query_text, state, rows, totals, slice_id, read_at)
  SELECT 'keyword_stats', @customer, date(@from, '+' || id || ' days'), @text, 'settled', @campaigns * @keywords, '{}', 1, @readAt
  FROM day`;

/** `fill-page-child.js JOB`: the databases of one account with a year of settled days, published by the product itself. */
const { folder, campaigns, keywords } = readJob<PageJob>();
const state = await openedState(join(folder, 'state.sqlite'));
try {
  const { connection } = state;
  connection.pragma('synchronous = OFF');
  await ensureQueryTable(state, benchQuery());
  const customer = BigInt(CUSTOMER);
  const at = { customer, readAt: READ_AT };
  connection
    .prepare(
      "INSERT INTO account (customer_id, name, currency, time_zone, seen_at) VALUES (@customer, 'Benchmark', 'USD', 'UTC', @readAt)",
    )
    .run(at);
  connection
    .prepare(
      `INSERT INTO run (command, target, target_kind, mode, dry_run, state, started_at, ended_at)
       VALUES ('report', 'benchmark', 'sandbox', 'propose', 0, 'done', @readAt, @readAt)`,
    )
    .run({ readAt: READ_AT });
  connection
    .prepare(
      `INSERT INTO slice (run_id, query, query_text, customer_id, state, ended_at)
       VALUES (1, 'keyword_stats', '', @customer, 'done', @readAt)`,
    )
    .run(at);
  const sizes = { campaigns: BigInt(campaigns), keywords: BigInt(keywords), days: BigInt(PAGE_DAYS) };
  const cells = { ...sizes, customer, from: addDays(TODAY, -PAGE_DAYS) };
  connection.prepare(ROWS).run(cells);
  connection.prepare(DAYS).run({ ...cells, readAt: READ_AT, text: queryFingerprint(benchQuery()) });
  connection
    .prepare("INSERT INTO run_account (run_id, customer_id, state) VALUES (1, @customer, 'read')")
    .run({ customer });
  const { fields } = loadDescriptions('v25');
  const path = join(folder, 'warehouse.sqlite');
  await publishWarehouse(state, { path, nowMs: noonMs(TODAY), describe: (field) => fields[field] });
} finally {
  await state.close();
}
process.stdout.write('{}');
