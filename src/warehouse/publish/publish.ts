import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { removeJournals } from '../../files/journals.ts';
import { beginAnew, replaceFile, replaceText } from '../../files/replace-file.ts';
import { lastPublication, recordPublication } from '../../store/runs/publication-table.ts';
import type { StateFile } from '../../store/sqlite/open-state.ts';
import { lackingIn } from '../../store/sqlite/state-past.ts';
import { publishedPast } from '../sqlite/published-file.ts';
import { storedQueries } from '../stored-query.ts';
import { noteDated, rememberYesterdays } from './calendar-table.ts';
import { DICTIONARY, describeTables } from './data-dictionary.ts';
import { datasetteMetadata } from './datasette-metadata.ts';
import { takeNewestRows } from './newest-rows.ts';
import { fingerprint, type PlanFacts, type PublicationPlan, planPublication, tablesOf } from './publication-plan.ts';
import type { Describe } from './published-columns.ts';
import { createTable, type PublishedTable } from './published-table.ts';
import { copyLastFile, mayBeRenewed, renewFile, stampOf } from './renew-file.ts';

export interface Publication {
  /** Where `warehouse.sqlite` goes; `metadata.json` goes beside it. */
  readonly path: string;
  readonly nowMs: number;
  readonly describe: Describe;
}

/**
 * Puts a new `warehouse.sqlite` into the old one's place, and then `metadata.json` beside it: the last file with what has
 * changed since, or, where there is any doubt about that file, one that is written whole. Plain tables, no WAL: the file
 * opens in a folder one cannot write to, and whatever happens to the state file meanwhile. Answers with the tables it holds.
 * Throws `InputError` where the last file is of another history: it may be the only copy of that record.
 */
export async function publishWarehouse(
  state: StateFile,
  { path, nowMs, describe }: Publication,
): Promise<readonly PublishedTable[]> {
  refuseOtherHistory(state, path);
  const token = randomUUID();
  const facts: PlanFacts = { queries: await storedQueries(state.db), nowMs, token, describe };
  const made = fingerprint(facts);
  const before = lastPublication(state.connection);
  let lastNoted = 0n;
  await replaceFile(
    path,
    async (next) => {
      const carriesOn = before?.fingerprint === made && copyLastFile(path, next, before.stamp);
      const renewed = carriesOn ? renew(next, state.path, facts, before.token) : undefined;
      if (renewed === undefined) beginAnew(next);
      lastNoted = renewed ?? writeWhole(next, state.path, facts);
    },
    // Before the rename: a crash in between leaves a file by another name than the one recorded, which is not carried on.
    {
      beforeRename: (next) => {
        recordPublication(state.connection, { token, fingerprint: made, stamp: stampOf(next) }, lastNoted);
        // A tool that wrote to the last file may have left its journal there.
        removeJournals(path);
      },
    },
  );
  const tables = tablesOf(planPublication(facts, 'all'));
  const metadata = datasetteMetadata(tables, instantText(nowMs));
  replaceText(join(dirname(path), 'metadata.json'), () => metadata);
  return tables;
}

function refuseOtherHistory(state: StateFile, path: string): void {
  const published = publishedPast(path);
  const lacks = published && lackingIn(state, published);
  if (lacks === undefined) return;
  const message = `${path} was not replaced: ${lacks.what} ${lacks.id} of it is not in ${state.path}.`;
  throw new InputError(message, { nextStep: 'Move the file away if it is of another data folder.' });
}

/** Answers with the last note of a changed day that is in the file now. */
function writeWhole(next: string, statePath: string, facts: PlanFacts): bigint {
  const file = new Database(next);
  try {
    // Of a new file only.
    file.pragma('page_size = 8192');
    return fill(file, statePath, facts, planPublication(facts, 'all'), writeWholeFile);
  } finally {
    file.close();
  }
}

/** The same; undefined where the copy is not what it should be, or cannot be read. */
function renew(next: string, statePath: string, facts: PlanFacts, token: string): bigint | undefined {
  let file: Database.Database | undefined;
  try {
    file = new Database(next);
    return fill(file, statePath, facts, planPublication(facts, 'changed'), (copy, plan) => {
      if (!mayBeRenewed(copy, plan, token)) throw new CannotBeRenewed();
      renewFile(copy, plan);
    });
  } catch (error) {
    if (error instanceof CannotBeRenewed || error instanceof Database.SqliteError) return undefined;
    throw error;
  } finally {
    file?.close();
  }
}

class CannotBeRenewed extends Error {}

function fill(
  file: Database.Database,
  statePath: string,
  { nowMs }: PlanFacts,
  plan: PublicationPlan,
  write: (file: Database.Database, plan: PublicationPlan) => void,
): bigint {
  // The file is worth nothing before the rename, so a journal would protect nothing.
  file.pragma('journal_mode = OFF');
  file.pragma('synchronous = OFF');
  file.prepare('ATTACH ? AS state').run(statePath);
  // Rows are read and written in order: pages that have passed are not needed again. To make a table SQLite goes through the list of
  // all tables, which should not have to be read from the disk each time: 2 KiB each.
  const listKib = 2 * tablesOf(plan).length;
  file.pragma(`main.cache_size = -${4000 + listKib}`);
  file.pragma(`temp.cache_size = -${2000 + listKib}`);
  file.pragma('state.cache_size = -2000');
  // One transaction: all tables are of the same moment.
  file.exec('BEGIN');
  const noted = file.prepare('SELECT coalesce(max(id), 0) FROM state.unpublished_day').pluck().safeIntegers();
  const lastNoted = noted.get() as bigint;
  rememberYesterdays(file, nowMs);
  write(file, plan);
  file.exec('COMMIT');
  file.exec('DETACH state');
  // What the planner needs to go by day through tables that are kept by account; a sample of each table is enough.
  file.pragma('analysis_limit = 1000');
  file.exec('ANALYZE main');
  file.pragma('journal_mode = DELETE');
  return lastNoted;
}

/** Makes and fills all tables of an empty file. */
function writeWholeFile(file: Database.Database, plan: PublicationPlan): void {
  for (const { table } of plan.queries) createTable(file, table);
  for (const newest of plan.newest) takeNewestRows(file, newest);
  for (const { table, gather } of plan.dimensions) {
    for (const statement of gather) file.exec(statement);
    createTable(file, table);
  }
  for (const { tables } of plan.periods) for (const table of tables) createTable(file, table);
  noteDated(file, plan.dated);
  for (const table of plan.small) createTable(file, table);
  for (const table of plan.growing) createTable(file, table);
  createTable(file, DICTIONARY);
  describeTables(file, tablesOf(plan));
}
