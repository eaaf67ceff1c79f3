import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import Database from 'better-sqlite3';
import { type ProgramOptions, type ProgramResult, runInProcess } from '../commands/run-in-process.ts';
import { isThorough } from '../support/effort.ts';

/** One command of a script. */
interface ScriptCommand {
  readonly words: readonly string[];
  /** The file that stdout goes to. */
  readonly into: string | undefined;
  /** The text of `<<'END'`. */
  readonly input: string | undefined;
}

const SEPARATORS = /^(?:\n|;|&&)/;
const WORD = /^(?:'[^']*'|"[^"$`\\]*"|[^\s'"`$&;|<>#()*?\\~]|(?<=\S)#)+/;

/**
 * The commands of a shell script as far as our pages use the language: words, quotes, comments, `&&`, `;`, `> file`,
 * `<<'END'` and a line that goes on. Throws on anything else: what a page shows has to be simple enough to be typed.
 */
export function parseScript(script: string): ScriptCommand[] {
  const commands: ScriptCommand[] = [];
  let words: string[] = [];
  let into: string | undefined;
  let end: string | undefined;
  let rest = script;
  const take = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest)?.[0];
    if (found !== undefined) rest = rest.slice(found.length);
    return found;
  };
  const finish = (separator: string) => {
    let input: string | undefined;
    if (end !== undefined && separator === '\n') {
      const [before = '', ...after] = rest.split(`\n${end}\n`);
      if (after.length === 0) throw new Error(`Found no line "${end}" that ends what is written.`);
      input = `${before}\n`;
      rest = after.join(`\n${end}\n`);
    }
    if (words.length > 0) commands.push({ words, into, input });
    words = [];
    into = undefined;
    end = undefined;
  };
  while (rest !== '') {
    if (take(/^(?:[ \t]|\\\n|#[^\n]*)+/) !== undefined) continue;
    const separator = take(SEPARATORS);
    if (separator !== undefined) {
      finish(separator);
      continue;
    }
    const target = take(/^> *[\w./-]+/);
    if (target !== undefined) {
      into = target.slice(1).trim();
      continue;
    }
    const heredoc = take(/^<<'\w+'/);
    if (heredoc !== undefined) {
      end = heredoc.slice(3, -1);
      continue;
    }
    const word = take(WORD);
    if (word === undefined) throw new Error(`Found ${JSON.stringify(rest.slice(0, 20))} where a word is expected.`);
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''));
  }
  finish('');
  return commands;
}

/** What a block says of how it is run. */
export interface RunAs {
  /** A command and the options that the test adds to it: `report --customer 1234567890`. */
  readonly added: readonly string[];
  /** It goes on until it is stopped, and is ready when it has printed something. */
  readonly stays: boolean;
  readonly exitCode: number;
}

/** A folder as a clone has it, and what a person types there. */
export interface Shell {
  run(command: ScriptCommand, as: RunAs): Promise<void>;
  /** Goes on in the folder with nothing of what was set. */
  newTerminal(): void;
  /** Ends what stays. */
  close(): Promise<void>;
}

const OURS = ['queries', 'rules', 'pacekeeper.yaml'];
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/**
 * Commands of the program run in this process; a code to answer with is the one that a phone was asked with last.
 * What sets the project up is compared with what the project's own check runs.
 */
export async function openShell(folder: string): Promise<Shell> {
  for (const name of OURS) cpSync(name, join(folder, name), { recursive: true });
  if (!isThorough) readLess(join(folder, 'queries', 'keyword_stats.sql'));
  // Another test may serve at the usual port.
  const fixed = { SERVE_PORT: String(await freePort()) };
  let here = folder;
  let env: Record<string, string> = fixed;
  let asked = '';
  const stops: (() => Promise<unknown>)[] = [];

  const pacekeeper = async (args: readonly string[], own: Record<string, string>, as: RunAs): Promise<string> => {
    const [of, ...options] = as.added;
    const typed = args.map((word) => (/^(?:YES|NO) [A-Z0-9]{4}$/.test(word) ? word.replace(/\S+$/, asked) : word));
    const all = args[0] === of ? [...typed, ...options] : typed;
    const surroundings = { folder: here, env: { ...env, ...own }, userName: 'anna' };
    if (as.stays) {
      const { ready, stop } = await start(all, surroundings);
      stops.push(stop);
      return ready;
    }
    const { code, stdout, stderr } = await runInProcess(all, surroundings);
    if (code !== as.exitCode) throw new Error(`Ended with ${code}, expected ${as.exitCode}.\n${stderr}${stdout}`);
    asked = /Reply YES (\S+)/.exec(stdout)?.[1] ?? asked;
    return stdout;
  };

  const perform = async ({ words, input }: ScriptCommand, as: RunAs): Promise<string> => {
    const own = words.slice(
      0,
      words.findIndex((word) => !isAssignment(word)),
    );
    const [name = '', first = '', ...more] = words.slice(own.length);
    const named = parseEnv(own.join('\n')) as Record<string, string>;
    if (name === 'npx' && first === 'pacekeeper') return pacekeeper(more, named, as);
    if (name === 'npm' && first === 'run') return pacekeeper(scriptArgs(more), named, as);
    if (name === 'npm') return setUp(`npm ${first}`);
    if (name === 'sqlite3') return query(join(here, first), more.at(-1) ?? '');
    if (name === 'cat' && input !== undefined) return input;
    if (name === 'cat') return readFileSync(join(here, first), 'utf8');
    if (name === '.') env = { ...env, ...(parseEnv(readFileSync(join(here, first), 'utf8')) as typeof env) };
    else if (name === 'cd') here = join(here, first);
    else if (name === 'mkdir') mkdirSync(join(here, more.at(-1) ?? first), { recursive: true });
    else if (name === 'rm') rmSync(join(here, first));
    else if (name !== 'set' && name !== 'umask') throw new Error(`The shell of this test knows no "${name}".`);
    return '';
  };

  return {
    async run(command, as) {
      const output = await perform(command, as);
      if (command.into === undefined) return;
      const path = join(here, command.into);
      if (!existsSync(dirname(path))) throw new Error(`There is no folder for ${command.into}.`);
      writeFileSync(path, output);
    },
    newTerminal() {
      [here, env] = [folder, fixed];
    },
    async close() {
      for (const stop of stops.reverse()) await stop();
    },
  };
}

/** The keywords of one match type answer what the pages ask as all do, with a third of the rows. */
function readLess(query: string): void {
  appendFileSync(query, ' AND ad_group_criterion.keyword.match_type = EXACT\n');
}

const isAssignment = (word: string): boolean => /^[A-Z_]+=/.test(word);

/** `npm run report -- --dry-run` as the program's own words; a script that is none of the program's is only there. */
function scriptArgs([name = '', ...more]: readonly string[]): string[] {
  const script = scripts[name];
  const [, ours] = /^(?:exec )?node dist\/main\.js (.*)$/.exec(script ?? '') ?? [];
  if (ours === undefined) throw new Error(`package.json has no script "${name}" that runs the program.`);
  return [...ours.split(' '), ...more.filter((word, at) => word !== '--' || at > 0)];
}

/** `.ci/run` runs what installs and tests the project, as a step with the same words. */
function setUp(command: string): string {
  const steps = readFileSync('.ci/run', 'utf8').matchAll(/\bstep "[^"]*" (.*?);?(?: \})?$/gm);
  if ([...steps].some(([, words]) => words === command)) return '';
  throw new Error(`.ci/run does not run "${command}".`);
}

/** What `sqlite3 FILE SQL` prints, roughly. Throws when it is nothing: an example that shows nothing is none. */
function query(path: string, sql: string): string {
  const database = new Database(path, { readonly: true });
  try {
    const rows = database.prepare(sql).raw().all() as unknown[][];
    if (rows.length === 0) throw new Error(`There are no rows for ${sql}`);
    return rows.map((row) => `${row.join('|')}\n`).join('');
  } finally {
    database.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Starts a command that stays; resolves when it has printed its first whole lines. */
async function start(
  args: readonly string[],
  options: ProgramOptions,
): Promise<{ readonly ready: string; readonly stop: () => Promise<ProgramResult> }> {
  let ready = '';
  let stop: (() => void) | undefined;
  let ended: Promise<ProgramResult> | undefined;
  await new Promise<void>((isReady, failed) => {
    ended = runInProcess(args, {
      ...options,
      onWrite: (stream, text) => {
        if (stream === 'stdout') ready += text;
        if (ready.endsWith('\n')) isReady();
      },
      // What it starts beside itself is asked to stop by it.
      onStop: (callback) => {
        stop ??= callback;
      },
    });
    ended.then(({ stderr }) => failed(new Error(`Ended although it should stay.\n${stderr}`)), failed);
  });
  return {
    ready,
    stop: () => {
      stop?.();
      return ended as Promise<ProgramResult>;
    },
  };
}
