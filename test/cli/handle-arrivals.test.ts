import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handleBeside } from '../../src/commands/serve/handle-arrivals.ts';
import { openInbox } from '../../src/storage/inbox/open-inbox.ts';
import { type ProgramOptions, runInProcess } from '../commands/run-in-process.ts';
import { fakeClock } from '../support/fake-time.ts';
import { tempDir } from '../support/temp-dir.ts';
import { NOON } from '../support/world.ts';

describe('handling arrivals', () => {
  /** Passes that end when the test says so, each with whether something waits on. */
  function passes() {
    const begun: ((waitsOn: boolean) => void)[] = [];
    const start = () => ({
      ended: new Promise<number>((end) => {
        begun.push((waitsOn) => end(waitsOn ? 1 : 0));
      }),
      stop: () => undefined,
    });
    return { begun, arrivals: handleBeside(start) };
  }
  /** A pause begins with the next turn, and would last five seconds. */
  const nextTurn = () => new Promise<void>((turn) => setImmediate(turn));

  it('runs one pass at a time, and one more for everything that arrived during it', async () => {
    const { begun, arrivals } = passes();
    for (let woken = 0; woken < 6; woken++) arrivals.wake();
    expect(begun).toHaveLength(1);
    begun[0]?.(false);
    await nextTurn();
    begun[1]?.(false);
    await nextTurn();
    expect(begun).toHaveLength(2);
    arrivals.wake();
    expect(begun).toHaveLength(3);
  });

  it('pauses after a pass that left something, and ends the pause early when more arrives', async () => {
    const { begun, arrivals } = passes();
    arrivals.wake();
    begun[0]?.(true);
    await nextTurn();
    expect(begun).toHaveLength(1);
    arrivals.wake();
    await nextTurn();
    expect(begun).toHaveLength(2);
  });

  it('finishes its pass on stop, ends its pause at once, and starts nothing more', async () => {
    const { begun, arrivals } = passes();
    arrivals.wake();
    const stopped = arrivals.stop();
    arrivals.wake();
    begun[0]?.(true);
    await stopped;
    arrivals.wake();
    expect(begun).toHaveLength(1);
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
