import type { ArrivedEvent, Inbox } from './open-inbox.ts';

interface Arrival {
  readonly events: readonly ArrivedEvent[];
  readonly kept: () => void;
  readonly failed: (error: unknown) => void;
}

/** Resolves when the events are on the disk. */
export type Keep = (events: readonly ArrivedEvent[]) => Promise<void>;

/** One transaction needs only one wait for the disk. If the transaction fails, each request is stored alone. */
export function keepTogether(inbox: Pick<Inbox, 'keep'>, onKept: () => void): Keep {
  let arrivals: Arrival[] = [];
  const keepAll = (now: readonly Arrival[]): void => {
    try {
      const fresh = inbox.keep(now.flatMap(({ events }) => events));
      for (const { kept } of now) kept();
      if (fresh > 0) onKept();
    } catch (error) {
      if (now.length === 1) now[0]?.failed(error);
      else for (const arrival of now) keepAll([arrival]);
    }
  };
  const keepWaiting = (): void => {
    const now = arrivals;
    arrivals = [];
    keepAll(now);
  };
  return (events) =>
    new Promise((kept, failed) => {
      arrivals.push({ events, kept, failed });
      if (arrivals.length === 1) setImmediate(keepWaiting);
    });
}
