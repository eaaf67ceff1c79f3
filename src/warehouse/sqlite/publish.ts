import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { removeJournals } from '../../files/journals.ts';
import { beginAnew, replaceFile, replaceText } from '../../files/replace-file.ts';
import type { StateFile } from '../../store/sqlite/open-state.ts';
import { lackingIn } from '../../store/sqlite/state-past.ts';
import { datasetteMetadata } from '../publish/datasette-metadata.ts';
import { fingerprint, type PlanFacts, planPublication, tablesOf } from '../publish/publication-plan.ts';
import type { PublishedTable } from '../publish/published-table.ts';
import { storedQueries } from '../query-table.ts';
import type { Publication } from '../store.ts';
import { lastPublication, recordPublication } from './publication-record.ts';
import { publishedPast } from './published-file.ts';
import { copyLastFile, renewPublished, stampOf } from './renew-published.ts';
import { type Written, writePublished } from './write-published.ts';

/** Throws `InputError` if the last file has another history, because this file may be the only copy. */
export async function publishWarehouse(
  state: StateFile,
  { path, nowMs, describe, models = [] }: Publication,
): Promise<readonly PublishedTable[]> {
  refuseOtherHistory(state, path);
  const token = randomUUID();
  const names = new Set(models.map(({ name }) => name));
  const queries = (await storedQueries(state.db)).filter(({ name }) => !names.has(name));
  const facts: PlanFacts = { queries, models, nowMs, token, describe };
  const made = fingerprint(facts);
  const before = lastPublication(state);
  let written: Written | undefined;
  await replaceFile(
    path,
    async (next) => {
      const carriesOn = before?.fingerprint === made && copyLastFile(path, next, before.stamp);
      const renewed = carriesOn ? renewPublished(next, state.path, facts, before.token) : undefined;
      if (renewed === undefined) beginAnew(next);
      written = renewed ?? writePublished(next, state.path, facts);
    },
    // If the process dies before the rename, the tokens differ and the next file is written from scratch.
    {
      beforeRename: (next) => {
        recordPublication(state, { token, fingerprint: made, stamp: stampOf(next) }, written?.lastNoted ?? 0n);
        // Removes a journal that another tool left beside the last file.
        removeJournals(path);
      },
    },
  );
  const tables = [...tablesOf(planPublication(facts, 'all')), ...(written?.models ?? [])];
  const metadata = datasetteMetadata(tables, instantText(nowMs));
  replaceText(join(dirname(path), 'metadata.json'), () => metadata);
  return tables;
}

function refuseOtherHistory(state: StateFile, path: string): void {
  const published = publishedPast(path);
  const lacks = published && lackingIn(state, published);
  if (lacks === undefined) return;
  const message = `${path} was not replaced: it has ${lacks.what} ${lacks.id}, but ${state.path} does not.`;
  throw new InputError(message, { nextStep: 'If the file belongs to another data folder, move it away.' });
}
