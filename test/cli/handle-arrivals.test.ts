import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handleArrivals, handleBeside } from '../../src/commands/serve/handle-arrivals.ts';
import { openInbox } from '../../src/storage/inbox/open-inbox.ts';
import { type ProgramOptions, runInProcess } from '../commands/run-in-process.ts';
import { fakeClock } from '../support/fake-time.ts';
import { tempDir } from '../support/temp-dir.ts';
import { NOON } from '../support/world.ts';

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

describe('handling arrivals', () => {
  it('runs one pass at a time, and one more for everything that arrived during it', async () => {
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

  it('ends a pause early when more arrives', async () => {
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

  it('finishes its pass on stop, ends its pause at once, and starts nothing more', async () => {
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

  it('starts again after everything was handled', async () => {
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

describe('a pass in its own process', () => {
  /** One that was started; `onSignal` is what it does when it is asked to end. */
  function begun(onSignal: (signal: string, end: (code: number | null) => void) => void) {
    const signals: string[] = [];
    const pauses: number[] = [];
    const start = () => {
      let end = (_: number | null): void => undefined;
      const ended = new Promise<number | null>((resolve) => {
        end = resolve;
      });
      const stop = (signal: 'SIGTERM' | 'SIGKILL') => {
        signals.push(signal);
        onSignal(signal, end);
      };
      return { ended, stop };
    };
    const arrivals = handleBeside(start, async (_, milliseconds) => {
      pauses.push(milliseconds);
      // The time is over when nothing else has happened meanwhile.
      await new Promise<void>((turn) => setImmediate(turn));
    });
    arrivals.wake();
    return { arrivals, signals, pauses };
  }

  it('is stopped with the server, which waits for it', async () => {
    const { arrivals, signals, pauses } = begun((_, end) => end(1));
    await arrivals.stop();
    expect([signals, pauses]).toEqual([['SIGTERM'], [20_000]]);
  });

  it('is killed after twenty seconds, and the server soon stops waiting', async () => {
    const { arrivals, signals, pauses } = begun(() => undefined);
    await arrivals.stop();
    expect([signals, pauses]).toEqual([
      ['SIGTERM', 'SIGKILL'],
      [20_000, 5000],
    ]);
  });

  it('starts nothing if stopped before: arrivals wait for the next pass', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'data'));
    const inbox = openInbox(join(folder, 'data', 'inbox.sqlite'), fakeClock(NOON));
    const nothing = { providerId: undefined, sender: undefined, status: undefined, text: undefined };
    await inbox.keep([{ ...nothing, channel: 'graph', kind: 'other', dedupeKey: 'other:1', payload: '{}' }]);
    const once = (options: ProgramOptions) => runInProcess(['serve', '--once'], { folder, ...options });
    expect((await once({ onStop: (stop) => stop() })).code).toBe(1);
    expect([await inbox.countWaiting(), existsSync(join(folder, 'data', 'state.sqlite'))]).toEqual([1, false]);
    expect([(await once({})).code, await inbox.countWaiting()]).toEqual([0, 0]);
    await inbox.close();
  });
});
