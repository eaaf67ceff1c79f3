import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { adoptFolder } from '../../../../src/commands/adopt/run-adopt.ts';
import { restoreState } from '../../../../src/commands/backup/run-restore.ts';
import { openStateToLook, type StateFile } from '../../../../src/storage/records/sqlite/open-state.ts';
import { rowText, type SeedStore } from './seed-store.ts';

const COLUMNS = 'customer_id, date, campaign_id, ad_group_criterion_criterion_id AS keyword, clicks, cost_micros';
const STATS = `SELECT ${COLUMNS} FROM stats ORDER BY customer_id, date, campaign_id, keyword`;

/** A state file with the content of an empty one. */
export function storeOnFiles(folder: string, empty: Buffer): SeedStore {
  const path = join(folder, 'state.sqlite');
  const putEmpty = () => writeFileSync(path, empty, { mode: 0o600 });
  putEmpty();
  let onlooker = onlookerAt(path);
  const rows: SeedStore['rows'] = <Row>(sql: string, ...values: unknown[]) =>
    onlooker.prepare<unknown[], Row>(sql).all(...values);
  let looking: Promise<StateFile> | undefined;
  const stopLooking = async () => {
    onlooker.close();
    const stopped = looking;
    looking = undefined;
    await (await stopped)?.close();
  };
  const remove = () => {
    for (const name of readdirSync(folder)) if (name.startsWith('state.sqlite')) rmSync(join(folder, name));
  };
  let kept: Buffer = empty;
  return {
    url: undefined,
    get onlooker() {
      return onlooker;
    },
    rows,
    alter(sql) {
      const file = new Database(path);
      file.exec(sql);
      file.close();
    },
    // Nobody can look after it was lost.
    columns: (table) =>
      !onlooker.open
        ? []
        : rows<{ name: string }>('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => name),
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
      remove();
      if (how === 'emptied') writeFileSync(path, '');
      if (how === 'made anew') putEmpty();
    },
    async recover(settings, clock, why) {
      await stopLooking();
      await adoptFolder(settings, clock, { by: 'anna', why });
      onlooker = onlookerAt(path);
    },
    async copy() {
      kept = onlooker.serialize();
    },
    async putBack() {
      const stopped = stopLooking();
      remove();
      writeFileSync(path, kept, { mode: 0o600 });
      onlooker = onlookerAt(path);
      await stopped;
    },
    async restore(settings, clock) {
      await stopLooking();
      const file = join(folder, 'copy.sqlite');
      writeFileSync(file, kept, { mode: 0o600 });
      await restoreState(settings, clock, file, { by: 'anna', why: undefined });
      onlooker = onlookerAt(path);
    },
    watch: () => ({ waiting: () => undefined, stop: () => undefined }),
    end: stopLooking,
  };
}

function onlookerAt(path: string): Database.Database {
  const onlooker = new Database(path, { fileMustExist: true });
  onlooker.defaultSafeIntegers(true);
  onlooker.pragma('query_only = ON');
  return onlooker;
}
