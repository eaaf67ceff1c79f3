import type { Settings } from '../config/settings.ts';
import { InputError } from '../domain/errors.ts';
import { decidesByValue } from '../language/rules/evaluate/plan-rule.ts';
import { allRules, inputFiles, inputsNow, readText } from './load-inputs.ts';

/** Pages ask each time, and checking all files takes long. */
let known: { readonly files: string; readonly answer: boolean } | undefined;

/** True if a rule or target of the folder decides by conversion values. A file with an error decides nothing. */
export async function folderDecidesByValue(settings: Settings, nowMs: number): Promise<boolean> {
  try {
    const paths = Object.values(inputFiles(settings.paths)).flat();
    const files = JSON.stringify(paths.map((path) => [path, readText(path).source]));
    if (known?.files !== files) {
      known = { files, answer: allRules(await inputsNow(settings, nowMs)).some(decidesByValue) };
    }
    return known.answer;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}
