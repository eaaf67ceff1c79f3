/** Ids of sent forms and ended logins. Each is kept until the form or the login would expire anyway. */
export interface SpentIds {
  /** The same for all processes that share the ids. A form is valid only where its id can be found. */
  readonly origin: string;
  /** False if the id was spent before. */
  spend(id: string, untilMs: number, nowMs: number): Promise<boolean>;
  isSpent(id: string): Promise<boolean>;
}

const SPENT_MAX = 10_000;

/** `origin` must be new for each process, because a restart forgets the ids. */
export function spentInMemory(origin: string): SpentIds {
  const spent = new Map<string, number>();
  return {
    origin,
    async spend(id, untilMs, nowMs) {
      if (spent.has(id)) return false;
      for (const [old, until] of spent) if (until <= nowMs || spent.size >= SPENT_MAX) spent.delete(old);
      spent.set(id, untilMs);
      return true;
    },
    isSpent: async (id) => spent.has(id),
  };
}
