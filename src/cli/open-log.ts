import type { Settings } from '../config/settings.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { createRedact } from '../http/redact.ts';
import { createJsonLog } from './json-log.ts';
import { createLog, type Output } from './output.ts';

/** The log of a command, as `log.format` says, or `otherwise` where it says nothing; secrets of the settings are kept out. */
export async function openLog(
  output: Output,
  { log: { format }, secrets }: Pick<Settings, 'log' | 'secrets'>,
  clock: Clock,
  otherwise: 'text' | 'json' = 'text',
): Promise<Log> {
  const redact = createRedact(secrets);
  if ((format ?? otherwise) === 'json') return createJsonLog(output.stderr, redact, clock);
  return createLog(output, redact);
}
