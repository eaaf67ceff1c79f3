import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished } from 'vitest';
import { LOGIN_PATH } from '../../src/domain/pages.ts';
import { type CommandOfTree, commandTree, formatsOf, widthOf } from '../commands/command-tree.ts';
import { type ProgramOptions, runInProcess } from '../commands/run-in-process.ts';
import { serveInProcess } from '../commands/serve/serve-in-process.ts';
import { brokenAtTags, normalise, stylesIn } from './normalise.ts';

/** A folder in which commands run, and all that they said. */
export interface GoldenWorld {
  readonly folder: string;
  /** Sets the clock of the next commands. */
  at(instant: string): void;
  /** Runs a command line and keeps all it printed. */
  run(line: string, options?: ProgramOptions): Promise<void>;
  /**
   * Runs command lines that change nothing, and keeps their text, JSON and pages. test/commands/listings.test.ts compares
   * CSV and NDJSON.
   */
  show(...lines: readonly string[]): Promise<void>;
  /** The codes of the proposals that wait. */
  waiting(): readonly string[];
  /** How many answers to replies were sent. */
  answered(): number;
  /** Keeps a text that no command printed. */
  keep(name: string, text: string): void;
  /** Keeps the files of a folder: these, or all. */
  keepFiles(folder: string, names?: readonly string[]): void;
  /** Keeps the pages and the numbers of `pacekeeper serve`, while `meanwhile` happens before them. */
  keepPages(paths: readonly string[], meanwhile?: (address: string) => Promise<void>): Promise<void>;
  /** Keeps the definitions of a database, and the rows of its tables but these. */
  keepTables(file: 'state' | 'warehouse', without: readonly string[]): void;
  /** All that was kept, by the name of its file. */
  files(): ReadonlyMap<string, string>;
}

/** As long on every machine: text is wrapped around it. */
const FOLDER_LENGTH = 64;
const NAME_LENGTH = 60;
const TREE = commandTree();

/** The command that these words call. */
export function commandOf(words: string): CommandOfTree | undefined {
  return TREE.findLast(({ name }) => name !== '' && `${words} `.startsWith(`${name} `));
}

const ROW_FORMATS: readonly string[] = ['csv', 'ndjson', 'xlsx'];

/** All but the text, and those of rows. */
export function keptFormats(command: CommandOfTree): readonly string[] {
  return (formatsOf(command) ?? []).slice(1).filter((format) => !ROW_FORMATS.includes(format));
}

export function goldenWorld(): GoldenWorld {
  const parent = mkdtempSync(join(tmpdir(), 'pk-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, 'x'.repeat(FOLDER_LENGTH - parent.length - 1));
  mkdirSync(folder);
  const kept = new Map<string, string>();
  let now = '';
  let steps = 0;

  const keep: GoldenWorld['keep'] = (name, text) => {
    if (kept.has(name)) throw new Error(`${name} is kept twice.`);
    kept.set(name, text);
  };
  const call = async (line: string, options: ProgramOptions = {}) => {
    const args = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const given = { folder, width: 80, userName: 'anna', ...options, env: { PACEKEEPER_NOW: now, ...options.env } };
    const { code, stdout, stderr } = await runInProcess(args, given);
    const said = `exit code ${code}\n--- stdout\n${stdout}\n--- stderr\n${stderr}`;
    return { stdout, text: `$ pacekeeper ${line}\nat ${now}, ${said}` };
  };
  const nameOf = (line: string) => line.replace(/[^\w.]+/g, '-').slice(0, NAME_LENGTH);
  const read = <Row>(file: string, work: (database: Database.Database) => Row): Row => {
    const database = new Database(join(folder, 'data', `${file}.sqlite`), { readonly: true });
    database.defaultSafeIntegers(true);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const waiting = () => {
    const sql = "SELECT code FROM budget_proposal WHERE state = 'open' ORDER BY code";
    return read('state', (database) => database.prepare<[], string>(sql).pluck().all());
  };

  const answered = () => {
    const sql = "SELECT count(*) FROM outbox WHERE reason = 'reply' AND state = 'accepted'";
    return Number(read('state', (database) => database.prepare<[], bigint>(sql).pluck().get()));
  };

  return {
    folder,
    keep,
    at: (instant) => {
      now = instant;
    },
    async run(line, options) {
      steps += 1;
      keep(`steps/${String(steps).padStart(2, '0')}-${nameOf(line)}.txt`, (await call(line, options)).text);
    },
    async show(...lines) {
      for (const line of lines) {
        const command = commandOf(line);
        const narrow = await call(line);
        keep(`shown/${nameOf(line)}.txt`, narrow.text);
        const wide = await call(line, { width: 140 });
        if (wide.stdout !== narrow.stdout) expect([line, widthOf(wide.stdout) <= 140]).toEqual([line, true]);
        for (const format of command ? keptFormats(command) : []) {
          const { text } = await call(`${line} --format ${format}`);
          keep(`shown/${nameOf(line)}.${format}.txt`, format === 'html' ? brokenAtTags(text) : text);
        }
      }
    },
    waiting,
    answered,
    keepFiles(below, names = readdirSync(join(folder, below)).sort()) {
      for (const name of names) {
        const text = readFileSync(join(folder, below, name), 'utf8');
        keep(`files/${below}/${name}`, name.endsWith('.html') ? brokenAtTags(text) : text);
      }
    },
    async keepPages(paths, meanwhile) {
      const served = await serveInProcess(folder, { PACEKEEPER_NOW: now });
      const { address } = served.ready;
      const { stdout } = await runInProcess(['serve', 'token'], { folder, env: { PACEKEEPER_NOW: now } });
      await meanwhile?.(address);
      const headers = { authorization: `Bearer ${stdout.trim()}` };
      for (const path of paths) {
        const answer = await fetch(address + path, path === LOGIN_PATH ? {} : { headers });
        const head = `GET ${path}\n${answer.status} ${answer.headers.get('content-type')}`;
        const page = await answer.text();
        if (path === LOGIN_PATH) keep('pages/style.css', stylesIn(page));
        keep(`pages/${nameOf(path.slice(1)) || 'overview'}.txt`, `${head}\n${brokenAtTags(page)}`);
      }
      await served.stop();
      keep('pages/serve.txt', `${JSON.stringify(served.ready, undefined, 2)}\n--- stderr\n${served.stderr()}`);
    },
    keepTables(file, without) {
      read(file, (database) => {
        const schema = database
          .prepare<[], { name: string; sql: string }>(
            'SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name',
          )
          .all();
        keep(`${file}/schema.sql`, schema.map(({ sql }) => `${sql};\n`).join('\n'));
        const tables = schema.filter(({ name, sql }) => sql.startsWith('CREATE TABLE') && !without.includes(name));
        for (const { name } of tables) {
          const rows = database.prepare<[], object>(`SELECT * FROM "${name}"`).all();
          if (rows.length > 0) keep(`${file}/${name}.ndjson`, rows.map(lineOf).join(''));
        }
      });
    },
    files: () => new Map([...kept].map(([name, text]) => [name, normalise(text, folder)])),
  };
}

function lineOf(row: object): string {
  const value = (_: string, one: unknown) => {
    if (typeof one === 'bigint') return String(one);
    return one instanceof Uint8Array ? `${one.length} bytes` : one;
  };
  return `${JSON.stringify(row, value)}\n`;
}
