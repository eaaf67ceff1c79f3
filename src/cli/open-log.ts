import type { Settings } from '../config/settings.ts';
import type { Clock, Log, LogFields } from '../domain/ports.ts';
import { createRedact } from '../http/redact.ts';
import { harmless, type Output, type OutputStream } from './output.ts';

/** The log of a command, as `log.format` says; secrets of the settings are kept out. */
export async function openLog(
  output: Output,
  { log: { format }, secrets }: Pick<Settings, 'log' | 'secrets'>,
  clock: Clock,
): Promise<Log> {
  const redact = createRedact(secrets);
  if (format === 'json') return createJsonLog(output.stderr, redact, clock);
  return createLog(output, redact);
}

/** Progress and warnings as text, each passed through `redact`; the lines themselves say what they are about. */
export function createLog({ stderr }: Output, redact: (text: string) => string): Log {
  const log: Log = {
    info: (line) => stderr.write(`${harmless(redact(line))}\n`),
    warn: (line) => stderr.write(`warning: ${harmless(redact(line))}\n`),
    with: () => log,
  };
  return log;
}

/**
 * A log of JSON lines, `{"level":"info","time":"2026-11-20T12:00:00.000Z","run_id":"7","msg":"..."}`, each text passed
 * through `redact`. `account` and `job` are there where the line is about one.
 */
export async function createJsonLog(
  stream: Pick<OutputStream, 'write'>,
  redact: (text: string) => string,
  clock: Clock,
): Promise<Log> {
  // Only whoever wants it waits for it to be loaded.
  const { default: pino } = await import('pino');
  const root = pino(
    {
      base: null,
      formatters: { level: (level) => ({ level }) },
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    },
    { write: (line: string) => void stream.write(line) },
  );
  const logOf = (known: LogFields): Log => {
    const { run, account, job } = known;
    const fields = {
      ...(run === undefined ? {} : { run_id: run.toString() }),
      ...(account === undefined ? {} : { account }),
      ...(job === undefined ? {} : { job }),
    };
    return {
      info: (line) => root.info(fields, harmless(redact(line))),
      warn: (line) => root.warn(fields, harmless(redact(line))),
      with: (more) => logOf({ ...known, ...more }),
    };
  };
  return logOf({});
}
