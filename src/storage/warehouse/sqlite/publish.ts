import { dirname, join } from 'node:path';
import { instantText } from '../../../domain/civil-date.ts';
import { InputError } from '../../../domain/errors.ts';
import { removeJournals } from '../../files/journals.ts';
import { beginAnew, replaceFile, replaceText } from '../../files/replace-file.ts';
import type { StateFile } from '../../records/sqlite/open-state.ts';
import { lackingIn, landmarksOf, statePast } from '../../records/sqlite/state-past.ts';
import { selectModel } from '../models/model.ts';
import { unpublishable } from '../models/model-failure.ts';
import { datasetteMetadata } from '../publish/datasette-metadata.ts';
import { factsOf, fingerprint, type PlanFacts, planPublication, tablesOf } from '../publish/publication-plan.ts';
import type { PublishedTable } from '../publish/published-table.ts';
import type { Publication, Published } from '../store.ts';
import { ModelProcess } from './model-process.ts';
import { lastPublication, recordPublication } from './publication-record.ts';
import { publishedPast } from './published-file.ts';
import { copyLastFile, renewPublished, stampOf } from './renew-published.ts';
import { SQLITE_NAMES } from './sqlite-names.ts';
import { type Written, writePublished } from './write-published.ts';

/**
 * People and tools read the published file at any time, so a file is only ever replaced by a rename. The new file is
 * often a copy of the last one, in which only the noted days are renewed. The copy must be the file that the record
 * knows. So each publication has a random token in both. The record also has the size and time of the file. If one
 * differs, the file is written from scratch. The record is written just before the rename. The same transaction forgets
 * the noted days. If the process dies between both, the tokens differ, so no day is lost. If another process writes at
 * that moment, the record stays behind, with the same effect. Throws `InputError` if the last file has another history,
 * because this file may be the only copy. Also throws if somebody replaced the state file. The open connection keeps
 * the old one, but the new file is written from the path. So the result would mix both. This is checked before and
 * after the writing, because the state file can be replaced at any time.
 */
export async function publishWarehouse(state: StateFile, publication: Publication): Promise<Published> {
  const { path, nowMs } = publication;
  refuseOtherHistory(state, path);
  refuseOtherState(state, path);
  const facts = await factsOf(state.db, publication, SQLITE_NAMES);
  const { token } = facts;
  const made = fingerprint(facts);
  const before = lastPublication(state);
  let written: Written | undefined;
  let models: readonly PublishedTable[] = [];
  await replaceFile(
    path,
    async (next) => {
      const carriesOn = before?.fingerprint === made && copyLastFile(path, next, before.stamp);
      const renewed = carriesOn ? renewPublished(next, state.path, facts, before.token) : undefined;
      if (renewed === undefined) beginAnew(next);
      written = renewed ?? writePublished(next, state.path, facts);
      models = await addModels(next, state.path, facts);
    },
    {
      beforeRename: (next) => {
        refuseOtherState(state, path);
        recordPublication(state, { token, fingerprint: made, stamp: stampOf(next) }, written?.lastNoted ?? 0n);
        // Removes a journal that another tool left beside the last file.
        removeJournals(path);
      },
    },
  );
  const tables = [...tablesIn(facts), ...models];
  const metadata = datasetteMetadata(tables, instantText(nowMs));
  replaceText(join(dirname(path), 'metadata.json'), () => metadata);
  return { tables, file: path };
}

/** Writes the whole file and remembers nothing of it. */
export async function writeFile(state: StateFile, publication: Publication): Promise<readonly PublishedTable[]> {
  const { path } = publication;
  refuseOtherHistory(state, path);
  refuseOtherState(state, path);
  const facts = await factsOf(state.db, publication, SQLITE_NAMES);
  const models = await replaceFile(
    path,
    async (next) => {
      beginAnew(next);
      writePublished(next, state.path, facts);
      return addModels(next, state.path, facts);
    },
    { beforeRename: () => refuseOtherState(state, path) },
  );
  return [...tablesIn(facts), ...models];
}

function tablesIn(facts: PlanFacts): readonly PublishedTable[] {
  return tablesOf(planPublication(facts, 'all'));
}

/** Throws `InputError` if a model fails or exceeds a limit. */
async function addModels(
  path: string,
  statePath: string,
  { models, readers }: PlanFacts,
): Promise<readonly PublishedTable[]> {
  const [first] = models;
  if (first === undefined) return [];
  const process = new ModelProcess(statePath, first.limits);
  const tables: PublishedTable[] = [];
  try {
    for (const model of models) {
      const { name, description, columns } = model;
      const sql = selectModel(model, SQLITE_NAMES);
      const order = { kind: 'table', path, model: { name, description, columns }, sql, readers } as const;
      tables.push(
        await process.compute<PublishedTable>(order).catch((cause: unknown) => {
          throw unpublishable(model, cause);
        }),
      );
    }
    return tables;
  } finally {
    process.close();
  }
}

function refuseOtherHistory(state: StateFile, path: string): void {
  const published = publishedPast(path);
  const lacks = published && lackingIn(state, published);
  if (lacks === undefined) return;
  const message = `${path} was not replaced: it has ${lacks.what} ${lacks.id}, but ${state.path} does not.`;
  throw new InputError(message, { nextStep: 'If the file belongs to another data folder, move it away.' });
}

function refuseOtherState(state: StateFile, path: string): void {
  const landmarks = landmarksOf(state);
  const past = statePast(state.path, landmarks);
  const isUnused = landmarks.newestRun === undefined && landmarks.newestEvent === undefined;
  if (past.kind === 'known' ? past.lacks === undefined : past.kind === 'no_run' && isUnused) return;
  throw new InputError(`${path} was not replaced: ${state.path} is another file now.`, {
    nextStep: 'If somebody put an older file there, put the newest one back. Otherwise, run pacekeeper report.',
  });
}
