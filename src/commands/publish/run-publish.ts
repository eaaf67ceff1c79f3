import { resolve } from 'node:path';
import { InputError } from '../../domain/errors.ts';
import { ASKED_TO_STOP } from '../../domain/ports.ts';
import type { StateApp } from '../../engine/app.ts';
import { systemPauses } from '../../engine/process-time.ts';
import {
  deprecatedColumns,
  publishFiles,
  publishTo,
  publishToFile,
  publishToWorkbook,
  type Written,
} from '../../engine/publish-files.ts';
import type { ExportedTable } from '../../storage/warehouse/publish/export-tables.ts';
import type { CommandApp } from '../cli/command.ts';
import { EXIT } from '../cli/print-error.ts';
import { shownPath } from '../cli/shown-path.ts';
import type { PublishOptions } from './publish-command.ts';

export async function runPublish(app: CommandApp<'state'>, options: PublishOptions): Promise<number> {
  const { folder, output, log, stop } = app;
  const target = exportTarget(folder, options);
  const { place, tables, note, notCopied, deprecated, written, copy, page } = await app.open(async (opened) => {
    const { file, ...result } = await publishAs(opened, target, stop);
    const published = { ...result, deprecated: await deprecatedColumns(opened) };
    const place = file === undefined ? opened.state.path : shownPath(folder, file);
    if (await isAskedToStop(stop)) return { ...published, place, page: undefined };
    const { writeReportPage } = await import('../report/write-report-page.ts');
    return { ...published, place, page: await writeReportPage(opened) };
  });
  const lines = [`${place}: ${tables.length} tables`, ...written.map((file) => lineOf(folder, file))];
  if (copy !== undefined) lines.push(`${shownPath(folder, copy)}: a copy of all tables`);
  const failure = page === undefined ? LEFT_BY_STOP : page.failure;
  if (failure !== undefined) log.warn(failure);
  else if (page) lines.push(`${shownPath(folder, page.path)}: the report`);
  if (note !== undefined) log.warn(note);
  if (notCopied !== undefined) log.warn(notCopied);
  if (deprecated.length > 0) log.warn(`The next version removes columns: ${deprecated.join(', ')}.`);
  output.stdout.write(`${lines.join('\n')}\n`);
  return failure === undefined && notCopied === undefined ? EXIT.done : EXIT.failed;
}

const LEFT_BY_STOP = `All other files, including report.html, are unchanged, because ${ASKED_TO_STOP}. Run pacekeeper publish to write all of them.`;

/** The process can receive a stop request only during a pause. */
async function isAskedToStop(stop: AbortSignal): Promise<boolean> {
  await systemPauses.pause(1);
  return stop.aborted;
}

interface Target {
  readonly format: NonNullable<PublishOptions['to']>;
  readonly path: string;
}

async function publishAs(app: StateApp, target: Target | undefined, stop: AbortSignal): Promise<Written> {
  if (target === undefined) return { ...(await publishFiles(app)), written: [] };
  const { format, path } = target;
  if (format === 'sqlite') return publishToFile(app, path);
  return format === 'xlsx' ? publishToWorkbook(app, path, stop) : publishTo(app, format, path, stop);
}

function exportTarget(folder: string, { dir, to: format }: PublishOptions): Target | undefined {
  if (format !== undefined && dir !== undefined) return { format, path: resolve(folder, dir) };
  if (format === undefined && dir === undefined) return undefined;
  const found = format === undefined ? `only the folder ${dir}` : `only --to ${format}`;
  const example = format === 'sqlite' || format === 'xlsx' ? `warehouse.${format}` : 'exports';
  throw new InputError(`Found ${found}, expected both --to FORMAT and a folder (for sqlite and xlsx, a file).`, {
    nextStep: `Run pacekeeper publish --to ${format ?? 'csv'} ${dir ?? example}.`,
  });
}

function lineOf(folder: string, { file, rows, files }: ExportedTable): string {
  const counted = `${shownPath(folder, file)}: ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`;
  return files === undefined ? counted : `${counted}, ${files.written} of ${files.all} files changed`;
}
