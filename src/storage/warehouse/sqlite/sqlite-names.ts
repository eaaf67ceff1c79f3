import { instantText } from '../../../domain/civil-date.ts';
import { conversionDays } from '../publish/calendar-table.ts';
import type { PublishedNames } from '../publish/publication-plan.ts';

/** In the published file, with the state file attached as `state`. */
export const SQLITE_NAMES: PublishedNames = {
  records: 'state',
  stored: 'state',
  published: 'main',
  missingDays: `WITH RECURSIVE known AS (
      SELECT query, customer_id, date,
        lead(date) OVER (PARTITION BY query, customer_id ORDER BY date) AS next FROM state.account_day),
    missing (query, customer_id, date, last) AS (
      SELECT query, customer_id, date(date, '+1 day'), coalesce(date(next, '-1 day'), yesterday)
      FROM known LEFT JOIN temp.account_yesterday USING (customer_id)
      WHERE date(date, '+1 day') < coalesce(next, date(yesterday, '+1 day'))
      UNION ALL
      SELECT query, customer_id, date(date, '+1 day'), last FROM missing WHERE date < last)
    SELECT query, customer_id, date FROM missing`,
  spans: () => 'SELECT first, last FROM temp.dated',
  asOf: ({ nowMs, token }) => [`'${instantText(nowMs)}'`, `'${token}'`],
  readLate: (windows) => `read_at >= complete_from(date, time_zone, ${conversionDays(windows)}, '${windows.closesAt}')`,
};
