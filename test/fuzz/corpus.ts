import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Kept inputs stand in test/fuzz/corpus/<target>/, one a file; where the program is started decides which. */
export const CORPUS = 'test/fuzz/corpus';

export interface CorpusFile {
  readonly name: string;
  readonly input: Buffer;
}

/** In the order of the names; none where the target has no folder. */
export function corpusOf(target: string, folder = CORPUS): readonly CorpusFile[] {
  const path = join(folder, target);
  if (!existsSync(path)) return [];
  const names = readdirSync(path).sort();
  return names.map((name) => ({ name, input: readFileSync(join(path, name)) }));
}

/** Keeps an input under `<kind>-<hash>`. Answers with the file's path. */
export function keepInput(target: string, kind: 'found' | 'reached', input: Buffer, folder = CORPUS): string {
  const path = join(folder, target);
  mkdirSync(path, { recursive: true });
  const file = join(path, `${kind}-${createHash('sha256').update(input).digest('hex').slice(0, 8)}`);
  writeFileSync(file, input);
  return file;
}
