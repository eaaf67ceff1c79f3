import { instantText, secondText } from '../../domain/civil-date.ts';
import { CLOCK_OFF_MAX_MS } from '../../domain/clock-difference.ts';
import type { Clock } from '../../domain/ports.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { newestEvent } from '../../storage/records/budgets/event-table.ts';
import type { RecordStore } from '../../storage/records/record-store.ts';

interface Deps {
  readonly state: RecordStore;
  readonly clock: Clock;
  readonly ads: Pick<AdsConnection, 'time'> | undefined;
}

/**
 * The returned function says why the clock forbids changes. Days follow the clock, so a wrong one could change a budget twice
 * on a real day. The clock is compared with the service, whose days count. The machine's clock, which PACEKEEPER_NOW does not
 * set, is compared with the database. Without both, a last change in the future shows that this clock or an earlier one was
 * wrong. A difference stays until the process ends, because it has already decided by this clock.
 */
export function wrongClock({ state, clock, ads }: Deps): () => Promise<string | undefined> {
  const look = async () => {
    const service = ads?.time.found;
    if (service && Math.abs(service.aheadMs) > CLOCK_OFF_MAX_MS) {
      return words(service.ownMs, 'the clock of the advertising interface', service.otherMs);
    }
    if (state.server) {
      const aheadMs = await state.server.aheadMs();
      const ownMs = Date.now();
      if (Math.abs(aheadMs) <= CLOCK_OFF_MAX_MS) return undefined;
      return words(ownMs, 'the clock of the database', ownMs - aheadMs);
    }
    if (!ads?.time.isSilent) return undefined;
    const last = await newestEvent(state.db, ['sending', 'unfrozen']);
    const lastMs = last ? Date.parse(last.createdAt) : 0;
    if (lastMs - clock.now() <= CLOCK_OFF_MAX_MS) return undefined;
    const proof = 'If this clock is right, run pacekeeper freeze, then pacekeeper unfreeze';
    return `${words(clock.now(), 'the record of the last change', lastMs)}. ${proof}`;
  };
  let found: string | undefined;
  return async () => {
    found ??= await look();
    return found;
  };
}

function words(ownMs: number, other: string, otherMs: number): string {
  const times = `this clock says ${secondText(instantText(ownMs))}, but ${other} says ${secondText(instantText(otherMs))}`;
  return `${times}. Set the wrong clock by a time server (NTP)`;
}
