import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { SETTINGS_QUOTING } from '../../config/hide-values.ts';
import { packageRoot } from '../../config/package-root.ts';
import { settingsFrom } from '../../config/read-settings.ts';
import { SETTINGS } from '../../config/setting-tree.ts';
import { SCHEMA_FILE, settingsJsonSchema } from '../../config/settings-json-schema.ts';
import { InputError } from '../../domain/errors.ts';
import { openYaml } from '../../language/yaml/read-yaml.ts';
import { oneLine, wrapText } from '../../views/text/text-layout.ts';
import { textTable } from '../../views/text/text-table.ts';
import { terminalAsk } from '../cli/ask.ts';
import { textLayout } from '../cli/output.ts';
import type { Process } from '../cli/process.ts';
import { type Answers, FIRST_QUERIES, gatherAnswers } from './gather-answers.ts';
import type { InitOptions } from './init-command.ts';
import { divideValues, newEnvFile, newSettingsFile } from './new-settings-file.ts';
import { type ReadyQuery, readyQueries } from './ready-queries.ts';

export async function runInit(process: Process, options: InitOptions): Promise<void> {
  if (options.listQueries) return listQueries(process);
  const { makeAsk = terminalAsk } = process;
  const folder = resolve(process.folder, options.dir ?? '.');
  refuseFile(folder);
  const ask = process.interactive && !options.yes ? await makeAsk() : undefined;
  const answers = await untilCancelled(() => gatherAnswers(options, process, ask));
  const files = newFiles(folder, answers);
  refuseUnusable(folder, files, answers);
  for (const file of files.filter(({ kept }) => kept === undefined)) write(folder, file);
  tell(folder, files, answers, process);
}

function listQueries({ output }: Process): void {
  const columns = [
    { title: 'Name', align: 'left' },
    { title: 'Answers', align: 'left', flexible: 'wraps' },
  ] as const;
  const rows = readyQueries().map(({ name, answers }) => [name, answers]);
  output.stdout.write(`${textTable(columns, rows, textLayout(output))}\n`);
}

function refuseFile(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  throw new InputError(`Cannot create the folder: found a file at ${folder}, expected a folder or nothing.`, {
    nextStep: 'Choose another name: pacekeeper init my-shop. Nothing was written.',
  });
}

async function untilCancelled<Value>(asking: () => Promise<Value>): Promise<Value> {
  try {
    return await asking();
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'ExitPromptError') throw cause;
    throw new InputError('Cancelled before all questions were answered.', { nextStep: 'Nothing was written.', cause });
  }
}

/** Throws `InputError` for settings that a run would refuse. */
function refuseUnusable(folder: string, files: readonly NewFile[], { values }: Answers): void {
  const settings = files.find(({ path }) => path === 'pacekeeper.yaml');
  if (settings === undefined || settings.kept !== undefined) return;
  settingsFrom(folder, {}, Object.fromEntries(values), settings.text);
}

function write(folder: string, { path, text, secret }: NewFile): void {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text, { flag: 'wx', mode: secret ? 0o600 : 0o644 });
}

function tell(folder: string, files: readonly NewFile[], { notes }: Answers, process: Process): void {
  const { output, env } = process;
  const { width } = textLayout(output);
  const inside = relative(process.folder, folder);
  const shown = (path: string) => oneLine(join(inside, path));
  const longest = Math.max(...files.map(({ path }) => shown(path).length));
  const lines = files.map(({ path, purpose, kept }) => {
    const [verb, about] = kept === undefined ? ['wrote', purpose] : ['kept ', kept];
    return wrapText(`${verb}  ${shown(path).padEnd(longest)}  ${about}`, width, '', '       ');
  });
  const told = [...notes, ...lackingNotes(folder, files)].map((note) =>
    wrapText(`Note: ${oneLine(note)}`, width, '', '  '),
  );
  const call = env.npm_command === 'exec' ? 'npx pacekeeper' : 'pacekeeper';
  const next = [
    ...(inside === '' ? [] : [`cd ${quoted(inside)}`]),
    `${call} doctor             # checks the setup and the services`,
    `${call} report --dry-run   # reads and evaluates, changes nothing`,
    `${call} report`,
  ];
  output.stdout.write(`${[...lines, ...told, '', 'Next:', ...next.map((line) => `  ${line}`)].join('\n')}\n`);
}

function lackingNotes(folder: string, files: readonly NewFile[]): string[] {
  return files.flatMap(({ path, text, kept }) => {
    if (kept === undefined) return [];
    const there = () => readFileSync(join(folder, path), 'utf8');
    if (path === '.env') {
      const known = parseEnv(there());
      const elsewhere = namesInSettings(join(folder, 'pacekeeper.yaml'));
      const lacking = Object.keys(parseEnv(text)).filter((name) => !known[name]?.trim() && !elsewhere.has(name));
      const words = '.env was kept. Neither .env nor pacekeeper.yaml sets';
      return lacking.length === 0 ? [] : [`${words} ${lacking.join(', ')}. Add them to .env by hand.`];
    }
    if (path !== '.gitignore' || /^\/?\.env$/m.test(there())) return [];
    return ['.gitignore was kept, but it lacks .env. Add .env to keep secrets out of version control.'];
  });
}

function namesInSettings(path: string): ReadonlySet<string> {
  if (!existsSync(path)) return new Set();
  const opened = openYaml(readFileSync(path, 'utf8'), SETTINGS_QUOTING);
  if (opened.kind !== 'ok') return new Set();
  const { places } = opened;
  const there = SETTINGS.filter((setting) => setting.path !== undefined && places.has(setting.path.split('.')));
  return new Set(there.flatMap(({ env }) => env));
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly purpose: string;
  readonly secret: boolean;
  /** Undefined if the file was written. */
  readonly kept: string | undefined;
}

const QUERY = 'a query to read';
const RULE = 'cut-without-conversions.yaml';
/** Paces campaigns that the rule never changes, because a budget gets only one decision a day. */
const TARGET = `description: Spend 2,400 EUR a month on the brand, in four countries together.
currency: EUR
amount: 2400
members:
  - account: 408-172-5530
    where: campaign_name LIKE 'Marke%'
  - account: 619-304-7821
    where: campaign_name LIKE 'Brand%'
  - account: 735-092-6148
    where: campaign_name LIKE 'Brand%'
  - account: 926-481-3507
    where: campaign_name LIKE 'ブランド%'
limits: { floor: 5, ceiling: 400 }
mode: propose                       # only suggests; approve: asks first; apply: makes the change
`;
const RULE_SCHEMA = 'rule.schema.json';

/** Secrets go to `.env`. If `pacekeeper.yaml` exists, all new settings go to `.env`. */
function newFiles(folder: string, answers: Answers): NewFile[] {
  const file = (path: string, text: string, purpose: string): NewFile => {
    const kept = existsSync(join(folder, path)) ? 'already exists' : undefined;
    return { path, text, purpose, secret: path === '.env', kept };
  };
  // A folder with other files gets no example, because runs would use the example.
  const among = (place: string, name: string, text: string, purpose: string): NewFile => {
    const others = filesIn(join(folder, place));
    const found = file(join(place, name), text, purpose);
    return others.length === 0 ? found : { ...found, path: `${place}/`, kept: 'has other files' };
  };
  // The user named these queries, so a folder with other files gets them too.
  const chosen = ({ name, text }: ReadyQuery): NewFile => {
    const paths = ['sql', 'gaql'].map((ending) => join('queries', `${name}.${ending}`));
    return file(paths.find((path) => existsSync(join(folder, path))) ?? join('queries', `${name}.sql`), text, QUERY);
  };
  const first = FIRST_QUERIES.filter((name) => !answers.queries.some((query) => query.name === name));
  const tests = first
    .map((name) => `queries/${name}.tests.yaml`)
    .filter((path) => existsSync(new URL(path, packageRoot())));
  const settings = file('pacekeeper.yaml', newSettingsFile(answers), `settings, target ${answers.target}`);
  const secrets = settings.kept === undefined ? divideValues(answers).env : withTarget(answers);
  const hasTarget =
    answers.target === 'sandbox' && settings.kept === undefined && filesIn(join(folder, 'queries')).length === 0;
  const rule = shipped(`rules/${RULE}`)
    .replace(/^currency: .*$/m, `currency: ${answers.currency}`)
    .replace(
      /^mode: .*$/m,
      'mode: propose                       # only suggests; approve: asks first; apply: makes the change',
    );
  const files = [
    settings,
    file(SCHEMA_FILE, settingsJsonSchema(), 'lets editors complete settings'),
    ...(secrets.size === 0 ? [] : [file('.env', newEnvFile(secrets), 'secrets, readable by you alone')]),
    file('.gitignore', '.env\ndata/\n', 'keeps .env and data/ out of version control'),
    ...first.map((name) => among('queries', `${name}.sql`, shipped(`queries/${name}.sql`), QUERY)),
    ...tests.map((path) => among('queries', basename(path), shipped(path), 'what must be so in its table')),
    ...answers.queries.map(chosen),
    among('rules', RULE, rule, 'a rule to evaluate'),
    among('rules', RULE_SCHEMA, shipped(`rules/${RULE_SCHEMA}`), 'lets editors complete rules'),
    ...(hasTarget ? [among('targets', 'brand.yaml', TARGET, 'a budget of several accounts')] : []),
  ];
  return files.filter(({ path }, index) => files.findIndex((one) => one.path === path) === index);
}

function withTarget({ target, values }: Answers): ReadonlyMap<string, string> {
  return target === 'live' ? new Map([['PACEKEEPER_TARGET', 'live'], ...values]) : values;
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function shipped(path: string): string {
  return readFileSync(new URL(path, packageRoot()), 'utf8');
}
