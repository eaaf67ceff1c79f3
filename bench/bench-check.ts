import { join, resolve } from 'node:path';
import { QUERY_FILE } from './bench-query.ts';
import { type Comparison, compare } from './compare.ts';
import { type QueryFolder, writeQueryFolder } from './query-folder.ts';
import type { QueryGrowth } from './query-growth.ts';
import { childPath, runChild } from './run-child.ts';
import { PROGRAM } from './run-program.ts';
import { timeProcess } from './time-process.ts';

export interface CheckResults {
  /** A check of one file by `--version`. */
  readonly single: Comparison;
  /** A check of a folder by parsing its files. */
  readonly folder: Comparison;
  readonly queries: QueryFolder;
  readonly growths: readonly QueryGrowth[];
}

const PROJECT = resolve('.');

/** Measures how long checking takes. `folder` is there to be written to. */
export async function benchCheck(
  folder: string,
  { runs, files }: { readonly runs: number; readonly files: number },
): Promise<CheckResults> {
  const queries = writeQueryFolder(join(folder, 'check'), files);
  const inFolder = (script: string, ...args: string[]) => timeProcess(script, args, queries.folder);
  const single = await compare(
    'check of one file',
    runs,
    () => timeProcess(PROGRAM, ['--version'], PROJECT),
    () => timeProcess(PROGRAM, ['check', QUERY_FILE], PROJECT),
  );
  const all = await compare(
    `check of ${files} files`,
    runs,
    () => inFolder(childPath('parse'), queries.queries),
    () => inFolder(PROGRAM, 'check', '--queries', 'queries', '--rules', 'rules'),
  );
  process.stderr.write('queries of growing size\n');
  const growths = await runChild<QueryGrowth[]>('query-growth', 7);
  return { single, folder: all, queries, growths };
}
