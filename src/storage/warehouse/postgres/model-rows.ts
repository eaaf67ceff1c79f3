import { daysOf } from '../../../domain/civil-date.ts';
import { type CustomerId, customerId } from '../../../domain/ids.ts';
import type { StateDb } from '../../records/record-store.ts';
import { failingStatements } from '../models/model.ts';
import { ModelFailure, type ModelLimits, tooSlow } from '../models/model-failure.ts';
import { onceBeyondLimits, refuseOtherDays } from '../models/model-rows.ts';
import { CUSTOMER_COLUMN } from '../query-table.ts';
import type { ModelRows } from '../store.ts';
import { ask, run } from './ask.ts';
import { members } from './members.ts';
import { NAMES_IN_MODELS, POSTGRES_NAMES } from './postgres-names.ts';

const ONE_DAY = '"one day"';

/** The server interrupts a slow model. SQLite (`sqlite/model-process.ts`) needs a process of its own for that. */
export function modelRows(db: StateDb, limits: ModelLimits): ModelRows {
  return {
    members: onceBeyondLimits((model, customer, demand) => {
      const days = [...new Set(demand.stretches.flatMap(daysOf))].map((day) => `'${day}'`);
      const oneDay = model.select(POSTGRES_NAMES, { account: String(customer), day: `${ONE_DAY}.day` });
      const ofEachDay = `SELECT model.* FROM unnest(ARRAY[${days.join(', ')}]::date[]) AS ${ONE_DAY} (day)
        CROSS JOIN LATERAL (${oneDay}) AS model`;
      return reading(db, limits, async (trx) => {
        const ofDays = [...(await members(trx, `(${ofEachDay}) AS every`, customer, demand))];
        const ofAll = await members(trx, `(${model.select(POSTGRES_NAMES)}) AS every`, customer, demand);
        refuseOtherDays(ofDays, ofAll);
        return ofDays;
      });
    }),
    failing: ({ select, ...about }) =>
      reading(db, limits, async (trx) => {
        const { counts, first } = failingStatements(select(POSTGRES_NAMES), about);
        const found = await ask<readonly [account: bigint | null, failures: bigint]>(trx, counts);
        if (found.length === 0) return { counts: [], first: [] };
        const account = about.hasAccount ? CUSTOMER_COLUMN : 'NULL';
        const rows = await ask<readonly [account: bigint | null, row: string]>(
          trx,
          `SELECT ${account} AS account, to_json(one)::text AS row FROM (${first}) AS one`,
        );
        return {
          counts: found.map(([account, failures]) => ({ customerId: accountIn(account), rows: BigInt(failures) })),
          first: rows.map(([account, row]) => ({ customerId: accountIn(account), row })),
        };
      }),
    close: () => undefined,
  };
}

function accountIn(id: bigint | null): CustomerId | undefined {
  return id === null ? undefined : customerId(String(id));
}

async function reading<Value>(
  db: StateDb,
  limits: ModelLimits,
  work: (trx: StateDb) => Promise<Value>,
): Promise<Value> {
  try {
    return await db
      .transaction()
      .setAccessMode('read only')
      .execute(async (trx) => {
        await run(trx, NAMES_IN_MODELS);
        return withinSeconds(trx, limits, () => work(trx));
      });
  } catch (cause) {
    const { code = '' } = cause as { readonly code?: string };
    if (cause instanceof Error && OF_THE_MODEL.test(code)) throw new ModelFailure(cause.message, { cause });
    throw cause;
  }
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
