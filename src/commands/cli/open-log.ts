import type { Settings } from '../../config/settings.ts';
import type { Clock, Log, LogFields } from '../../domain/ports.ts';
import { createRedact } from '../../services/http/redact.ts';
import { harmless, type Output, type OutputStream } from './output.ts';

export async function openLog(
  output: Output,
  { log: { format }, secrets }: Pick<Settings, 'log' | 'secrets'>,
  clock: Clock,
  isFull = true,
): Promise<Log> {
  const redact = createRedact(secrets);
  if (format === 'json') return createJsonLog(output.stderr, redact, clock);
  return createLog(output, redact, isFull);
}

export function createLog({ stderr }: Output, redact: (text: string) => string, isFull = true): Log {
  const info = (line: string) => stderr.write(`${harmless(redact(line))}\n`);
  const log: Log = {
    info,
    step: (line) => isFull && info(line),
    warn: (line) => stderr.write(`warning: ${harmless(redact(line))}\n`),
    with: () => log,
  };
  return log;
}

export async function createJsonLog(
  stream: Pick<OutputStream, 'write'>,
  redact: (text: string) => string,
  clock: Clock,
): Promise<Log> {
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
    const fields = { run_id: run?.toString(), account, job };
    const info = (line: string) => root.info(fields, harmless(redact(line)));
    return {
      info,
      step: info,
      warn: (line) => root.warn(fields, harmless(redact(line))),
      with: (more) => logOf({ ...known, ...more }),
    };
  };
  return logOf({});
}
