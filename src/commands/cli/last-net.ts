import { CommanderError } from 'commander';
import { readLastResort } from '../../config/last-resort.ts';
import { createClock } from '../../engine/process-time.ts';
import { createRedact } from '../../services/http/redact.ts';
import type { CommonOptions } from './common-options.ts';
import { harmless } from './output.ts';
import { type DescribedError, describeError, EXIT, tellError } from './print-error.ts';
import type { Process } from './process.ts';

export interface Failed {
  readonly name: string | undefined;
  readonly options: CommonOptions;
  readonly said: readonly string[];
  readonly nextStep: string;
}

/** Prints an error without secrets. Returns the exit code. Never throws. */
export async function lastNet(
  error: unknown,
  { name, options, said, nextStep: advice }: Failed,
  process: Process,
): Promise<number> {
  const { folder, env, output } = process;
  const known = await readLastResort(folder, options, env);
  const redact = createRedact(known.secrets);
  const clean = (text: string) => harmless(redact(text));
  // Without a terminal, the schedule logs JSON.
  const logFormat = known.logFormat ?? (name === 'schedule' && !output.stderr.isTTY ? 'json' : 'text');
  const as = { logFormat, nowMs: createClock(known.startAtMs).now() };
  const isUsage = error instanceof CommanderError;
  const { text, message, nextStep, exitCode } = isUsage ? describeUsage(said, advice) : describeError(error);
  if (logFormat === 'json') tellError(output, as, { message: clean(message), nextStep: nextStep && clean(nextStep) });
  else output.stderr.write(clean(isUsage ? text : `${text}\n`));
  return exitCode;
}

function describeUsage(said: readonly string[], advice: string): DescribedError {
  const [message = '', ...more] = said;
  return {
    text: said.join(''),
    message: message.replace(/^error: /, '').trim(),
    nextStep: more.length === 0 ? undefined : advice,
    exitCode: EXIT.badInput,
  };
}
