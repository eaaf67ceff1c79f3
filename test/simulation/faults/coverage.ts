import { EVENT_KINDS } from '../../../src/storage/records/schema.ts';
import type { Lived } from './live-seed.ts';
import { FAULTS } from './services/network-faults.ts';
import { BESIDE, KILL_POINTS } from './story.ts';

const DAY_MS = 86_400_000;

/** Nothing is recorded where there were always events, no settings change, and the others come after what is counted. */
const UNCOUNTED: readonly string[] = ['recorded', 'would_change', 'settings_widened', 'adopted', 'restored'];
export const EVENTS = EVENT_KINDS.filter((kind) => !UNCOUNTED.includes(kind));

/** As in "worker-3: takes change of …". */
const OF_WORKERS = / worker-\d+: (takes \w+|hangs|gives back|killed|loses)/;

/** As in "report-4: 25 POST mail.example email". */
const OF_CHANNELS = / POST (?:mail|posted)\.example (\w+)/;

/** What many seeds have covered. */
export class Coverage {
  seeds = 0;
  #virtualMs = 0;
  readonly #counts = new Map<string, number>();

  add({
    faults,
    kills,
    losses,
    ends,
    events,
    traced,
    virtualMs,
  }: Pick<Lived, 'faults' | 'kills' | 'losses' | 'ends' | 'events' | 'traced' | 'virtualMs'>): void {
    this.seeds += 1;
    this.#virtualMs += virtualMs;
    for (const [kind, times] of faults) this.#count(`fault ${kind}`, times);
    for (const point of kills) this.#count(`kill ${point}`, 1);
    for (const what of losses) this.#count(`loss ${what}`, 1);
    for (const end of ends) this.#count(`end ${end}`, 1);
    for (const kind of events) this.#count(`event ${kind}`, 1);
    for (const line of traced) {
      const [, what] = OF_WORKERS.exec(line) ?? [];
      if (what !== undefined) this.#count(`worker ${what}`, 1);
      const [, channel] = OF_CHANNELS.exec(line) ?? [];
      if (channel !== undefined) this.#count(`channel ${channel}`, 1);
    }
  }

  #count(name: string, times: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + times);
  }

  #of(kind: string): [string, number][] {
    return [...this.#counts]
      .filter(([name]) => name.startsWith(kind))
      .map(([name, times]) => [name.slice(kind.length), times]);
  }

  /** What of everything that there is was never met. */
  missing(): string[] {
    const met = (kind: string, name: string) => (this.#counts.get(`${kind} ${name}`) ?? 0) > 0;
    return [
      ...FAULTS.filter((kind) => !met('fault', kind)).map((kind) => `fault ${kind}`),
      ...KILL_POINTS.filter((point) => !met('kill', point)).map((point) => `kill ${point}`),
      ...BESIDE.filter((name) => !met('channel', name)).map((name) => `channel ${name}`),
      ...EVENTS.filter((kind) => !met('event', kind)).map((kind) => `event ${kind}`),
    ];
  }

  /** Lines for people. */
  lines(): string[] {
    const faults = this.#of('fault ');
    const kills = this.#of('kill ');
    const losses = this.#of('loss ');
    const ends = this.#of('end ');
    const workers = this.#of('worker ');
    const channels = this.#of('channel ');
    const sum = (pairs: readonly [string, number][]) => pairs.reduce((total, [, times]) => total + times, 0);
    const list = (pairs: readonly [string, number][]) =>
      [...pairs]
        .sort()
        .map(([name, times]) => `${name} ${times}`)
        .join(', ');
    const missing = this.missing();
    return [
      `${this.seeds} seeds, ${sum(ends)} processes, ${Math.round(this.#virtualMs / DAY_MS)} virtual days`,
      `${sum(faults)} faults of ${faults.length} kinds, of ${FAULTS.length} that there are: ${list(faults)}`,
      `${sum(kills)} processes killed at ${kills.length} places, of ${KILL_POINTS.length} that there are: ${list(kills)}`,
      ...(losses.length === 0 ? [] : [`${sum(losses)} lost on the way to the database: ${list(losses)}`]),
      ...(workers.length === 0 ? [] : [`of workers: ${list(workers)}`]),
      ...(channels.length === 0 ? [] : [`requests beside the phones: ${list(channels)}`]),
      `how processes ended: ${list(ends)}`,
      ...(missing.length === 0 ? [] : [`never met: ${missing.join(', ')}`]),
    ];
  }
}
