import { CommanderError } from 'commander';
import { readLastResort } from '../config/last-resort.ts';
import { createRedact } from '../http/redact.ts';
import { createClock } from '../process-time.ts';
import type { CommonOptions } from './common-options.ts';
import { harmless } from './output.ts';
import { describeError, EXIT, tellError } from './print-error.ts';
import type { Process } from './process.ts';

export interface Failed {
  readonly name: string | undefined;
  readonly options: CommonOptions;
  /** What the reader of the command line has to say. */
  readonly said: readonly string[];
  /** Stands behind a mistake in a command line. */
  readonly nextStep: string;
}

/** Tells an error that nobody has told, as the log is kept, without any secret; answers with the exit code. Never throws. */
export async function lastNet(
  error: unknown,
  { name, options, said, nextStep: advice }: Failed,
  process: Process,
): Promise<number> {
  const { folder, env, output } = process;
  const known = await readLastResort(folder, options, env);
  // The last net: what the rooms beneath throw is redacted where it comes from.
  const redact = createRedact(known.secrets);
  const clean = (text: string) => harmless(redact(text));
  // Where nothing is said the schedule writes for a program, unless a person reads.
  const logFormat = known.logFormat ?? (name === 'schedule' && !output.stderr.isTTY ? 'json' : 'text');
  const as = { logFormat, nowMs: createClock(known.startAtMs).now() };
  if (error instanceof CommanderError) {
    if (logFormat === 'json') tellError(output, as, partsOf(said.map(clean), advice));
    else output.stderr.write(clean(said.join('')));
    return EXIT.badInput;
  }
  const { text, message, nextStep, exitCode } = describeError(error);
  if (logFormat === 'json') tellError(output, as, { message: clean(message), nextStep: nextStep && clean(nextStep) });
  else output.stderr.write(`${clean(text)}\n`);
  return exitCode;
}

/** The message in commander's words; the next step, where there is one, follows it in ours. */
function partsOf(
  [message = '', ...more]: readonly string[],
  nextStep: string,
): { readonly message: string; readonly nextStep: string | undefined } {
  return { message: message.replace(/^error: /, '').trim(), nextStep: more.length === 0 ? undefined : nextStep };
}
