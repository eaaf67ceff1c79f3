import { openPostgres } from '../../../../src/storage/records/postgres/open-records.ts';
import type { RecordStore } from '../../../../src/storage/records/record-store.ts';
import { lookAt } from '../../../support/look.ts';
import { databaseBeside, dropDatabase, makeDatabase, onDatabase } from '../../../support/postgres-server.ts';
import { rowText, type SeedStore } from './seed-store.ts';
import { watchClients } from './watch-clients.ts';

const sums = (table: string) =>
  `SELECT customer_id, date, CAST(sum(clicks) AS bigint) AS clicks FROM ${table} GROUP BY 1, 2 ORDER BY 1, 2`;

/** A database of its own, a copy of the one at that address. */
export async function storeOnPostgres(template: string): Promise<SeedStore> {
  const url = await makeDatabase(template, template);
  const look = lookAt(url);
  const rows: SeedStore['rows'] = <Row>(sql: string, ...values: unknown[]) =>
    look.prepare<unknown[], Row>(sql).all(...values);
  let looking: Promise<RecordStore> | undefined;
  const stopLooking = async () => {
    await (await looking)?.close();
    looking = undefined;
    look.close();
  };
  /** Before somebody lost the records. */
  let backup = '';
  let kept = '';
  return {
    url,
    onlooker: undefined,
    rows,
    alter: (sql) => void look.exec(sql),
    columns: (table) =>
      rows<{ name: string }>(
        `SELECT column_name AS name FROM information_schema.columns
          WHERE table_schema IN ('pacekeeper', 'warehouse') AND table_name = ?`,
        table,
      ).map(({ name }) => name),
    wrongPublished() {
      const isSame = rowText(rows(sums('stats'))) === rowText(rows(sums('stats_by_day')));
      return isSame ? [] : ['the published sums are not those of the rows'];
    },
    looking() {
      looking ??= openPostgres({ url, waitMs: 1000 });
      return looking;
    },
    stopLooking,
    async forget(how) {
      await stopLooking();
      backup = await makeDatabase(url, url);
      if (how === 'emptied') return void (await onDatabase(url, 'DROP SCHEMA pacekeeper, warehouse CASCADE'));
      await dropDatabase(url);
      if (how === 'made anew') await makeDatabase(url, template, url);
    },
    async recover() {
      await dropDatabase(url);
      await makeDatabase(url, backup, url);
      await dropDatabase(backup);
    },
    async copy() {
      await stopLooking();
      if (kept !== '') await dropDatabase(kept);
      kept = databaseBeside(url, `kept_${nameIn(url)}`);
      await copyAs(url, kept);
    },
    // Where nothing else is done about it, the new database has another identity than the old one.
    async putBack() {
      await stopLooking();
      backup = await makeDatabase(url, url);
      await dropDatabase(url);
      await copyAs(kept, url);
    },
    restore: undefined,
    // This database may be lost meanwhile.
    watch: (user) => watchClients(user, lookAt(databaseBeside(url, 'postgres'))),
    async end() {
      await stopLooking();
      for (const one of [url, kept, backup]) if (one !== '') await dropDatabase(one);
    },
  };
}

const nameIn = (url: string) => url.split('/').at(-1) ?? '';

const copyAs = (url: string, as: string) =>
  onDatabase(databaseBeside(url, 'postgres'), `CREATE DATABASE ${nameIn(as)} TEMPLATE ${nameIn(url)}`);
