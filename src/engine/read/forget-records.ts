import { addDays, type CivilDate, instantOf, instantText, isTimeZone, startOfDayMs } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { type DayInstants, forgetRun, runsToForget, settleUndone } from '../../storage/records/runs/forget-records.ts';
import type { App } from '../app.ts';

const DAY_MS = 86_400_000;

/** Time limit in milliseconds. The next report continues the deletion. */
const TIME_MAX_MS = 5_000;

/** Returns the reason if the records could not be deleted. */
export async function forgetRecords(app: App, ownRun: bigint): Promise<string | undefined> {
  const { state, clock, pauses, settings, stop } = app;
  const before = instantText(clock.now() - settings.extract.keepRecordsDays * DAY_MS);
  const endMs = pauses.elapsedMs() + TIME_MAX_MS;
  const goesOn = () => !stop.aborted && pauses.elapsedMs() < endMs;
  try {
    const runs = await runsToForget(state.db, before, ownRun);
    if (runs.length === 0) return undefined;
    const dayOf = await calendarsOf(app);
    // No flush is needed: after a power failure, the next report deletes the records again.
    await state.withoutFlushing(async () => {
      await settleUndone(state.db, before);
      for (const run of runs) if (!(await forgetRun(state, run, dayOf, goesOn))) return;
    });
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `Records older than extract.keep_records_days could not be removed: ${reason}. The next report tries again.`;
  }
}

async function calendarsOf({
  state,
  settings,
}: App): Promise<(customer: CustomerId, day: CivilDate) => DayInstants | undefined> {
  const zones = new Map(
    (await allAccounts(state.db)).map(({ customerId: id, timeZone }) => [
      id,
      timeZone ?? settings.accounts.get(id)?.timeZone,
    ]),
  );
  const known = new Map<string, DayInstants>();
  return (customer, day) => {
    const zone = zones.get(customer);
    if (zone === undefined || !isTimeZone(zone)) return undefined;
    const key = `${zone} ${day}`;
    const found = known.get(key) ?? instantsOf(day, zone, settings.extract.dayClosesAt);
    known.set(key, found);
    return found;
  };
}

function instantsOf(day: CivilDate, timeZone: string, closesAt: string): DayInstants {
  return {
    begins: instantText(startOfDayMs(day, timeZone)),
    closed: instantText(instantOf(day, closesAt, timeZone)),
    ends: instantText(startOfDayMs(addDays(day, 1), timeZone)),
  };
}
