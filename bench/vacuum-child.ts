import Database from 'better-sqlite3';
import { benchQuery } from './bench-query.ts';
import { type CopyJob, measure, readJob } from './measurement.ts';
import { checkTotals } from './totals.ts';

/** `vacuum-child.js JOB`: what SQLite needs to write the same data anew, rows and indexes. */
const { database, into, expected } = readJob<CopyJob>();
const connection = new Database(database, { readonly: true });
await measure(
  () => void connection.prepare('VACUUM INTO ?').run(into),
  () => {
    const copy = new Database(into, { readonly: true });
    checkTotals(copy, benchQuery().name, expected);
    copy.close();
  },
);
connection.close();
