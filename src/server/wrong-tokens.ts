const WINDOW_MS = 60_000;
const WRONG_MAX = 10;
const ADDRESSES_MAX = 1000;

/** Counts wrong tokens by who showed them: whoever guesses has ten tries a minute. */
export interface WrongTokens {
  /** How long that address has to wait, whole seconds; 0 for not at all. */
  waitSeconds(address: string): number;
  count(address: string): void;
}

export function countWrongTokens(nowMs: () => number): WrongTokens {
  const wrong = new Map<string, number[]>();
  const recent = (address: string) => (wrong.get(address) ?? []).filter((atMs) => nowMs() - atMs < WINDOW_MS);
  return {
    waitSeconds(address) {
      const [firstMs, ...more] = recent(address);
      if (firstMs === undefined || more.length + 1 < WRONG_MAX) return 0;
      return Math.max(1, Math.ceil((firstMs + WINDOW_MS - nowMs()) / 1000));
    },
    count(address) {
      const times = [...recent(address), nowMs()].slice(-WRONG_MAX);
      wrong.delete(address);
      wrong.set(address, times);
      // However many addresses there are, the list stays short; the one that was quiet longest is forgotten.
      for (const oldest of wrong.keys()) if (wrong.size > ADDRESSES_MAX) wrong.delete(oldest);
    },
  };
}
