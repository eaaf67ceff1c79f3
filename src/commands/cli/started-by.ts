import type { Command, Option } from 'commander';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import { createClock } from '../../engine/process-time.ts';
import { TICK_VARIABLE } from '../../engine/schedule/this-process.ts';
import { type Output, withInstants } from './output.ts';
import type { Process } from './process.ts';

type Started = Pick<Process, 'env' | 'output'>;

export function withStartersOutput<Whole extends Started>(process: Whole): Whole {
  if (!isOfSchedule(process) || process.env.PACEKEEPER_LOG === 'json') return process;
  return { ...process, output: withInstants(process.output, clockOf(process)) };
}

/** Logs the failures if nobody reads the output. */
export function tellFailures(
  process: Started,
  settings: Pick<Settings, 'log'>,
  log: Log,
  failures: readonly string[],
): void {
  if (!isOfSchedule(process) && (settings.log.format !== 'json' || isTerminal(process.output))) return;
  for (const failure of failures) log.warn(failure);
}

/** Settings of npm that people keep in .npmrc, or give to npx. Commands change no more without them. */
const ALSO_OF_NPM = ['all', 'force', 'offline', 'yes'];

/**
 * `npm run report --dry-run` starts the program without the option, so it would change budgets. npm only sets a variable:
 * npm_config_dry_run=true. `--no-x` sets an empty npm_config_x. `--customer 1` sets true, and 1 becomes an argument.
 * A value counts even if the script itself gives the option, because the script's value is another.
 *
 * Throws `InputError`.
 */
export function refuseOptionsOfNpm(program: Command, args: readonly string[], { env }: Pick<Started, 'env'>): void {
  if (env.npm_lifecycle_event === undefined) return;
  const names: string[] = [];
  let command = program;
  for (const name of args) {
    const below = command.commands.find((one) => one.name() === name);
    if (below === undefined) break;
    command = below;
    names.push(name);
  }
  const taken = command.options.filter((option) => isTakenByNpm(option, args, env)).map(({ flags }) => flags);
  if (taken.length === 0) return;
  const line = scriptOf(env) ?? ['npx', 'pacekeeper', ...names].join(' ');
  throw new InputError(`npm took ${taken.join(' and ')} for itself. Nothing was done.`, {
    nextStep: `Write the options here: ${[line, ...taken].join(' ')}`,
  });
}

function isTakenByNpm(option: Option, args: readonly string[], env: Started['env']): boolean {
  const name = option.name().replace(/^no-/, '');
  const value = env[`npm_config_${name.replaceAll('-', '_')}`]?.trim();
  if (value === undefined || ALSO_OF_NPM.includes(name)) return false;
  if (option.required || option.optional) return true;
  return (value === '') === option.negate && !args.includes(option.long ?? '');
}

export function optionsAdvice({ env }: Pick<Started, 'env'>): string {
  const script = scriptOf(env);
  if (script === undefined) return 'Add --help to see the options of the command.';
  return `Write -- before options, because npm takes the others for itself: ${script} --help`;
}

/** The command line of the npm script that runs, up to the options. Undefined without a script. */
function scriptOf({ npm_lifecycle_event: script, npm_command: by }: Started['env']): string | undefined {
  return script === undefined || by === 'exec' ? undefined : `npm run ${script} --`;
}

export function isOfSchedule({ env }: Started): boolean {
  return env[TICK_VARIABLE] !== undefined;
}

function isTerminal({ stdout }: Output): boolean {
  return stdout.isTTY === true;
}

function clockOf({ env }: Started): Clock {
  const startAtMs = Date.parse(env.PACEKEEPER_NOW ?? '');
  return createClock(Number.isNaN(startAtMs) ? undefined : startAtMs);
}
