import Database from 'better-sqlite3';
import type { Landmarks } from '../../store/sqlite/state-past.ts';
import { instantOutside } from '../published-instant.ts';

/** What a published file says was done. */
export interface PublishedPast extends Landmarks {
  readonly runs: number;
  readonly newestChange: { readonly id: bigint; readonly accountDay: string } | undefined;
}

/** Undefined where there is no file, or none that this program published. */
export function publishedPast(path: string): PublishedPast | undefined {
  let file: Database.Database | undefined;
  try {
    const opened = new Database(path, { readonly: true, fileMustExist: true, timeout: 1000 });
    file = opened;
    opened.defaultSafeIntegers(true);
    const newest = <Row>(table: string, columns: string) =>
      opened.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) === undefined
        ? undefined
        : opened.prepare<[], Row>(`SELECT ${columns} FROM ${table} ORDER BY id DESC LIMIT 1`).get();
    return {
      runs: Number(opened.prepare('SELECT count(*) FROM run').pluck().get()),
      newestRun: newest('run', `id, ${instantOutside('started_at')} AS startedAt`),
      newestEvent: newest('budget_event', 'id, hash'),
      newestChange: newest('budget_change', 'id, account_day AS accountDay'),
    };
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}
