import Database from 'better-sqlite3';
import { measure, readJob } from '../measurement.ts';
import { benchQuery } from '../query.ts';
import { checkTotals } from '../totals.ts';
import type { CopyJob } from './publish.ts';

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
