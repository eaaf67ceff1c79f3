import Database from 'better-sqlite3';
import { type Diagnostic, finding, spanAt } from '../../../domain/diagnostic.ts';
import type { DataType } from '../../../language/gaql/catalogue/catalogue.ts';
import { UNITS } from '../../../language/gaql/catalogue/units.ts';
import { amountColumn, COMPUTED, COMPUTED_OTHERWISE, isSummable, MICROS } from '../../../language/gaql/check/column.ts';
import { didYouMean } from '../../../language/gaql/check/suggest.ts';
import { checkTableName, SOURCE_SIZE_MAX } from '../../../language/gaql/query-file.ts';
import { withDatabase } from '../../records/sqlite/open-database.ts';
import { type Model, type ModelColumn, type SourceTable, withParts } from '../models/model.ts';
import type { ModelCode } from '../models/model-codes.ts';
import { amountBeside, type DeclaredType } from '../publish/published-table.ts';
import { identifier } from '../query-table.ts';

export interface ModelSource {
  /** A name with a space is that of a test, which nothing can read. */
  readonly name: string;
  readonly source: string;
}

const isTest = (name: string): boolean => name.includes(' ');

export interface ModelCheck {
  /** Undefined if the file has an error, or reads a query or model with an error. */
  readonly model: Model | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Checks each model on empty tables, without running it. A model that reads a name in `broken` is skipped without an error.
 * `checked` are models from an earlier check that the others may read.
 */
export function checkModels(
  sources: readonly ModelSource[],
  tables: readonly SourceTable[],
  broken: ReadonlySet<string> = new Set(),
  checked: ReadonlyMap<string, Model> = new Map(),
): ReadonlyMap<string, ModelCheck> {
  return withDatabase(new Database(':memory:'), (file) => {
    file.exec(`ATTACH ':memory:' AS ${EMPTY}; CREATE TABLE ${A_DAY} (day DATE)`);
    for (const table of [...tables, ...checked.values()]) createEmpty(file, table);
    return new Checking(file, sources, tables, broken, checked).all();
  });
}

const EMPTY = '"empty tables"';
/** The prefix contains spaces, so no model or query can have such a table name. */
const PREFIX = 'table of ';
const emptyTable = (name: string): string => `${EMPTY}.${identifier(`${PREFIX}${name}`)}`;
const A_DAY = `${EMPTY}."a day"`;

function createEmpty(file: Database.Database, { name, columns }: Pick<Model, 'name' | 'columns'>): void {
  const declared = columns.map((column) => `${identifier(column.name)} ${column.declared ?? ''}`);
  file.exec(`CREATE TABLE ${emptyTable(name)} (${declared.join(', ')})`);
}

function emptyPart({ name, columns }: Pick<Model, 'name' | 'columns'>): readonly [name: string, sql: string] {
  return [name, `SELECT ${columns.map((column) => identifier(column.name)).join(', ')} FROM ${emptyTable(name)}`];
}

class Checking {
  readonly #file: Database.Database;
  readonly #texts: ReadonlyMap<string, ModelText>;
  readonly #tables: ReadonlyMap<string, SourceTable>;
  readonly #broken: ReadonlySet<string>;
  readonly #models: Map<string, Model>;
  /** For each unchecked model, another unchecked model that it reads. */
  readonly #awaited = new Map<string, string>();

  constructor(
    file: Database.Database,
    sources: readonly ModelSource[],
    tables: readonly SourceTable[],
    broken: ReadonlySet<string>,
    checked: ReadonlyMap<string, Model>,
  ) {
    this.#file = file;
    this.#models = new Map(checked);
    this.#texts = new Map(sources.map(({ name, source }) => [name, readText(source)]));
    this.#tables = new Map(tables.map((table) => [table.name, table]));
    this.#broken = broken;
  }

  all(): ReadonlyMap<string, ModelCheck> {
    const found = new Map<string, ModelCheck>();
    const open = new Set<string>();
    for (const [name, text] of this.#texts) {
      const refusals = [...this.#refusedName(name, text), ...refusalsOf(text)];
      if (refusals.length === 0) open.add(name);
      else found.set(name, { model: undefined, diagnostics: refusals });
    }
    // A model is checked after the models that it reads. Models that stay unchecked depend on a cycle.
    for (let isGoing = true; isGoing; ) {
      isGoing = false;
      for (const name of open) {
        const check = this.#check(name, open);
        if (check === undefined) continue;
        if (check.model) {
          this.#models.set(name, check.model);
          createEmpty(this.#file, check.model);
        }
        found.set(name, check);
        open.delete(name);
        isGoing = true;
      }
    }
    for (const name of open) found.set(name, { model: undefined, diagnostics: this.#cycle(name) });
    return found;
  }

  #refusedName(name: string, { source }: ModelText): Diagnostic[] {
    if (isTest(name)) return [];
    if (!this.#tables.has(name) && !this.#broken.has(name)) return checkTableName(name, source);
    const message = `A query file already fills the table "${name}".`;
    return [finding('BAD_TABLE_NAME', spanAt(source, 0, 0), message, 'Rename the model.')];
  }

  /** Returns undefined if the model reads a model that is not checked yet. */
  #check(name: string, open: ReadonlySet<string>): ModelCheck | undefined {
    const text = this.#texts.get(name);
    if (!text) return undefined;
    const diagnostics: Diagnostic[] = [];
    const report = (code: ModelCode, word: string | undefined, message: string, hint?: string) =>
      diagnostics.push(finding(code, placeOf(word, text), message, hint));
    const known = this.#named(text);
    let sql = text.sql;
    for (let tries = 0; tries < ERRORS_MAX; tries += 1) {
      const refused = this.#refusal(known, sql);
      if (refused === undefined) break;
      const table = /^no such table: (.+)$/s.exec(refused)?.[1]?.toLowerCase();
      if (table !== undefined && open.has(table)) {
        this.#awaited.set(name, table);
        return undefined;
      }
      if (table !== undefined && (this.#texts.has(table) || this.#broken.has(table))) {
        return { model: undefined, diagnostics };
      }
      if (table !== undefined) {
        const all = new Set([...this.#tables.keys(), ...this.#models.keys(), ...this.#texts.keys()]);
        const names = [...all].filter((other) => other !== name && !isTest(other));
        const hint = didYouMean(table, names) ?? `Known tables: ${names.join(', ') || 'none yet'}.`;
        report('MODEL_UNKNOWN_NAME', table, `There is no table "${table}".`, hint);
        break;
      }
      const column = /^no such column: (.+)$/s.exec(refused)?.[1];
      if (column === undefined) {
        report('MODEL_SYNTAX', wordIn(refused), `SQLite refuses the model: ${oneLine(refused)}.`);
        break;
      }
      const names = known.flatMap((part) => part.columns.map((one) => one.name));
      const bare = column.slice(column.lastIndexOf('.') + 1);
      report('MODEL_UNKNOWN_NAME', column, `There is no column "${column}".`, didYouMean(bare, new Set(names)));
      // Continues without the unknown column, so that all unknown columns are reported at once.
      const rest = without(column, sql);
      if (rest === sql) break;
      sql = rest;
    }
    if (diagnostics.length > 0) return { model: undefined, diagnostics };
    return this.#described(name, text, this.#readOf(known, sql));
  }

  /**
   * Without a part that it reads, SQLite refuses the model. A column can have the name of a model that is not read. Such a
   * model is left out before its tables. Otherwise they would seem unread, because they are there for that model, too.
   */
  #readOf(known: readonly (SourceTable | Model)[], sql: string): readonly (SourceTable | Model)[] {
    let read = known;
    for (const part of known.toReversed()) {
      const rest = read.filter((other) => other !== part);
      if (this.#refusal(rest, sql) === undefined) read = rest;
    }
    return read;
  }

  #named({ words }: ModelText): (SourceTable | Model)[] {
    return [...this.#tables.values(), ...this.#models.values()].filter(({ name }) => words.has(name));
  }

  #parts(read: readonly (SourceTable | Model)[]): Parts {
    const models = modelsOf(read);
    const tables = new Set([...read.filter(isTable), ...models.flatMap((model) => model.tables)]);
    return [...Array.from(tables, emptyPart), ...models.map((model) => [model.name, model.sql] as const)];
  }

  /** Returns SQLite's error message, or undefined. */
  #refusal(read: readonly (SourceTable | Model)[], sql: string): string | undefined {
    try {
      this.#file.prepare(selectFrom(this.#parts(read), sql));
      return undefined;
    } catch (error) {
      if (error instanceof Error) return error.message;
      throw error;
    }
  }

  #described(name: string, text: ModelText, read: readonly (SourceTable | Model)[]): ModelCheck {
    const statement = selectFrom(this.#parts(read), text.sql);
    const diagnostics: Diagnostic[] = [];
    const report = (code: ModelCode, word: string | undefined, message: string, hint: string) =>
      diagnostics.push(finding(code, placeOf(word, text), message, hint));
    const steps = this.#file.prepare(`EXPLAIN QUERY PLAN ${statement}`).all() as { readonly detail: string }[];
    if (steps.some(({ detail }) => detail.startsWith('RECURSIVE'))) {
      report(
        'MODEL_REFUSED',
        'recursive',
        'The model calls itself, so it may never end.',
        'Write it without WITH RECURSIVE.',
      );
    }
    const columns = this.#file.prepare(statement).columns();
    const seen = new Set<string>();
    for (const column of columns) {
      const [written = ''] = column.name.split(/:\d+$/);
      if (written !== column.name || seen.has(column.name)) {
        report(
          'MODEL_COLUMN',
          written,
          `Two columns have the name "${written}".`,
          'Give one of them another name with AS.',
        );
      } else if (!/^[a-z][a-z0-9_]{0,62}$/.test(column.name)) {
        const hint = 'Add AS and a name of lower-case letters, digits and underscores, starting with a letter.';
        report('MODEL_COLUMN', column.name, `Invalid column name "${oneLine(column.name)}".`, hint);
      }
      seen.add(column.name);
    }
    if (diagnostics.length > 0) return { model: undefined, diagnostics };
    const affinities = this.#affinities(statement);
    const models = modelsOf(read);
    const tables = [...new Set([...read.filter(isTable), ...models.flatMap((model) => model.tables)])];
    const summed = this.#columnsOf(this.#parts(read), withoutCalls('sum', text.sql));
    // The least or greatest value of a column has its type, and date() makes a day.
    const typed = this.#columnsOf(read.map(emptyPart), withDays(withoutCalls('min|max', text.sql)));
    const originOf = (column: Database.ColumnDefinition | undefined) =>
      this.#tables.get(column?.table?.slice(PREFIX.length) ?? '')?.columns.find((one) => one.name === column?.column);
    const described = columns.map((column, index): ModelColumn => {
      const origin = originOf(column);
      if (origin) return { ...origin, name: column.name };
      const sumOf = originOf(summed[index]);
      if (sumOf?.role === 'metric' && isSummable(sumOf)) return { ...sumOf, name: column.name };
      const affinity = affinities[index] ?? '';
      const type = TYPES_OF_CASTS[affinity] ?? (column.name.endsWith(MICROS) ? 'INT64' : 'DOUBLE');
      const meaning = `Computed by the model ${name}.`;
      const role = type === 'STRING' ? 'attribute' : 'metric';
      const field = affinity in TYPES_OF_CASTS ? COMPUTED : COMPUTED_OTHERWISE;
      const declared = (typed[index]?.type ?? undefined) as DeclaredType | undefined;
      const unit = declared === 'DATE' ? UNITS.date : undefined;
      return { name: column.name, field, path: [], type, role, declared, unit, meaning };
    });
    const { description, isTimeless } = text;
    const { sql, columns: withAmounts } = amountsBeside(text.sql, described);
    const named = read.flatMap((part) => part.columns).filter((column) => text.words.has(column.name));
    const model: Model = {
      name,
      description,
      sql,
      columns: withAmounts,
      tables,
      models,
      isTimeless: isTimeless && models.every((one) => one.isTimeless),
      usesConversions: named.some(isOfConversions) || models.some((one) => one.usesConversions),
    };
    return { model, diagnostics };
  }

  /** Empty if SQLite refuses the text. */
  #columnsOf(parts: Parts, sql: string): Database.ColumnDefinition[] {
    try {
      return this.#file.prepare(selectFrom(parts, sql)).columns();
    } catch {
      return [];
    }
  }

  /** SQLite shows the affinity of an expression only in a table or view of it. A view does not run it. */
  #affinities(statement: string): string[] {
    this.#file.exec(`CREATE TEMP VIEW made AS ${statement}`);
    const columns = this.#file.pragma('temp.table_info(made)') as { readonly type: string }[];
    this.#file.exec('DROP VIEW temp.made');
    return columns.map(({ type }) => type);
  }

  /** Returns nothing for a model that reads a cycle but is not in the cycle. */
  #cycle(name: string): Diagnostic[] {
    const text = this.#texts.get(name);
    const way = [name];
    let next = this.#awaited.get(name);
    while (next !== undefined && !way.includes(next)) {
      way.push(next);
      next = this.#awaited.get(next);
    }
    if (!text || next !== name) return [];
    const message = `The model reads itself: ${[...way, name].join(' reads ')}.`;
    const hint = 'Let one of them read the tables of queries.';
    return [finding('MODEL_CYCLE', placeOf(way[1] ?? name, text), message, hint)];
  }
}

type Parts = Parameters<typeof withParts>[0];

function selectFrom(parts: Parts, sql: string): string {
  return `${withParts([...parts, ['the model', sql]])} SELECT * FROM "the model"`;
}

/** SQLite knows the origin and type of `clicks`, but not of `sum(clicks)`, so such calls with one argument are removed. */
function withoutCalls(names: string, sql: string): string {
  let text = sql;
  const code = codeOf(sql);
  for (const { index, 0: opening, 1: name = '' } of code.matchAll(callOf(names))) {
    const start = index + opening.length;
    const end = closingAfter(code, start);
    const argument = code.slice(start, end - 1);
    if (/^\s*distinct\b/.test(argument) || /^\s*(?:over|filter)\b/.test(code.slice(end))) continue;
    if (argument.replace(/\(.*\)/s, '').includes(',')) continue;
    text = text.slice(0, index) + ' '.repeat(name.length) + text.slice(index + name.length);
  }
  return text;
}

/** Puts a column of days in the place of each call of date(). */
function withDays(sql: string): string {
  const code = codeOf(sql);
  let text = '';
  let end = 0;
  for (const { index, 0: opening } of code.matchAll(callOf('date'))) {
    if (index < end) continue;
    text += `${sql.slice(end, index)}(SELECT day FROM ${A_DAY})`;
    end = closingAfter(code, index + opening.length);
  }
  return text + sql.slice(end);
}

const callOf = (names: string) => new RegExp(`\\b(${names})\\s*\\(`, 'g');

/** `from` is the position after the opening parenthesis. */
function closingAfter(code: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < code.length && depth > 0; at += 1) {
    if (code[at] === '(') depth += 1;
    if (code[at] === ')') depth -= 1;
  }
  return at;
}

/** Adds a column in currency units for each column in micros, unless the model has a column of that name. */
function amountsBeside(sql: string, columns: readonly ModelColumn[]): Pick<Model, 'sql' | 'columns'> {
  const names = new Set(columns.map(({ name }) => name));
  const amounts = columns.flatMap(({ name, type, field }) => {
    const amount = amountColumn(name, type);
    if (amount === undefined || names.has(amount)) return [];
    const { expression, declared, unit, description } = amountBeside(amount, name, identifier(name));
    return [
      {
        expression,
        column: {
          name: amount,
          field: `amount.${field}`,
          path: [],
          type: 'DOUBLE',
          role: 'metric',
          declared,
          unit,
          meaning: description,
          micros: name,
        } as const,
      },
    ];
  });
  if (amounts.length === 0) return { sql, columns };
  const added = amounts.map(({ expression, column }) => `${expression} AS ${identifier(column.name)}`);
  return {
    sql: `SELECT *, ${added.join(', ')} FROM (${sql}\n) AS model`,
    columns: [...columns, ...amounts.map(({ column }) => column)],
  };
}

const ERRORS_MAX = 20;

function isTable(part: SourceTable | Model): part is SourceTable {
  return 'select' in part;
}

/** Returns all models that `read` needs, in order of dependency. */
function modelsOf(read: readonly (SourceTable | Model)[]): Model[] {
  return [...new Set(read.flatMap((part) => (isTable(part) ? [] : [...part.models, part])))];
}

function isOfConversions({ field }: ModelColumn): boolean {
  return field.includes('conversion');
}

/** In SQLite, a computed value has an affinity only if the expression is a CAST. */
const TYPES_OF_CASTS: Readonly<Record<string, DataType>> = { INT: 'INT64', REAL: 'DOUBLE', TEXT: 'STRING' };

interface ModelText {
  readonly source: string;
  /** Without the semicolon at the end. */
  readonly sql: string;
  readonly description: string;
  /** The source in lower case. Spaces replace quoted texts and comments. */
  readonly code: string;
  readonly words: ReadonlySet<string>;
  readonly isTimeless: boolean;
}

/** Also matches quoted names, because a name can contain an apostrophe or the beginning of a comment. */
const TEXT_OR_COMMENT =
  /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*(?:'|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

function codeOf(sql: string): string {
  return sql
    .replace(TEXT_OR_COMMENT, (found) => (/^["`[]/.test(found) ? found : found.replace(/[^\n]/g, ' ')))
    .toLowerCase();
}

/** Matches expressions that depend on the current time or on the machine's time zone. */
const CLOCK =
  /\bcurrent_(?:date|time|timestamp)\b|'(?:now|localtime|utc)'|\b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*\)|\bstrftime\s*\(\s*'[^']*'\s*\)/i;

function readText(source: string): ModelText {
  const code = codeOf(source);
  const end = code.trimEnd().length;
  const sql = code[end - 1] === ';' ? source.slice(0, end - 1) : source;
  const isTimeless = !CLOCK.test(source);
  return {
    source,
    sql,
    description: leadingComment(source),
    code,
    words: new Set(code.match(/[a-z_]\w*/g)),
    isTimeless,
  };
}

function leadingComment(source: string): string {
  const [block] = /^\s*\/\*[\s\S]*?\*\//.exec(source) ?? [];
  if (block !== undefined)
    return block
      .trim()
      .slice(2, -2)
      .trim()
      .replaceAll(/\s*\n\s*/g, ' ');
  const lines = source.trimStart().split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  const comment = lines.slice(0, end < 0 ? lines.length : end).map((line) => line.slice(2).trim());
  return comment.join(' ').trim();
}

/** One SELECT without the semicolon at its end, or why its text is refused. */
export function readSelect(source: string): { readonly sql: string; readonly refusals: readonly Diagnostic[] } {
  const text = readText(source);
  return { sql: text.sql, refusals: refusalsOf(text) };
}

/** Reports text that a model must not contain, although SQLite may accept such text. */
function refusalsOf(text: ModelText): Diagnostic[] {
  const { code, source } = text;
  const at = (place: number, length: number, message: string, hint: string) =>
    finding('MODEL_REFUSED', spanAt(source, place, place + length), message, hint);
  if (source.length > SOURCE_SIZE_MAX) return [at(0, 0, 'The text is too large.', 'Write several models.')];
  const control = CONTROL.exec(source);
  if (control) return [at(control.index, 1, 'There is a control character.', 'Use only line ends and tabs.')];
  for (const { 0: found, index } of source.matchAll(TEXT_OR_COMMENT)) {
    // The other engine would take more for a comment, because its comments can contain comments.
    const inner = found.startsWith('/*') ? found.indexOf('/*', 2) : -1;
    if (inner > 0) return [at(index + inner, 2, 'A comment contains another comment.', 'Write them one by one.')];
  }
  const first = /\S+/.exec(code);
  if (!first) return [at(0, 0, 'There is no SELECT.', 'Write one SELECT over tables of queries.')];
  if (!/^(?:select|with|values)\b/.test(first[0])) {
    const message = `Found ${first[0].toUpperCase().slice(0, 40)}, expected SELECT or WITH.`;
    return [at(first.index, first[0].length, message, 'Write one SELECT, which only reads.')];
  }
  return REFUSED.flatMap(([pattern, message, hint]) => {
    const found = pattern.exec(code);
    return found ? [at(found.index, found[0].length, message, hint)] : [];
  });
}

/** The other engine ends a comment at a lone carriage return. It would run what SQLite takes for a comment. */
const CONTROL = /(?!\t|\n|\r\n)\p{Cc}/u;

const REFUSED: readonly (readonly [pattern: RegExp, message: string, hint: string])[] = [
  [/;(?=\s*\S)/, 'There are several statements.', 'Write only one SELECT.'],
  [/[?@$]|:\w+/, 'Parameters have no values here.', 'Write the value itself.'],
  [
    /\b(?:sqlite_(?:master|schema|temp_master|temp_schema|sequence|stat\d)|dbstat|pragma_\w+)\b/,
    'This is a table of SQLite.',
    'Read tables of queries and models.',
  ],
  [
    /\b(?:random|randomblob|last_insert_rowid|changes|total_changes)\s*\(/,
    'The value differs each time.',
    'Use values of the tables.',
  ],
];

function placeOf(word: string | undefined, { source, code }: ModelText) {
  const wanted = word?.toLowerCase() ?? '';
  const inCode = wanted === '' ? -1 : wordAt(wanted, code);
  const start = inCode >= 0 ? inCode : Math.max(0, code.search(/\S/));
  const length = inCode >= 0 ? wanted.length : (/^\w+/.exec(code.slice(start))?.[0].length ?? 0);
  return spanAt(source, start, start + length);
}

/** Returns -1 if the word does not occur, or only inside a longer word. */
function wordAt(word: string, code: string): number {
  for (let at = code.indexOf(word); at >= 0; at = code.indexOf(word, at + 1)) {
    const isWhole = !/\w/.test(code[at - 1] ?? '') && !/\w/.test(code[at + word.length] ?? '');
    if (isWhole || !/\w/.test(word)) return at;
  }
  return -1;
}

/** Replaces the column by NULL. The text keeps its length, so that positions stay valid. */
function without(column: string, sql: string): string {
  const at = wordAt(column.toLowerCase(), codeOf(sql));
  if (at < 0 || column.length < 4) return sql;
  return `${sql.slice(0, at)}${'NULL'.padEnd(column.length)}${sql.slice(at + column.length)}`;
}

/** The part of a SELECT that an error of SQLite names. `refusalOf` has the error of another text, if it has one. */
export function blamedPart(source: string, error: string, refusalOf: (source: string) => string | undefined) {
  const text = readText(source);
  const [, kind, name] = /^no such (table|column): "?([^"]+)(?:" - should .*)?$/.exec(error) ?? [];
  const word = name ?? wordIn(error);
  if (word === undefined || wordAt(word.toLowerCase(), text.code) < 0) return undefined;
  const unknown = name !== undefined && { unknown: { kind: kind === 'table' ? 'table' : 'column', name } as const };
  if (!error.startsWith('near ')) return { at: placeOf(word, text), ...unknown };
  // A word of a syntax error can occur before. Only the text up to its wrong occurrence has the same error.
  const isWrong = (place: number) => refusalOf(source.slice(0, place + word.length)) === error;
  let start = text.code.indexOf(word.toLowerCase());
  for (let tries = 1; start >= 0 && tries < TRIES_MAX && !isWrong(start); tries += 1)
    start = text.code.indexOf(word.toLowerCase(), start + 1);
  return start < 0 ? undefined : { at: spanAt(source, start, start + word.length) };
}

const TRIES_MAX = 100;

const wordIn = (message: string): string | undefined =>
  /near "([^"]+)"|(?:function|column name):? (\w[\w.]*)/.exec(message)?.slice(1).find(Boolean);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 200);
