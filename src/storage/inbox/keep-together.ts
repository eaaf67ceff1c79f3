import type { ArrivedEvent } from '../../channels/channel.ts';
import { isBusy } from '../records/is-busy.ts';
import type { Inbox } from './inbox.ts';

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
  let isKeeping = false;
  const keepAll = async (now: readonly Arrival[]): Promise<void> => {
    try {
      const fresh = await inbox.keep(now.flatMap(({ events }) => events));
      for (const { kept } of now) kept();
      if (fresh > 0) onKept();
    } catch (error) {
      // No request of a database that is away fares better alone.
      if (now.length === 1 || isBusy(error)) for (const { failed } of now) failed(error);
      else for (const arrival of now) await keepAll([arrival]);
    }
  };
  const keepWaiting = async (): Promise<void> => {
    while (arrivals.length > 0) {
      const now = arrivals;
      arrivals = [];
      await keepAll(now);
    }
    isKeeping = false;
  };
  return (events) =>
    new Promise((kept, failed) => {
      arrivals.push({ events, kept, failed });
      if (!isKeeping) setImmediate(keepWaiting);
      isKeeping = true;
    });
}
