import { LAST_TIME_ZONE } from '../../../domain/complete-days.ts';
import { conversionDays } from '../publish/calendar-table.ts';
import type { PublishedNames } from '../publish/publication-plan.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN } from '../query-table.ts';
import { tableOf } from './query-tables.ts';

/** Names without a schema are those of published tables and their functions. */
export const NAMES_IN_MODELS = 'SET LOCAL search_path = warehouse, pacekeeper';

const NO_SPAN = 'SELECT CAST(NULL AS date) AS first, CAST(NULL AS date) AS last';

/** The views stay valid when time passes: what changes with each publication is in tables. */
export const POSTGRES_NAMES: PublishedNames = {
  records: 'pacekeeper',
  stored: 'warehouse',
  published: 'warehouse',
  // Without a recursion, a condition on the account reaches the index.
  missingDays: `SELECT query, customer_id, to_char(day, 'YYYY-MM-DD') AS date
    FROM (SELECT query, customer_id, date, lead(date) OVER (PARTITION BY query, customer_id ORDER BY date) AS next
      FROM pacekeeper.account_day) AS known
    LEFT JOIN pacekeeper.account_yesterday USING (customer_id)
    CROSS JOIN LATERAL generate_series(CAST(date AS timestamp) + interval '1 day',
      coalesce(CAST(next AS timestamp) - interval '1 day', yesterday), interval '1 day') AS day`,
  // One look into the index for each account.
  spans: (tables) => [NO_SPAN, ...tables.map(spanOf)].join('\nUNION ALL\n'),
  asOf: () => ['(SELECT stamp FROM pacekeeper.publication)', '(SELECT token FROM pacekeeper.publication)'],
  readLate(windows) {
    const zone = `CASE WHEN time_zone IN (SELECT name FROM pg_timezone_names) THEN time_zone ELSE '${LAST_TIME_ZONE}' END`;
    const from = `CAST(date AS date) + 1 + ${conversionDays(windows)} + time '${windows.closesAt}'`;
    return `CAST(read_at AS timestamptz) >= (${from}) AT TIME ZONE ${zone}`;
  },
};

function spanOf(table: string): string {
  return `SELECT min(first), max(last) FROM pacekeeper.account CROSS JOIN LATERAL (
    SELECT min(${DATE_COLUMN}) AS first, max(${DATE_COLUMN}) AS last FROM ${tableOf(table)} AS dated
    WHERE dated.${CUSTOMER_COLUMN} = account.${CUSTOMER_COLUMN}) AS span`;
}
