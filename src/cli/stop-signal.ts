import type { Log } from '../domain/ports.ts';
import type { Process } from './process.ts';

/** Given when the process is asked to end. What works under it ends of its own accord; asked again, the process just ends. */
export function stopSignal({ onStop }: Process, log: Log): AbortSignal {
  const asked = new AbortController();
  onStop(() => {
    log.info('Asked to stop: what is under way comes to its end, and nothing more is begun.');
    asked.abort();
  });
  return asked.signal;
}
