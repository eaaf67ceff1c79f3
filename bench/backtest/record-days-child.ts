import { addDays, instantText } from '../../src/domain/civil-date.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { readJob } from '../measurement.ts';
import { CUSTOMER, noonMs, TODAY } from '../query.ts';
import { type BacktestJob, keywordRule, TABLE_DAYS } from './backtest-job.ts';

const SUMS = `SELECT count(*) AS rows, sum(impressions) AS impressions, sum(clicks) AS clicks, sum(cost_micros) AS cost
  FROM keyword_stats WHERE customer_id = ? AND date = ?`;

/**
 * `record-days-child.js JOB`: writes down that each day of the table was read on the day after, when it had a hundredth of
 * its clicks less, and again two days later.
 */
const { database } = readJob<BacktestJob>();
const rule = keywordRule();
const state = await openState(database);
try {
  const { connection } = state;
  connection.pragma('synchronous = OFF');
  const customer = BigInt(CUSTOMER);
  const at = instantText(noonMs(TODAY));
  connection.exec(
    `INSERT INTO run (command, target, target_kind, mode, dry_run, state, started_at) VALUES ('bench', 'bench', 'sandbox', 'propose', 0, 'done', '${at}')`,
  );
  const slice = connection.prepare(
    `INSERT INTO slice (run_id, query, query_text, customer_id, date_from, date_to, state, started_at, ended_at)
      VALUES (1, 'keyword_stats', ?, ?, ?, ?, 'done', ?, ?)`,
  );
  const day = connection.prepare(`INSERT INTO account_day VALUES ('keyword_stats', ?, ?, ?, 'settled', ?, ?, ?, ?)`);
  const reading = connection.prepare(`INSERT INTO day_reading VALUES ('keyword_stats', ?, ?, ?, ?, ?, ?, ?)`);
  connection.transaction(() => {
    for (let number = TABLE_DAYS; number >= 1; number -= 1) {
      const date = addDays(TODAY, -number);
      const sums = connection.prepare(SUMS).get(customer, date) as Record<
        'rows' | 'impressions' | 'clicks' | 'cost',
        bigint
      >;
      const { rows, impressions, clicks, cost } = sums;
      const totals = (own: bigint) =>
        JSON.stringify({ impressions: String(impressions), clicks: String(own), cost_micros: String(cost) });
      const readAt = (later: number) => `${addDays(date, later)}T03:30:00Z`;
      const read = [1, 3].map(
        (later) => slice.run(rule.reads[0]?.text, customer, date, date, readAt(later), readAt(later)).lastInsertRowid,
      );
      const [first, second] = read;
      reading.run(customer, date, first, readAt(1), 1, rows, totals((clicks * 99n) / 100n));
      reading.run(customer, date, second, readAt(3), 3, rows, totals(clicks));
      day.run(customer, date, rule.reads[0]?.text, rows, totals(clicks), second, readAt(3));
    }
  })();
} finally {
  await state.close();
}
process.stdout.write('{}');
