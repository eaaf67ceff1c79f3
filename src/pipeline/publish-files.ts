import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import type { StateApp } from '../app.ts';
import { loadDescriptions } from '../config/load-catalogue.ts';
import { InputError } from '../domain/errors.ts';
import { warehousePath } from '../folder/forgotten-past.ts';
import { type ExportedTable, type ExportFormat, exportTables } from '../warehouse/publish/export-tables.ts';
import { publishWarehouse } from '../warehouse/publish/publish.ts';
import type { PublishedTable } from '../warehouse/publish/published-table.ts';

export interface PublishResult {
  readonly path: string;
  readonly tables: readonly PublishedTable[];
}

/** Publishes what the state file holds, in the words of the catalogue. */
export async function publishFiles({ settings, clock, state }: StateApp): Promise<PublishResult> {
  const { fields } = loadDescriptions(settings.ads.catalogue);
  const path = warehousePath(settings.paths.data);
  const tables = await publishWarehouse(state, { path, nowMs: clock.now(), describe: (field) => fields[field] });
  return { path, tables };
}

/**
 * Publishes after work that stands whatever becomes of it. Answers with the sentence that tells why it could not; undefined
 * when it could.
 */
export async function publishAfterwards(app: StateApp): Promise<string | undefined> {
  try {
    await publishFiles(app);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const left = leftAsItWas(warehousePath(app.settings.paths.data));
    return `warehouse.sqlite could not be published and ${left}: ${reason}.`;
  }
}

/** Publishes, and writes each table into `folder` too, those that are left when it is asked to stop excepted. Throws `InputError` when it cannot be a folder. */
export async function publishTo(
  app: StateApp,
  format: ExportFormat,
  folder: string,
  stop: AbortSignal,
): Promise<PublishResult & { readonly written: readonly ExportedTable[] }> {
  refuseInputs(folder);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw noFolder(folder, cause);
  }
  const result = await publishFiles(app);
  return { ...result, written: await exportTables(result.path, result.tables, format, folder, stop) };
}

/** Tables among queries or rules would be taken for some, or hide them from people. */
function refuseInputs(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return;
  const found = readdirSync(folder).find((name) => /\.(?:sql|gaql|ya?ml)$/i.test(name));
  if (found === undefined) return;
  throw new InputError(`${folder} has ${found}: it is a folder of queries, rules or settings, and not for tables.`, {
    nextStep: 'Name another folder: pacekeeper publish --to csv exports.',
  });
}

function noFolder(folder: string, cause: unknown): InputError {
  const nextStep = 'Name a folder that exists, or one that can be made.';
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'EEXIST') {
    return new InputError(`${folder} is a file, and the tables need a folder.`, {
      nextStep: 'Name another place, or move the file away.',
      cause,
    });
  }
  const words = code === 'ENOTDIR' ? 'a part of that path is a file' : message;
  return new InputError(`${folder} cannot be made a folder: ${words}.`, { nextStep, cause });
}

/** What is said of a file that this run did not write: "is as the last run left it", or that it is not there. */
export function leftAsItWas(path: string): string {
  return existsSync(path) ? 'is as the last run left it' : 'is not there yet';
}
