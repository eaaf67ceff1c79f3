import type { NamedActor } from '../../cli/person.ts';
import type { Settings } from '../../config/settings.ts';
import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { lostRuns, postgresEngine } from '../../folder/postgres-engine.ts';
import { otherStore } from '../../folder/store-file.ts';
import { appendEvent } from '../../store/budgets/event-table.ts';
import { freezeState } from '../../store/budgets/freeze-record.ts';
import { addressOf } from '../../store/postgres/address.ts';
import { allAccounts } from '../../store/runs/account-table.ts';
import { postgresMovedRows } from '../../warehouse/postgres/moved-rows.ts';
import { endOfOpenDays } from './end-of-open-days.ts';

/**
 * Goes on with a database that lacks runs of the data folder. Their changes are not in the record. When an account has
 * begun a new day, none of them is of today, and the next reading notes each as a change by someone else. Returns what to say.
 */
export async function adoptDatabase(
  settings: Settings,
  url: string,
  clock: Clock,
  { by, why }: NamedActor,
): Promise<string[]> {
  const where = addressOf(url);
  const other = otherStore(settings, where);
  if (other !== undefined) throw other;
  const { lost } = await lostRuns(settings, url);
  if (lost === undefined) {
    throw new InputError(`Nothing to adopt: ${where} has all runs of ${settings.paths.data}.`, {
      nextStep: 'Run pacekeeper status to see its contents.',
    });
  }
  const nowMs = clock.now();
  const { db, close } = await postgresEngine(settings, url).open({ nowMs });
  try {
    return await db.transaction().execute(async (trx) => {
      const newest = await trx.selectFrom('run').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
      const known = newest?.id ?? 0n;
      // People have seen the numbers of the lost runs, so new runs must not use them again.
      const lastRun = lost.lastRun > known ? lost.lastRun : known;
      await postgresMovedRows(trx).count(trx, new Map([['run', lastRun]]));
      const frozenUntil = instantText(endOfOpenDays(await allAccounts(trx), nowMs));
      const detail = { why, last_run: lastRun, frozen_until: frozenUntil };
      await appendEvent(trx, { kind: 'adopted', actor: by, detail }, nowMs);
      const unfreeze = (await freezeState(trx)) && ' Then run pacekeeper unfreeze --why "…".';
      return [
        `${where} lacks ${lost.words}. The budget changes of lost runs are not in the record. The files in runs/ still show them.`,
        `The next run has the number ${lastRun + 1n}.`,
        `Budgets stay frozen until ${frozenUntil}. Then every account has begun a new day.${unfreeze ?? ''}`,
        'next step: Run pacekeeper extract to read the days again. Then run pacekeeper audit verify.',
      ];
    });
  } finally {
    await close();
  }
}
