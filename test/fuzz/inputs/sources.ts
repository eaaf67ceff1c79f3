import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The texts of a folder's files with this ending, in the order of their names. */
export function textsIn(folder: string, ending: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  return names.sort().map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** The examples of a page of docs/ that are fenced as one of these languages. */
export function examplesIn(page: string, languages: readonly string[]): readonly string[] {
  const text = readFileSync(join('docs', page), 'utf8');
  const fences = [...text.matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```/gm)];
  return fences.filter(([, language = '']) => languages.includes(language)).map(([, , example = '']) => example);
}
