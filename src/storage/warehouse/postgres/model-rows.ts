import { daysOf } from '../../../domain/civil-date.ts';
import type { StateDb } from '../../records/record-store.ts';
import { ModelFailure, type ModelLimits, tooSlow } from '../models/model-failure.ts';
import { onceBeyondLimits, refuseOtherDays } from '../models/model-rows.ts';
import type { ModelRows } from '../store.ts';
import { run } from './ask.ts';
import { members } from './members.ts';
import { NAMES_IN_MODELS, POSTGRES_NAMES } from './postgres-names.ts';

const ONE_DAY = '"one day"';

/** The server interrupts a slow model. SQLite (`sqlite/model-process.ts`) needs a process of its own for that. */
export function modelRows(db: StateDb, limits: ModelLimits): ModelRows {
  return {
    members: onceBeyondLimits(async (model, customer, demand) => {
      const days = [...new Set(demand.stretches.flatMap(daysOf))].map((day) => `'${day}'`);
      const oneDay = model.select(POSTGRES_NAMES, { account: String(customer), day: `${ONE_DAY}.day` });
      const ofEachDay = `SELECT model.* FROM unnest(ARRAY[${days.join(', ')}]::date[]) AS ${ONE_DAY} (day)
        CROSS JOIN LATERAL (${oneDay}) AS model`;
      try {
        return await db
          .transaction()
          .setAccessMode('read only')
          .execute(async (trx) => {
            await run(trx, NAMES_IN_MODELS);
            return withinSeconds(trx, limits, async () => {
              const ofDays = [...(await members(trx, `(${ofEachDay}) AS every`, customer, demand))];
              const ofAll = await members(trx, `(${model.select(POSTGRES_NAMES)}) AS every`, customer, demand);
              refuseOtherDays(ofDays, ofAll);
              return ofDays;
            });
          });
      } catch (cause) {
        const { code = '' } = cause as { readonly code?: string };
        if (cause instanceof Error && OF_THE_MODEL.test(code)) {
          throw new ModelFailure(cause.message, { cause });
        }
        throw cause;
      }
    }),
    close: () => undefined,
  };
}

/** Each statement of `work` may take so long. Throws `BeyondLimit`. */
export async function withinSeconds<Result>(
  trx: StateDb,
  limits: ModelLimits,
  work: () => Promise<Result>,
): Promise<Result> {
  await run(trx, `SET LOCAL statement_timeout = '${limits.maxSeconds}s'`);
  try {
    const result = await work();
    await run(trx, 'SET LOCAL statement_timeout TO DEFAULT');
    return result;
  } catch (cause) {
    throw (cause as { readonly code?: string }).code === TIMED_OUT ? tooSlow(limits) : cause;
  }
}

const TIMED_OUT = '57014';

/** Error codes for wrong values, several rows of a scalar, and wrong SQL. */
const OF_THE_MODEL = /^(?:21|22|42)/;
