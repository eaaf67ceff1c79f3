import { addDays } from '../../src/domain/civil-date.ts';
import { ensureQueryTable } from '../../src/storage/warehouse/evolve-table.ts';
import { run } from '../../src/storage/warehouse/postgres/ask.ts';
import { ensureMonths } from '../../src/storage/warehouse/postgres/query-tables.ts';
import { readJob } from '../measurement.ts';
import { CUSTOMER, queryOfDays, TODAY } from '../query.ts';
import { AD_GROUPS, FIRST_CAMPAIGN, KEYWORDS, type RulesJob } from '../rules/rules-job.ts';
import { openStore } from '../store.ts';

/** Rows like those of rules/fill-rules-child.ts. */
const FILL = `
  INSERT INTO warehouse.keyword_stats (customer_id, date, ad_group_id, ad_group_criterion_criterion_id, campaign_id,
    campaign_name, campaign_advertising_channel_type, ad_group_name, ad_group_status, ad_group_criterion_status,
    ad_group_criterion_keyword_text, ad_group_criterion_keyword_match_type, impressions, clicks, cost_micros, _row)
  SELECT $1::bigint, $2::date, 150000000000 + ad_group, 300000000 + keyword, campaign, 'Campaign ' || campaign, 'SEARCH',
    'Ad group ' || ad_group, 'ENABLED', 'ENABLED', 'hiking boots ' || keyword, 'EXACT',
    noise % 2000, noise % 97, noise % 97 * (200000 + noise % 3000000), ($3::bigint * $4 + ad_group) * $5 + keyword
  FROM (SELECT ad_group, keyword, $6::bigint + ad_group * 7919 % $7::bigint AS campaign,
      (ad_group * 2654435761 + keyword * 40503 + $3 * 69069) % 2147483647 AS noise
    FROM generate_series(1, $4::bigint) AS ad_group, generate_series(1, $5::bigint) AS keyword) AS pair`;

/** `fill-child.js JOB`: the product's table with an account's keywords, each with a row on every day. */
const { database, campaigns, days } = readJob<RulesJob>();
const query = queryOfDays(days);
const store = await openStore(database);
try {
  await ensureQueryTable(store, query);
  await store.db.transaction().execute(async (trx) => {
    for (let day = 0; day < days; day += 1) {
      const date = addDays(TODAY, day - days);
      await ensureMonths(trx, query.name, [date.slice(0, 7)]);
      const counts = [campaigns * AD_GROUPS, KEYWORDS / AD_GROUPS, FIRST_CAMPAIGN, campaigns];
      await run(trx, FILL, [CUSTOMER, date, day, ...counts]);
    }
  });
} finally {
  await store.close();
}
process.stdout.write('{}');
