import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { adoptFolder } from '../../../../src/commands/adopt/run-adopt.ts';
import { openStateToLook, type StateFile } from '../../../../src/store/sqlite/open-state.ts';
import { rowText, type SeedStore } from './seed-store.ts';

const COLUMNS = 'customer_id, date, campaign_id, ad_group_criterion_criterion_id AS keyword, clicks, cost_micros';
const STATS = `SELECT ${COLUMNS} FROM stats ORDER BY customer_id, date, campaign_id, keyword`;

/** A state file with the content of an empty one. */
export function storeOnFiles(folder: string, empty: Buffer): SeedStore {
  const path = join(folder, 'state.sqlite');
  const putEmpty = () => writeFileSync(path, empty, { mode: 0o600 });
  putEmpty();
  const onlooker = new Database(path, { fileMustExist: true });
  onlooker.defaultSafeIntegers(true);
  onlooker.pragma('query_only = ON');
  const rows: SeedStore['rows'] = <Row>(sql: string, ...values: unknown[]) =>
    onlooker.prepare<unknown[], Row>(sql).all(...values);
  let looking: Promise<StateFile> | undefined;
  const stopLooking = async () => {
    await (await looking)?.close();
    looking = undefined;
    onlooker.close();
  };
  return {
    url: undefined,
    onlooker,
    rows,
    alter(sql) {
      const file = new Database(path);
      file.exec(sql);
      file.close();
    },
    columns: (table) => rows<{ name: string }>('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => name),
    wrongPublished() {
      const published = join(folder, 'warehouse.sqlite');
      if (!existsSync(published)) return ['a run ended well and nothing is published'];
      const file = new Database(published, { readonly: true });
      try {
        const isSame = rowText(rows(STATS)) === rowText(file.prepare(STATS).safeIntegers().all());
        return isSame ? [] : ['the published rows are not those of the state file'];
      } finally {
        file.close();
      }
    },
    looking() {
      looking ??= openStateToLook(path, 0);
      return looking;
    },
    stopLooking,
    async forget(how) {
      await stopLooking();
      const files = readdirSync(folder).filter((name) => name.startsWith('state.sqlite'));
      for (const name of files) rmSync(join(folder, name));
      if (how === 'emptied') writeFileSync(path, '');
      if (how === 'made anew') putEmpty();
    },
    async recover(settings, clock, why) {
      await adoptFolder(settings, clock, { by: 'anna', why });
    },
    watch: () => ({ waiting: () => undefined, stop: () => undefined }),
    end: stopLooking,
  };
}
