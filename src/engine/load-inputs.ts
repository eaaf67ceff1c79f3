import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { chooseCatalogue } from '../config/load-catalogue.ts';
import { completenessOf } from '../config/of-account.ts';
import type { Paths, Settings } from '../config/settings.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import type { Diagnostic } from '../domain/diagnostic.ts';
import { InputError, type SourceFindings } from '../domain/errors.ts';
import { type CustomerId, customerId } from '../domain/ids.ts';
import { parseCivilDate } from '../domain/parse-civil-date.ts';
import type { DataTest } from '../language/data-tests/data-test.ts';
import type { CheckContext } from '../language/gaql/check/check-query.ts';
import { amountColumn } from '../language/gaql/check/column.ts';
import { queryFingerprint } from '../language/gaql/check/query-for-range.ts';
import { checkQueryFile, type QueryFile, SOURCE_SIZE_MAX, unreadableFile } from '../language/gaql/query-file.ts';
import { checkCurrencies } from '../language/rules/check/check-currencies.ts';
import type { Completeness } from '../language/rules/file/rule-file.ts';
import type { ModelTable, Rule, RuleTable } from '../language/rules/rule.ts';
import type { ExchangeRate } from '../language/targets/exchange-rates.ts';
import { type Target, targetAsRule } from '../language/targets/target.ts';
import { type Model, type SourceTable, selectModel } from '../storage/warehouse/models/model.ts';

export interface Inputs {
  readonly queries: readonly QueryFile[];
  /** Each comes after the models that it reads. */
  readonly models: readonly Model[];
  readonly rules: readonly Rule[];
  readonly targets: readonly Target[];
  /** From the settings and `exchange_rates.csv`, for targets whose accounts have another currency. */
  readonly rates: readonly ExchangeRate[];
  /** In the order of their files. */
  readonly tests: readonly CheckedTest[];
  /** Tests that do not run because their queries were not chosen. */
  readonly otherTests?: readonly CheckedTest[];
  /** Rules that do not run because their queries were not chosen. */
  readonly otherRules?: readonly Rule[];
  readonly findings: readonly FileFindings[];
}

export function allRules({
  rules,
  otherRules = [],
  targets,
}: Pick<Inputs, 'rules' | 'otherRules' | 'targets'>): readonly Rule[] {
  return [...rules, ...otherRules, ...targets.map(targetAsRule)];
}

export interface FileFindings extends SourceFindings {
  readonly path: string;
  /** Undefined for a rule, a model, or a file with an error. */
  readonly query: QueryFile | undefined;
  readonly rule: Rule | undefined;
}

export const QUERY_ENDINGS = ['.sql', '.gaql'];
const MODEL_ENDINGS = ['.sql'];
const RULE_ENDINGS = ['.yaml', '.yml'];

/** Throws `InputError` for an unreadable folder, or for a folder without queries. */
export function loadInputs(
  folders: Pick<Paths, InputKind>,
  contextOf: ContextOf,
  completeness?: Completeness,
  moreModels: readonly string[] = [],
): Promise<Inputs> {
  return checkFiles(inputFiles(folders, moreModels), contextOf, completeness);
}

/** Throws like `loadInputs`. */
export function inputFiles(
  folders: Pick<Paths, InputKind>,
  moreModels: readonly string[] = [],
): Readonly<Record<FileKind, readonly string[]>> {
  const queries = filesIn(folders.queries, QUERY_ENDINGS, 'queries');
  if (queries.length === 0) {
    throw new InputError(`No query found in ${shownPath(folders.queries)}.`, {
      nextStep:
        'Run pacekeeper init for examples, write one (docs/query-language.md), or name another folder with --queries DIR.',
    });
  }
  return {
    queries,
    rules: filesIn(folders.rules, RULE_ENDINGS, 'rules'),
    models: [...modelFilesIn(folders.models), ...moreModels],
    tests: [...testFilesIn(folders.queries), ...testFilesIn(folders.models)],
    targets: targetFilesIn(folders.targets),
  };
}

export type ContextOf = (name: string) => CheckContext;

export async function checkFiles(
  paths: Readonly<Record<FileKind, readonly string[]>>,
  contextOf: ContextOf,
  completeness: Completeness = { settleDays: new Map(), conversionDays: 0 },
): Promise<Inputs> {
  const findings: FileFindings[] = [];
  const queries = new Map<string, QueryFile>();
  const broken = new Set<string>();
  for (const path of paths.queries) {
    const name = nameOf(path);
    const { source, refusal } = readText(path);
    const context = { ...contextOf(name), ...(/REGEXP_MATCH/i.test(source) && (await patternCheck())) };
    const check = refusal ? { query: undefined, diagnostics: [refusal] } : checkQueryFile(name, source, context);
    const diagnostics = queries.has(name)
      ? [...check.diagnostics, takenName(`Another query file already fills the table "${name}".`)]
      : check.diagnostics;
    const query = queries.has(name) ? undefined : check.query;
    findings.push({ path, file: shownPath(path), source, diagnostics, query, rule: undefined });
    if (query) queries.set(name, query);
    else broken.add(name);
  }
  const models = await checkModelFiles(paths.models, () => tablesOf([...queries.values()]), broken);
  for (const { name } of models.findings) if (!models.byName.has(name)) broken.add(name);
  const ofRules = new Map<string, RuleTable>([
    ...queries,
    ...Array.from(models.byName, ([name, model]) => [name, modelTable(model, queries)] as const),
  ]);
  const about = { tables: ofRules, broken, completeness, contextOf };
  const rules = await checkRules(paths.rules, about);
  const targets = await checkTargets(paths.targets, about, new Set(paths.rules.map(nameOf)));
  const tests = await checkTests(paths.tests, [...queries.values()], models.byName, broken);
  return {
    queries: [...queries.values()],
    models: [...models.byName.values()],
    rules: rules.rules,
    targets: targets.targets,
    rates: targets.rates,
    tests: tests.tests,
    findings: [...findings, ...models.findings, ...rules.findings, ...targets.findings, ...tests.findings],
  };
}

/** A test whose SQL is checked, on the tables that it reads. */
export interface CheckedTest extends DataTest {
  readonly model: Model;
}

/** In `byName`, each model comes after the models that it reads. */
export interface CheckedModels {
  readonly byName: ReadonlyMap<string, Model>;
  readonly findings: readonly (FileFindings & { readonly name: string })[];
}

/** Imports the checker only if there are models, because SQLite takes time to load. */
export async function checkModelFiles(
  paths: readonly string[],
  tablesOf: () => Promise<readonly SourceTable[]>,
  broken: ReadonlySet<string>,
): Promise<CheckedModels> {
  if (paths.length === 0) return { byName: new Map(), findings: [] };
  const { checkModels } = await import('../storage/warehouse/sqlite/check-models.ts');
  const files = paths.map((path) => ({ path, name: nameOf(path), ...readText(path) }));
  const readable = files.filter(({ refusal }) => refusal === undefined);
  const checks = checkModels(readable, await tablesOf(), broken);
  const findings = files.map(({ path, name, source, refusal }) => {
    const found = refusal ? [refusal] : (checks.get(name)?.diagnostics ?? []);
    const diagnostics = found.toSorted((one, other) => one.span.start.offset - other.span.start.offset);
    return { path, name, file: shownPath(path), source, diagnostics, query: undefined, rule: undefined };
  });
  const models = Array.from(checks.values(), ({ model }) => model).filter((model) => model !== undefined);
  return { byName: new Map(models.map((model) => [model.name, model])), findings };
}

/** Checks the SQL of tests like that of models, on empty tables. No name can hide theirs, because it has a space. */
async function checkTests(
  paths: readonly string[],
  queries: readonly QueryFile[],
  models: ReadonlyMap<string, Model>,
  broken: ReadonlySet<string>,
): Promise<Pick<Inputs, 'tests' | 'findings'>> {
  if (paths.length === 0) return { tests: [], findings: [] };
  const [{ checkDataTestFile }, { checkModels }] = await Promise.all([
    import('../language/data-tests/data-test-file.ts'),
    import('../storage/warehouse/sqlite/check-models.ts'),
  ]);
  const sources = await tablesOf(queries);
  const tables = new Map([...sources, ...models.values()].map((table) => [table.name, table]));
  const tested = new Set<string>();
  const files = paths.map((path) => {
    const { source, refusal } = readText(path);
    const name = basename(path).replace(TEST_ENDING, '');
    const second = tested.has(name) ? takenName(`Another file already tests the table "${name}".`) : undefined;
    tested.add(name);
    const refused = refusal ?? second;
    const read = refused ? { tests: [], diagnostics: [refused] } : checkDataTestFile(name, source, tables, broken);
    return { path, source, ...read };
  });
  const textOf = (test: DataTest) => ({ name: `test ${test.table} ${test.name}`, source: test.failing(SAMPLE) });
  const texts = files.flatMap(({ tests }) => tests.map(textOf));
  const checks = checkModels(texts, sources, broken, models);
  const tests: CheckedTest[] = [];
  const findings = files.map(({ path, source, tests: written, diagnostics }) => {
    const all = [...diagnostics];
    for (const { span, ...test } of written) {
      const check = checks.get(textOf(test).name);
      all.push(...(check?.diagnostics ?? []).map((one) => ({ ...one, span })));
      if (check?.model) tests.push({ ...test, model: check.model });
    }
    return { path, file: shownPath(path), source, diagnostics: all, query: undefined, rule: undefined };
  });
  return { tests, findings };
}

const ONE_DAY = parseCivilDate('2026-01-01');
const SAMPLE = ONE_DAY ? [{ customerId: customerId('1'), today: ONE_DAY, lastComplete: ONE_DAY }] : [];

async function tablesOf(queries: readonly QueryFile[]): Promise<readonly SourceTable[]> {
  const { sourceTable } = await import('../storage/warehouse/models/source-table.ts');
  return queries.map((query) =>
    sourceTable(query, { isLimited: query.limit !== undefined, text: queryFingerprint(query) }),
  );
}

function modelTable(model: Model, queries: ReadonlyMap<string, QueryFile>): ModelTable {
  const { name, tables, isTimeless, usesConversions } = model;
  // Rules use exact micros, so the columns with currency amounts are omitted.
  const amounts = model.columns.map((column) => amountColumn(column.name, column.type));
  const columns = model.columns.filter((column) => !amounts.includes(column.name));
  const [only] = tables;
  return {
    name,
    columns,
    limit: tables.some(({ isLimited }) => isLimited) ? 1 : undefined,
    // Several tables can have different windows.
    window: tables.length === 1 && only ? queries.get(only.name)?.window : undefined,
    resource: undefined,
    reads: tables.map((table) => ({ name: table.name, text: table.text })),
    model: {
      name,
      models: model.models.map((one) => one.name),
      columns,
      select: (schemas, oneDay) => selectModel(model, schemas, oneDay),
    },
    isTimeless,
    usesConversions,
  };
}

/** Imported only for queries with patterns, because the library takes long to load. */
function patternCheck(): Promise<Pick<CheckContext, 'patternFault'>> {
  return import('../language/gaql/check/pattern-fault.ts');
}

interface CheckedBefore {
  readonly tables: ReadonlyMap<string, RuleTable>;
  readonly broken: ReadonlySet<string>;
  readonly completeness: Completeness;
  readonly contextOf: ContextOf;
}

/** Imports the rule checker only if there are rules, because it takes long to load. */
async function checkRules(paths: readonly string[], about: CheckedBefore): Promise<Pick<Inputs, 'rules' | 'findings'>> {
  if (paths.length === 0) return { rules: [], findings: [] };
  const { checkRuleFile } = await import('../language/rules/file/rule-file.ts');
  const rules: Rule[] = [];
  const findings: FileFindings[] = [];
  for (const path of paths) {
    const { source, refusal, context } = readRuleText(path, about);
    const { rule, diagnostics } = refusal
      ? { rule: undefined, diagnostics: [refusal] }
      : checkRuleFile(nameOf(path), source, about.tables, about.broken, context);
    findings.push({ path, file: shownPath(path), source, diagnostics, query: undefined, rule });
    if (rule) rules.push(rule);
  }
  return { rules, findings };
}

/** Decisions, alerts and limits name a rule or a target, so no name may mean both. */
async function checkTargets(
  paths: readonly string[],
  about: CheckedBefore,
  rules: ReadonlySet<string>,
): Promise<Pick<Inputs, 'targets' | 'rates' | 'findings'>> {
  if (paths.length === 0) return { targets: [], rates: [], findings: [] };
  const [{ checkTargetFile }, { checkTargetCsv }, { readRates }, { checkOverlap }] = await Promise.all([
    import('../language/targets/target-file.ts'),
    import('../language/targets/target-csv.ts'),
    import('../language/targets/exchange-rates.ts'),
    import('../language/targets/check-overlap.ts'),
  ]);
  const targets = new Map<string, Target>();
  const ofAccount = new Map<CustomerId, Rule[]>();
  const rates: ExchangeRate[] = [];
  const findings: FileFindings[] = [];
  for (const path of paths) {
    const { source, refusal, context } = readRuleText(path, about);
    const diagnostics: Diagnostic[] = refusal ? [refusal] : [];
    const add = (read: readonly Target[]) => {
      for (const target of read) {
        const { name } = target;
        if (rules.has(name) || targets.has(name))
          diagnostics.push(takenName(`A rule or target has the name "${name}".`));
        else targets.set(name, target);
        diagnostics.push(...checkOverlap(target, ofAccount));
        for (const [customer, rule] of target.rules)
          ofAccount.set(customer, [...(ofAccount.get(customer) ?? []), rule]);
      }
    };
    if (refusal) {
      // Reported above.
    } else if (basename(path) === RATES_CSV) {
      const read = readRates(source);
      diagnostics.push(...read.diagnostics);
      rates.push(...read.rates);
    } else if (basename(path) === TARGETS_CSV) {
      const read = checkTargetCsv(source, about.tables, about.broken, context, versionOf);
      diagnostics.push(...read.diagnostics);
      add(read.targets);
    } else {
      const { target, diagnostics: found } = checkTargetFile(nameOf(path), source, about.tables, about.broken, context);
      diagnostics.push(...found);
      add(target === undefined ? [] : [target]);
    }
    findings.push({ path, file: shownPath(path), source, diagnostics, query: undefined, rule: undefined });
  }
  return { targets: [...targets.values()], rates, findings };
}

function readRuleText(path: string, { completeness, contextOf }: CheckedBefore) {
  const reading = readText(path);
  const catalogueOf = (query: string) => contextOf(query).catalogue;
  return {
    ...reading,
    context: { version: versionOf(reading.source), completeness, catalogueOf, today: contextOf(nameOf(path)).today },
  };
}

const versionOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** The files of the folder, and `targets.csv` and `exchange_rates.csv` beside it. */
function targetFilesIn(folder: string): string[] {
  const beside = [TARGETS_CSV, RATES_CSV].map((name) => join(dirname(folder), name)).filter((path) => existsSync(path));
  return [...optionalFilesIn(folder, RULE_ENDINGS, 'targets'), ...beside];
}

const TARGETS_CSV = 'targets.csv';
const RATES_CSV = 'exchange_rates.csv';

/** Throws `InputError` if any file has an error. */
export function refuseErrors({ findings }: Inputs): void {
  const wrong = findings.filter(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'));
  if (wrong.length === 0) return;
  const files = wrong.length === 1 ? '1 file has' : `${wrong.length} files have`;
  throw new InputError(`${files} errors. Nothing was sent.`, {
    nextStep: 'Correct the places above, then run pacekeeper check.',
    findings: wrong,
  });
}

type InputKind = 'queries' | 'rules' | 'models' | 'targets';
type FileKind = InputKind | 'tests';

export function filesIn(folder: string, endings: readonly string[], what: InputKind): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (cause) {
    const reason = (cause as { code?: unknown }).code === 'ENOENT' ? 'does not exist' : 'is not a readable folder';
    throw new InputError(`The folder ${shownPath(folder)} ${reason}.`, {
      nextStep: `Name an existing folder with --${what} DIR.`,
      cause,
    });
  }
  const wanted = names.filter((name) => endings.includes(extname(name).toLowerCase()) && !name.startsWith('.'));
  return wanted.sort().map((name) => join(folder, name));
}

export function modelFilesIn(folder: string): string[] {
  return optionalFilesIn(folder, MODEL_ENDINGS, 'models');
}

const TEST_ENDING = /\.tests\.ya?ml$/i;

/** Beside the queries or models whose tables they test. */
export function testFilesIn(folder: string): string[] {
  return optionalFilesIn(folder, RULE_ENDINGS, 'queries').filter(isTestFile);
}

export const isTestFile = (path: string): boolean => TEST_ENDING.test(path);

function optionalFilesIn(folder: string, endings: readonly string[], what: InputKind): string[] {
  return existsSync(folder) ? filesIn(folder, endings, what) : [];
}

export function ruleFilesIn(folder: string): string[] | undefined {
  try {
    return filesIn(folder, RULE_ENDINGS, 'rules');
  } catch {
    return undefined;
  }
}

export function isRuleFile(path: string): boolean {
  return !isTestFile(path) && RULE_ENDINGS.includes(extname(path).toLowerCase());
}

export const nameOf = (path: string): string => basename(path, extname(path));

function takenName(message: string): Diagnostic {
  const start = { offset: 0, line: 1, column: 1 };
  return {
    code: 'BAD_TABLE_NAME',
    severity: 'error',
    span: { start, end: start },
    message,
  };
}

type TextReading =
  | { readonly kind: 'ok'; readonly source: string; readonly refusal?: undefined }
  | { readonly kind: 'refused'; readonly source: ''; readonly refusal: Diagnostic };

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Removes the byte order mark, which would shift the columns in error messages. */
export function readText(path: string): TextReading {
  const refuse = (reason: string): TextReading => ({ kind: 'refused', source: '', refusal: unreadableFile(reason) });
  try {
    const found = statSync(path);
    if (found.isDirectory())
      return refuse('Found a folder, expected a file. Name its files, or use --queries or --rules.');
    // Reading a pipe or a device may never end.
    if (!found.isFile()) return refuse('Found neither a file nor a folder.');
    if (found.size > SOURCE_SIZE_MAX) {
      return refuse(`File too large: found ${found.size} bytes, expected at most ${SOURCE_SIZE_MAX}.`);
    }
    const bytes = readFileSync(path);
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return refuse('Invalid encoding: found UTF-16, expected UTF-8.');
    return { kind: 'ok', source: UTF8.decode(bytes) };
  } catch (cause) {
    const code = (cause as { code?: unknown }).code;
    if (code === 'ENOENT') return refuse('No such file.');
    if (code === 'EACCES') return refuse('Permission denied to read the file.');
    if (cause instanceof TypeError) return refuse('Invalid encoding: expected UTF-8.');
    return refuse(`The file cannot be read: ${cause instanceof Error ? cause.message : cause}.`);
  }
}

/** Returns a relative path if the file is inside the working folder. */
export function shownPath(path: string): string {
  const short = relative('', path);
  return short.startsWith('..') || short === '' ? path : short;
}

export type RuleNamed = (name: string) => Rule | undefined;

/** Parameters come from the settings, not from the command line. `moreModels` are paths of models outside their folder. */
export async function inputsNow(
  settings: Settings,
  nowMs: number,
  moreModels: readonly string[] = [],
): Promise<Inputs> {
  const { paths, params, check } = settings;
  const today = civilDateAt(nowMs, 'UTC');
  const { catalogue } = chooseCatalogue(settings);
  const { unknownFields } = check;
  const context = { catalogue, today, parameters: params, unbound: 'warning' as const, unknownFields };
  const inputs = await loadInputs(paths, () => context, completenessOf(settings), moreModels);
  return withFixedRates(inputs, settings);
}

export function withFixedRates(inputs: Inputs, { exchangeRates }: Pick<Settings, 'exchangeRates'>): Inputs {
  return { ...inputs, rates: [...exchangeRates, ...inputs.rates] };
}

/** The returned function throws `InputError` for a rule whose file has an error. */
export function rulesOf(inputs: Inputs): RuleNamed {
  const { findings } = inputs;
  const byName = rulesByName(allRules(inputs));
  return (name) => {
    const rule = byName(name);
    const broken = findings.find(({ path }) => isRuleFile(path) && nameOf(path) === name);
    if (rule !== undefined || broken === undefined) return rule;
    throw new InputError(`The rule ${name} could not be checked, so it changed nothing.`, {
      nextStep: 'Run pacekeeper check.',
      findings: [broken],
    });
  };
}

export function rulesByName(rules: readonly Rule[]): RuleNamed {
  const byName = new Map(rules.map((rule) => [rule.name, rule]));
  return (name) => byName.get(name);
}

export function currencyFindings(inputs: Inputs, currencies: readonly string[]): readonly FileFindings[] {
  const found = checkCurrencies(inputs.rules, currencies);
  return inputs.findings.map((file) => {
    const own = found.filter(({ rule }) => rule === file.rule).map(({ diagnostic }) => diagnostic);
    const diagnostics = [...file.diagnostics, ...own].sort((a, b) => a.span.start.offset - b.span.start.offset);
    return own.length === 0 ? file : { ...file, diagnostics };
  });
}

/** Throws `InputError` for an amount without a currency if the accounts use several currencies. */
export function refuseAmbiguousMoney(
  inputs: Inputs,
  accounts: readonly { readonly currency: string | undefined }[],
): void {
  const findings = currencyFindings(
    inputs,
    accounts.flatMap(({ currency }) => currency ?? []),
  );
  const wrong = findings.filter(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'));
  if (wrong.length === 0) return;
  const names = wrong.flatMap(({ rule }) => rule?.name ?? []).join(', ');
  throw new InputError(
    `${names}: found an amount without a currency, expected a currency, because the accounts use several.`,
    {
      nextStep: 'Add a line such as "currency: EUR" to the rule. Nothing was read or changed.',
      findings: wrong,
    },
  );
}
