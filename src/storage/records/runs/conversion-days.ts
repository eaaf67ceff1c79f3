import { sql } from 'kysely';
import type { CivilDate, DateRange } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { LagStep } from '../../../domain/still-arriving.ts';
import type { StateDb } from '../record-store.ts';

/**
 * How conversions of the days grew from reading to reading. Only days that were read within a day of their end, and
 * again later, show it. The rest would look as if nothing arrived late.
 */
export async function lagSteps(
  db: StateDb,
  query: string,
  customers: readonly CustomerId[],
  { from, to }: DateRange,
): Promise<Map<CustomerId, LagStep[]>> {
  const { rows } = await sql<LagStep & { customerId: CustomerId }>`
    SELECT customer_id, age AS "from", next_age AS until, count(*) AS days, sum(newest - early) AS gained
    FROM (SELECT day_reading.customer_id, days_after AS age, lead(days_after) OVER readings AS next_age,
        first_value(days_after) OVER readings AS first_age, first_value(day_reading.slice_id) OVER readings AS first_slice,
        account_day.slice_id AS last_slice,
        CAST(day_reading.totals ->> 'conversions' AS double precision) AS early,
        CAST(account_day.totals ->> 'conversions' AS double precision) AS newest
      FROM day_reading
        JOIN slice ON slice.id = day_reading.slice_id
        JOIN account_day ON account_day.query = day_reading.query AND account_day.customer_id = day_reading.customer_id
          AND account_day.date = day_reading.date AND account_day.query_text = slice.query_text
      WHERE day_reading.query = ${query} AND day_reading.customer_id IN (${sql.join(customers)})
        AND day_reading.date BETWEEN ${from} AND ${to}
      WINDOW readings AS (PARTITION BY day_reading.customer_id, day_reading.date ORDER BY day_reading.slice_id)
    ) AS taught
    WHERE first_age <= 1 AND first_slice < last_slice AND newest - early IS NOT NULL
    GROUP BY customer_id, age, next_age`.execute(db);
  return Map.groupBy(rows, ({ customerId }) => customerId);
}

export interface ConversionDay {
  readonly customerId: CustomerId;
  readonly date: CivilDate;
  /** In UTC. */
  readonly readAt: string;
  readonly conversions: number | undefined;
}

/** In ascending order of days. */
export async function conversionDays(
  db: StateDb,
  query: string,
  customers: readonly CustomerId[],
  { from, to }: DateRange,
): Promise<ConversionDay[]> {
  const { rows } = await sql<ConversionDay>`
    SELECT customer_id, date, read_at, CAST(totals ->> 'conversions' AS double precision) AS conversions
    FROM account_day WHERE query = ${query} AND customer_id IN (${sql.join(customers)}) AND date BETWEEN ${from} AND ${to}
    ORDER BY date`.execute(db);
  return rows;
}
