import { partsOf } from './message-parts.ts';
import type { FaultWorld } from './world.ts';

/** Whoever asks for quiet, and from which hour to which, on the clock of Berlin. */
const QUIET = { name: 'anna', from: 22, to: 7, timeZone: 'Europe/Berlin' };
/** A message that was on its way before is tried again for a while. */
const TRIED_FOR_MS = 10 * 60_000;

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeZone: QUIET.timeZone, hour: '2-digit', hourCycle: 'h23' });
const isQuiet = (instantMs: number) => {
  const hour = Number(CLOCK.format(instantMs));
  return hour >= QUIET.from || hour < QUIET.to;
};

/** In somebody's quiet hours nothing comes but what is critical. */
export function checkQuiet(world: FaultWorld): string[] {
  const addresses = world.product.people.find(({ name }) => name === QUIET.name)?.addresses ?? [];
  return world.phones.taken.flatMap(({ to, body, request }) => {
    const leftAtMs = world.network.all[request - 1]?.atMs ?? 0;
    if (!addresses.includes(to) || !isQuiet(leftAtMs) || !isQuiet(leftAtMs - TRIED_FOR_MS)) return [];
    const parts = partsOf(body);
    // One rule alone is critical, and says so in each of its lines.
    const others = parts.filter(
      (part) => !/ is busy: \d+/.test(part.split('\n', 1)[0] ?? '') && !/^\+\d+ more: /.test(part),
    );
    return others.map(
      (part) => `${QUIET.name} was told at ${new Date(leftAtMs).toISOString()}, in quiet hours: ${part}`,
    );
  });
}
