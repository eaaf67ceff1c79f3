import { type Dirent, existsSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { settingsFolder } from '../../config/folders.ts';
import { readQuerySettings } from '../../config/read-settings.ts';
import { readEnvironment } from '../../config/setting-tree.ts';
import { type Diagnostic, spanAt } from '../../domain/diagnostic.ts';
import { InputError, type SourceFindings } from '../../domain/errors.ts';
import { nameOf, QUERY_ENDINGS, readText } from '../../engine/load-inputs.ts';
import { createClock } from '../../engine/process-time.ts';
import { type ImportedQuery, importQuery } from '../../language/gaql/dialect/import-query.ts';
import { snakeName } from '../../language/gaql/dialect/model-text.ts';
import { ownNextPath, replaceText } from '../../storage/files/replace-file.ts';
import { count, oneLine, wrapText } from '../../views/text/text-layout.ts';
import { checkContext } from '../cli/choose-inputs.ts';
import type { CommonOptions } from '../cli/common-options.ts';
import { textLayout, warnTo } from '../cli/output.ts';
import { EXIT, renderFindings } from '../cli/print-error.ts';
import type { Process } from '../cli/process.ts';
import { shownPath } from '../cli/shown-path.ts';
import type { ImportOptions } from './import-command.ts';

/** Returns 1 if a file could not be imported. The other files are written. */
export async function runImport(process: Process, options: ImportOptions & CommonOptions): Promise<number> {
  const { folder, env, output } = process;
  const settings = readQuerySettings(folder, options, readEnvironment(settingsFolder(folder, options), env));
  const context = checkContext(settings, [], createClock(settings.startAtMs), warnTo(output));
  const { queries } = settings.paths;
  const folders: Folders = {
    queries,
    models: settings.paths.models,
    shown: (path) => oneLine(shownPath(folder, path)),
  };
  const paths = sourcesIn(resolve(folder, options.dir), folders);
  const { width } = textLayout(output);
  const takenBy = new Map<string, string>();
  const refused: SourceFindings[] = [];
  const parameters = new Set<string>();
  for (const path of paths) {
    const { source, refusal } = readText(path);
    const imported = refusal ? undefined : importQuery(snakeName(nameOf(path)), source, context);
    const files = imported ? filesOf(imported, folders) : [];
    const diagnostics = refusal ? [refusal] : [...(imported?.errors ?? []), ...clashes(files, folders, takenBy)];
    if (!imported || diagnostics.length > 0) {
      refused.push({ file: folders.shown(path), source, diagnostics });
      continue;
    }
    for (const file of files) {
      takenBy.set(file.name, folders.shown(path));
      write(file);
    }
    for (const name of imported.parameters) if (!settings.params.has(name)) parameters.add(name);
    output.stdout.write(`${importedText(path, files, imported, folders, width)}\n`);
  }
  if (refused.length > 0) output.stdout.write(`\n${renderFindings(refused, width)}\n`);
  output.stdout.write(`\n${summary(paths.length, refused.length, [...parameters], env)}\n`);
  return refused.length === 0 ? EXIT.done : EXIT.failed;
}

interface Folders {
  readonly queries: string;
  readonly models: string;
  readonly shown: (path: string) => string;
}

interface NewFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** Leaves out the folders of queries and models. Does not follow links to folders. */
function sourcesIn(dir: string, { queries, models, shown }: Folders): readonly string[] {
  const nextStep =
    'Name the folder with your gaarf query files: pacekeeper import ../ads-queries. Nothing was written.';
  const found = statSync(dir, { throwIfNoEntry: false });
  if (!found?.isDirectory()) {
    const reason = found ? 'is not a folder' : 'does not exist';
    throw new InputError(`${shown(dir)} ${reason}, expected a folder with query files.`, { nextStep });
  }
  const own = new Set([queries, models].filter((path) => existsSync(path)).map((path) => realpathSync(path)));
  if (own.has(realpathSync(dir))) {
    throw new InputError(`${shown(dir)} is the folder for the imported queries, expected another folder.`, {
      nextStep,
    });
  }
  const paths = filesBelow(realpathSync(dir), own);
  if (paths.length === 0) throw new InputError(`No .sql or .gaql file in ${shown(dir)}.`, { nextStep });
  return paths;
}

function filesBelow(dir: string, without: ReadonlySet<string>): string[] {
  const entries = readdirSync(dir, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  return entries.sort(byName).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' || without.has(path) ? [] : filesBelow(path, without);
    // A link could lead out of the folder, to any file of this machine.
    return entry.isFile() && QUERY_ENDINGS.includes(extname(entry.name).toLowerCase()) ? [path] : [];
  });
}

const byName = (one: Dirent, other: Dirent): number => (one.name < other.name ? -1 : 1);

function filesOf({ query, model }: ImportedQuery, { queries, models }: Folders): readonly NewFile[] {
  return [
    ...(query ? [{ ...query, path: join(queries, `${query.name}.sql`) }] : []),
    ...(model ? [{ ...model, path: join(models, `${model.name}.sql`) }] : []),
  ];
}

/** A file with the same content is accepted, so an import can be repeated. */
function clashes(files: readonly NewFile[], { queries, models, shown }: Folders, takenBy: ReadonlyMap<string, string>) {
  return files.flatMap(({ name, path, text }): Diagnostic[] => {
    const earlier = takenBy.get(name);
    if (earlier !== undefined) return [clash(`${earlier} already gives the table ${name}.`)];
    const others = [...QUERY_ENDINGS.map((ending) => join(queries, `${name}${ending}`)), join(models, `${name}.sql`)];
    const there = others.find((other) => existsSync(other) && !(other === path && readText(path).source === text));
    return there === undefined ? [] : [clash(`${shown(there)} already gives the table ${name}.`)];
  });
}

function clash(message: string): Diagnostic {
  const hint = 'Rename one of the files, or remove the one that you do not need. Then import again.';
  return { code: 'BAD_TABLE_NAME', severity: 'error', span: spanAt('', 0, 0), message, hint };
}

function write({ path, text }: NewFile): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  replaceText(path, () => text, { next: ownNextPath(path) });
}

function importedText(
  path: string,
  files: readonly NewFile[],
  { notes }: ImportedQuery,
  { shown }: Folders,
  width: number,
): string {
  const head = `${shown(path)} -> ${files.map((file) => shown(file.path)).join(', ')}`;
  const lines = notes.map(({ span: { start }, message }) =>
    wrapText(oneLine(message), width, `  ${`${start.line}:${start.column}`.padEnd(6)} `, '         '),
  );
  return [head, ...lines].join('\n');
}

function summary(all: number, refused: number, parameters: readonly string[], env: Process['env']): string {
  const call = env.npm_command === 'exec' ? 'npx pacekeeper' : 'pacekeeper';
  const done = `${count(all - refused, 'file')} imported, ${refused} not.`;
  if (refused === all) return `${done} Correct the places above, then import again.`;
  const values = parameters.length === 0 ? [] : ['Parameters to set with --param or under params in pacekeeper.yaml:'];
  return [done, ...values, ...parameters.map((name) => `  ${name}`), '', 'Next:', `  ${call} check`].join('\n');
}
