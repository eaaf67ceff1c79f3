import type { Settings } from '../config/settings.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import { type Inputs, inputFiles, inputsNow, readText } from './load-inputs.ts';

export interface KeptInputs {
  readonly inputs: Inputs;
  /** Their paths and texts, and the day of the check. */
  readonly files: string;
}

/** Pages ask each time, and checking all files takes long. */
let known: KeptInputs | undefined;

/** The inputs of the folder, checked again only if a file or the day has changed. Throws like `loadInputs`. */
export async function keptInputs(settings: Settings, nowMs: number): Promise<KeptInputs> {
  const paths = Object.values(inputFiles(settings.paths)).flat();
  const texts = paths.map((path) => [path, readText(path).source]);
  const files = JSON.stringify([civilDateAt(nowMs, 'UTC'), texts]);
  if (known?.files !== files) known = { files, inputs: await inputsNow(settings, nowMs) };
  return known;
}
