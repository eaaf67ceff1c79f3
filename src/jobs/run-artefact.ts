import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceText } from '../files/replace-file.ts';
import { runFiles, runFolder } from '../forgotten-past.ts';
import { renderReportJson } from '../report/render-json.ts';
import type { ReportResult } from '../report/report-result.ts';

/** As many runs have a file. */
const KEPT = 400;

/**
 * Writes what `--format json` prints of a run into `runs/<id>.json` of the data folder, for its owner alone, and takes away
 * the oldest beyond {@link KEPT}. The file of another run is never replaced. Answers with the sentence that tells why it could not; undefined when it could.
 */
export function writeRunArtefact(dataFolder: string, result: ReportResult): string | undefined {
  const folder = runFolder(dataFolder);
  const path = join(folder, `${result.run.id}.json`);
  if (existsSync(path)) return `${path} is the file of another run: it was not replaced.`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    replaceText(path, () => `${renderReportJson(result)}\n`, { mode: 0o600 });
    removeOldest(dataFolder);
    return undefined;
  } catch (error) {
    const full = (error as NodeJS.ErrnoException).code === 'ENOSPC';
    const reason = full ? 'the disk is full' : error instanceof Error ? error.message : String(error);
    return `${path} could not be written: ${reason}.`;
  }
}

function removeOldest(dataFolder: string): void {
  const newestFirst = runFiles(dataFolder).sort((one, other) => (one < other ? 1 : -1));
  for (const id of newestFirst.slice(KEPT)) rmSync(join(runFolder(dataFolder), `${id}.json`), { force: true });
}
