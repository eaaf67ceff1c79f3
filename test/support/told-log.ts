import type { Log } from '../../src/domain/ports.ts';

/** A log that tells what is given and is silent otherwise, whatever its lines are about. */
export function toldLog(
  told: { info?: (line: string) => unknown; step?: (line: string) => unknown; warn?: (line: string) => unknown } = {},
): Log {
  const log: Log = {
    info: (line) => void told.info?.(line),
    step: (line) => void (told.step ?? told.info)?.(line),
    warn: (line) => void told.warn?.(line),
    with: () => log,
  };
  return log;
}
