import { describe, expect, it } from 'vitest';
import { handleArrivals } from '../../src/cli/serve/handle-arrivals.ts';

/** Passes that end when the test says so, each with whether something waits on. */
function passes() {
  const begun: ((waitsOn: boolean) => void)[] = [];
  let onBegun = (): void => undefined;
  const handle = () =>
    new Promise<boolean>((end) => {
      begun.push(end);
      onBegun();
    });
  const until = (count: number) =>
    new Promise<void>((reached) => {
      onBegun = () => begun.length >= count && reached();
      onBegun();
    });
  return { begun, handle, until };
}

describe('handling what arrives', () => {
  it('is one pass at a time, and one more for all that arrived during it', async () => {
    const { begun, handle, until } = passes();
    const arrivals = handleArrivals(handle);
    for (let woken = 0; woken < 5; woken++) arrivals.wake();
    expect(begun).toHaveLength(1);
    arrivals.wake();
    begun[0]?.(false);
    await until(2);
    begun[1]?.(false);
    await arrivals.stop();
    expect(begun).toHaveLength(2);
  });

  it('does not wait for the end of a pause when more arrives', async () => {
    const { begun, handle, until } = passes();
    const arrivals = handleArrivals(handle);
    arrivals.wake();
    begun[0]?.(true);
    // Its pause begins with the next turn, and would last five seconds.
    await new Promise<void>((turn) => setImmediate(turn));
    expect(begun).toHaveLength(1);
    arrivals.wake();
    await until(2);
    begun[1]?.(false);
    await arrivals.stop();
  });

  it('that is told to stop finishes its pass, ends its pause at once, and begins nothing more', async () => {
    const { begun, handle } = passes();
    const arrivals = handleArrivals(handle);
    arrivals.wake();
    const stopped = arrivals.stop();
    arrivals.wake();
    begun[0]?.(true);
    await stopped;
    arrivals.wake();
    expect(begun).toHaveLength(1);
  });

  it('begins anew after everything was handled', async () => {
    const { begun, handle, until } = passes();
    const arrivals = handleArrivals(handle);
    arrivals.wake();
    begun[0]?.(false);
    await new Promise<void>((turn) => setImmediate(turn));
    arrivals.wake();
    await until(2);
    begun[1]?.(false);
    await arrivals.stop();
  });
});
