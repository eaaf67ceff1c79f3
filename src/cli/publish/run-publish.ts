import { relative, resolve } from 'node:path';
import { withState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { InputError } from '../../domain/errors.ts';
import { createRedact } from '../../http/redact.ts';
import { publishFiles, publishTo } from '../../jobs/publish-files.ts';
import { createClock } from '../../system-time.ts';
import type { ExportedTable, ExportFormat } from '../../warehouse/export-tables.ts';
import type { CommonOptions } from '../common-options.ts';
import { createLog } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import { tellBusy } from '../tell-busy.ts';

export interface PublishCommandOptions extends CommonOptions {
  readonly to?: ExportFormat;
}

/** The publish command. Answers with the exit code. Throws `InputError` for a format without a folder, or the reverse. */
export async function runPublish(
  dir: string | undefined,
  options: PublishCommandOptions,
  { folder, env, output }: Process,
): Promise<number> {
  const target = exportTarget(dir, options.to);
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const deps = {
    clock: createClock(settings.startAtMs),
    log: createLog(output, createRedact(settings.secrets)),
  };
  const outcome = await withState(settings, deps, 'pacekeeper publish', async (app) =>
    target === undefined
      ? { ...(await publishFiles(app)), written: [] }
      : publishTo(app, target.format, resolve(folder, target.dir)),
  );
  if (outcome.kind === 'busy') return tellBusy(output, settings.paths.data, outcome.holder);
  const { path, tables, written } = outcome.value;
  const lines = [`${shown(folder, path)}: ${tables.length} tables`, ...written.map((file) => lineOf(folder, file))];
  output.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.done;
}

function exportTarget(dir: string | undefined, format: ExportFormat | undefined) {
  if (format !== undefined && dir !== undefined) return { format, dir };
  if (format !== undefined) {
    throw new InputError(`--to ${format} needs the folder for the files.`, {
      nextStep: `Name it: pacekeeper publish --to ${format} exports.`,
    });
  }
  if (dir !== undefined) {
    throw new InputError(`The folder ${dir} is for files of a format, and none is named.`, {
      nextStep: `Name it: pacekeeper publish --to csv ${dir}.`,
    });
  }
  return undefined;
}

function lineOf(folder: string, { file, rows }: ExportedTable): string {
  return `${shown(folder, file)}: ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`;
}

/** Paths as the user would type them, where that is shorter. */
function shown(folder: string, path: string): string {
  const below = relative(folder, path);
  return below.startsWith('..') ? path : below;
}
