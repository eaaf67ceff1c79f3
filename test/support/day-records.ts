import type Database from 'better-sqlite3';

/** Writes what one run that read the query `stats` leaves in a state file, without the query's rows. */
export function dayRecords({ connection }: { readonly connection: Database.Database }, at: string) {
  connection.exec(`INSERT INTO run (id, command, target, target_kind, mode, dry_run, state, started_at)
    VALUES (1, 'extract', 't', 'sandbox', 'apply', 0, 'done', '${at}')`);
  const slice = connection.prepare(`INSERT INTO slice (run_id, query, query_text, customer_id, state, ended_at)
    VALUES (1, 'stats', 'q', ?, 'done', '${at}')`);
  const day = connection.prepare(`INSERT INTO account_day VALUES ('stats', ?, ?, ?, ?, 5, '{}', ?, '${at}')`);
  const reading = connection.prepare(`INSERT INTO day_reading VALUES ('stats', ?, ?, ?, '${at}', ?, 5, ?)`);
  const addSlice = (customer: number | bigint) => slice.run(customer).lastInsertRowid;
  return {
    addDay: (customer: number | bigint, date: string, state: 'settled' | 'provisional', query = 'q') =>
      void day.run(customer, date, query, state, addSlice(customer)),
    /** `totals` are JSON; without any, the number of clicks is that of the reading. */
    addReading(customer: number | bigint, date: string, daysAfter: number, totals?: string) {
      const number = addSlice(customer);
      reading.run(customer, date, number, daysAfter, totals ?? `{"clicks":"${number}"}`);
    },
  };
}
