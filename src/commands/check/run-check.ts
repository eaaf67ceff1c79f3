import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { settingsFolder } from '../../config/folders.ts';
import { completenessOf } from '../../config/of-account.ts';
import { type QuerySettings, readQuerySettings, readSettings } from '../../config/read-settings.ts';
import { readEnvironment } from '../../config/setting-tree.ts';
import type { Settings } from '../../config/settings.ts';
import type { Diagnostic } from '../../domain/diagnostic.ts';
import { InvariantError } from '../../domain/errors.ts';
import { inertJson } from '../../domain/outside-text.ts';
import {
  checkFiles,
  currencyFindings,
  type FileFindings,
  filesIn,
  type Inputs,
  isRuleFile,
  isTestFile,
  loadInputs,
  modelFilesIn,
  QUERY_ENDINGS,
  readText,
  shownPath,
} from '../../engine/load-inputs.ts';
import { createClock, systemPauses } from '../../engine/process-time.ts';
import type { Catalogue } from '../../language/gaql/catalogue/catalogue.ts';
import type { CheckContext } from '../../language/gaql/check/check-query.ts';
import { type Repair, repairQuery } from '../../language/gaql/check/repair-query.ts';
import { formatQuery } from '../../language/gaql/syntax/format-query.ts';
import { type ParsedQuery, parseQuery } from '../../language/gaql/syntax/parse-query.ts';
import { printQuery } from '../../language/gaql/syntax/print-query.ts';
import { ownNextPath, replaceText } from '../../storage/files/replace-file.ts';
import { checkContext, refuseUnusedParameters } from '../cli/choose-inputs.ts';
import type { CommonOptions } from '../cli/common-options.ts';
import { harmless, textLayout, warnTo } from '../cli/output.ts';
import { EXIT, renderFindings } from '../cli/print-error.ts';
import type { Process } from '../cli/process.ts';
import type { CheckOptions } from './check-command.ts';

type CheckCommandOptions = CheckOptions & CommonOptions;

/** Returns 2 if a file has an error. */
export async function runCheck(process: Process, options: CheckCommandOptions): Promise<number> {
  const { folder, env, output } = process;
  if (options.explain !== undefined) {
    const { explainCode } = await import('./explain-code.ts');
    output.stdout.write(explainCode(options.explain, textLayout(output).width));
    return EXIT.done;
  }
  const environment = readEnvironment(settingsFolder(folder, options), env);
  const paths = [...new Set(options.files.map((file) => resolve(folder, file)))];
  const whole = paths.length === 0 ? await readSettings(folder, options, environment) : undefined;
  const settings = readQuerySettings(folder, options, environment);
  const clock = createClock(settings.startAtMs);
  const { param = [] } = options;
  const context: CheckContext = { ...checkContext(settings, param, clock, warnTo(output)), unbound: 'warning' };
  if (options.fix) fixFiles(paths, settings, context.catalogue, process);
  const offline = await (paths.length === 0 ? allFiles(settings, context) : namedFiles(paths, settings, context));
  refuseUnusedParameters(param, offline);
  const asked = options.online ? await askService(options, offline, process) : await withNotThere(offline, settings);
  const findings = whole?.schedule.length ? [...asked, ...(await scheduleFindings(whole))] : asked;
  const schemas = options.schema ? await import('./render-schema.ts') : undefined;
  const layout = textLayout(output);
  if (options.format === 'json') output.stdout.write(renderJson(findings, schemas?.schemaOf));
  else if (options.format === 'github') output.stdout.write(renderGithub(findings));
  else if (options.format === 'sarif') output.stdout.write((await import('./render-sarif.ts')).renderSarif(findings));
  else output.stdout.write(`${schemas?.renderSchemas(findings, layout) ?? ''}${renderText(findings, layout.width)}`);
  return countFindings(findings).errors === 0 ? EXIT.done : EXIT.badInput;
}

async function withNotThere(
  findings: readonly FileFindings[],
  { target, sandbox }: QuerySettings,
): Promise<readonly FileFindings[]> {
  if (target !== 'sandbox') return findings;
  const { notThere } = await import('../../sandbox/ads/read-query.ts');
  return findings.map((file) => {
    const note = file.query && notThere(file.query.tree, sandbox.strict);
    return note === undefined ? file : { ...file, diagnostics: [...file.diagnostics, note] };
  });
}

async function scheduleFindings(settings: Settings): Promise<FileFindings[]> {
  const { scheduledQueryFindings } = await import('../doctor/scheduled-queries.ts');
  return scheduledQueryFindings(settings);
}

async function allFiles(settings: QuerySettings, context: CheckContext): Promise<readonly FileFindings[]> {
  const { paths } = settings;
  return withCurrencies(await loadInputs(paths, () => context, completenessOf(settings)), settings);
}

/** Also loads other queries and models, because rules and models may need their tables. */
async function namedFiles(
  paths: readonly string[],
  settings: QuerySettings,
  context: CheckContext,
): Promise<readonly FileFindings[]> {
  const isTarget = (path: string) => isRuleFile(path) && dirname(path) === settings.paths.targets;
  const targets = paths.filter(isTarget);
  const rules = paths.filter((path) => isRuleFile(path) && !isTarget(path));
  const tests = paths.filter(isTestFile);
  const isModel = (path: string) => isModelFile(path, settings);
  const queries = paths.filter((path) => !isRuleFile(path) && !isModel(path) && !isTestFile(path));
  const needsTables = rules.length + targets.length + tests.length > 0 || paths.some(isModel);
  const others = needsTables ? queriesBeside(queries, settings) : [];
  const models = needsTables ? modelFilesIn(settings.paths.models) : [];
  const inputs = await checkFiles(
    {
      queries: [...queries, ...others],
      rules,
      models: [...new Set([...models, ...paths.filter(isModel)])],
      targets,
      tests,
    },
    () => context,
    completenessOf(settings),
  );
  const findings = await withCurrencies(inputs, settings);
  return findings.filter(({ path }) => paths.includes(path));
}

async function withCurrencies(inputs: Inputs, { paths, accounts }: QuerySettings): Promise<readonly FileFindings[]> {
  if (!inputs.rules.some(({ amountAt, currency }) => amountAt !== undefined && currency === undefined)) {
    return inputs.findings;
  }
  const currencies = [...accounts.values()].flatMap(({ currency }) => currency ?? []);
  const { knownCurrencies } = await import('../../storage/records/sqlite/state-past.ts');
  return currencyFindings(inputs, [...currencies, ...knownCurrencies(join(paths.data, 'state.sqlite'))]);
}

function isModelFile(path: string, { paths }: QuerySettings): boolean {
  return dirname(path) === paths.models && !isTestFile(path);
}

function queriesBeside(queries: readonly string[], settings: QuerySettings): string[] {
  return filesIn(settings.paths.queries, QUERY_ENDINGS, 'queries').filter((path) => !queries.includes(path));
}

function fixFiles(named: readonly string[], settings: QuerySettings, catalogue: Catalogue, { output }: Process): void {
  const all = named.length > 0 ? named : filesIn(settings.paths.queries, QUERY_ENDINGS, 'queries');
  const isQuery = (path: string) => !isRuleFile(path) && !isTestFile(path) && !isModelFile(path, settings);
  for (const path of all.filter(isQuery)) {
    const { done, repairs } = fixFile(path, catalogue);
    for (const { line, what } of repairs) output.stderr.write(`${shownPath(path)}:${line}: ${harmless(what)}\n`);
    if (done !== 'unchanged') output.stderr.write(`${shownPath(path)}: ${DONE[done]}\n`);
  }
}

const DONE = { rewritten: 'rewritten in the canonical layout', left: 'not rewritten: it has errors' } as const;

async function askService(
  options: CheckCommandOptions,
  findings: readonly FileFindings[],
  { folder, env, output }: Process,
): Promise<readonly FileFindings[]> {
  const settings = await readSettings(folder, options, readEnvironment(settingsFolder(folder, options), env));
  const [{ open }, { checkOnline }, { checkOperations }, { requireAds }, { openLog }] = await Promise.all([
    import('../../app.ts'),
    import('./check-online.ts'),
    import('../doctor/check-work.ts'),
    import('../../engine/accounts/find-accounts.ts'),
    import('../cli/open-log.ts'),
  ]);
  const clock = createClock(settings.startAtMs);
  const deps = { clock, pauses: systemPauses, log: await openLog(output, settings, clock) };
  return open(settings, deps, { what: 'areas', readOnly: true }, async (areas) => {
    const ads = requireAds(areas, 'the online check cannot run');
    const about = { ads, target: areas.target, excluded: settings.ads.excludeCustomerIds, ...deps };
    const checked = await checkOnline(about, settings.ads.customerIds, findings);
    for (const { state, found, expected, nextStep } of await checkOperations(settings, deps, ads)) {
      if (state === 'ok') deps.log.info(`For the schedule, ${found}.`);
      else deps.log.warn(`For the schedule, ${found}; expected ${expected}. ${nextStep}`);
    }
    return checked;
  });
}

function countFindings(findings: readonly FileFindings[]): Record<'errors' | 'warnings' | 'notes', number> {
  const all = findings.flatMap(({ diagnostics }) => diagnostics);
  const count = (wanted: Diagnostic['severity']) => all.filter(({ severity }) => severity === wanted).length;
  return { errors: count('error'), warnings: count('warning'), notes: count('note') };
}

function renderText(findings: readonly FileFindings[], width: number): string {
  const { errors, warnings, notes } = countFindings(findings);
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  const summary = [count(findings.length, 'file'), count(errors, 'error'), count(warnings, 'warning')];
  if (notes > 0) summary.push(count(notes, 'note'));
  const text = renderFindings(findings, width);
  return `${text === '' ? '' : `${text}\n\n`}${summary.join(', ')}.\n`;
}

/** Lines and columns start at 1. The end is exclusive. */
export function renderJson(findings: readonly FileFindings[], schemaOf?: (file: FileFindings) => unknown): string {
  const { errors, warnings } = countFindings(findings);
  const files = findings.map((file) => ({
    file: file.file,
    diagnostics: file.diagnostics.map(({ code, severity, message, hint = null, span: { start, end } }) => ({
      code,
      severity,
      message,
      hint,
      start: { line: start.line, column: start.column },
      end: { line: end.line, column: end.column },
    })),
    ...(schemaOf && { schema: schemaOf(file) }),
  }));
  return `${inertJson(JSON.stringify({ files, errors, warnings }, undefined, 2))}\n`;
}

const GITHUB_COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

function renderGithub(findings: readonly FileFindings[]): string {
  const lines = findings.flatMap(({ file, diagnostics }) =>
    diagnostics.map(({ code, severity, message, hint, span: { start, end } }) => {
      const place = {
        file,
        line: start.line,
        col: start.column,
        endLine: end.line,
        endColumn: end.column,
        title: code,
      };
      const properties = Object.entries(place).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
      const text = hint === undefined ? message : `${message}\n${hint}`;
      return `::${GITHUB_COMMANDS[severity]} ${properties.join(',')}::${escapeData(text)}\n`;
    }),
  );
  return lines.join('');
}

const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

interface Fixed {
  readonly done: keyof typeof DONE | 'unchanged';
  readonly repairs: readonly Repair[];
}

function fixFile(path: string, catalogue: Catalogue): Fixed {
  const reading = readText(path);
  if (reading.kind === 'refused') return { done: 'left', repairs: [] };
  const { source } = reading;
  const repaired = repairQuery(source, catalogue);
  const parsed = parseQuery(repaired.source);
  if (parsed.diagnostics.length > 0) return { done: 'left', repairs: [] };
  const laidOut = formatQuery(parsed);
  refuseLoss(path, parsed, parseQuery(laidOut));
  const text = source.includes('\r\n') ? laidOut.replaceAll('\n', '\r\n') : laidOut;
  if (text === source) return { done: 'unchanged', repairs: [] };
  // If the path is a symbolic link, only the target of the link is replaced.
  const target = realpathSync(path);
  replaceText(target, () => text, { mode: statSync(target).mode & 0o7777, next: ownNextPath(target) });
  return { done: 'rewritten', repairs: repaired.repairs };
}

/** Throws if formatting would change the query or lose a comment. */
function refuseLoss(path: string, before: ParsedQuery, after: ParsedQuery): void {
  const same = printQuery(before.tree) === printQuery(after.tree) && before.comments.length === after.comments.length;
  if (same && after.diagnostics.length === 0) return;
  throw new InvariantError(
    `Formatting would change the query in ${shownPath(path)}, so the file was left as it is. This is a bug.`,
  );
}
