import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { renderReportJson } from '../report/render-json.ts';
import type { ReportResult } from '../report/report-result.ts';

/** As many runs have a file. */
const KEPT = 400;
const NAME = /^(\d+)\.json$/;

/**
 * Writes what `--format json` prints of a run into `runs/<id>.json` of the data folder, for its owner alone, and takes away
 * the oldest beyond {@link KEPT}. Answers with the sentence that tells why it could not; undefined when it could.
 */
export function writeRunArtefact(dataFolder: string, result: ReportResult): string | undefined {
  const folder = join(dataFolder, 'runs');
  const path = join(folder, `${result.run.id}.json`);
  const next = join(folder, `.${result.run.id}.json.next`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeWhole(next, `${renderReportJson(result)}\n`);
    renameSync(next, path);
    removeOldest(folder);
    return undefined;
  } catch (error) {
    // What is half-written is of no use to anybody; that it may not be taken away either changes nothing.
    rmQuietly(next);
    const full = (error as NodeJS.ErrnoException).code === 'ENOSPC';
    const reason = full ? 'the disk is full' : error instanceof Error ? error.message : String(error);
    return `${path} could not be written: ${reason}.`;
  }
}

function writeWhole(path: string, text: string): void {
  rmSync(path, { force: true });
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeOldest(folder: string): void {
  const ids = readdirSync(folder).flatMap((name) => NAME.exec(name)?.[1] ?? []);
  const newestFirst = ids.map(BigInt).sort((one, other) => (one < other ? 1 : -1));
  for (const id of newestFirst.slice(KEPT)) rmSync(join(folder, `${id}.json`), { force: true });
}

function rmQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
