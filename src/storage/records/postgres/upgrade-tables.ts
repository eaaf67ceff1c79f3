import type pg from 'pg';
import type { Log } from '../../../domain/ports.ts';
import { STEPS, type Statement, type Steps } from '../migrations.ts';
import { databaseAddress } from './address.ts';
import { databaseFailure } from './database-failure.ts';
import {
  foreignOwner,
  olderRefusal,
  type PostgresOpening,
  recordsLook,
  shortVersion,
  stepsIn,
  withClient,
} from './open-records.ts';
import { type Fence, INBOX_LOCK, LOCK_SPACE, WRITER_LOCK } from './postgres-driver.ts';
import { translated } from './translated.ts';

export interface Upgrade extends Pick<PostgresOpening, 'url' | 'waitMs'> {
  /** This process holds the run lock. */
  readonly fence: Fence;
  readonly log: Pick<Log, 'info'>;
  readonly steps?: Steps;
}

/**
 * Runs the steps that the tables lack, all in one transaction, so a failure leaves the old tables. No run goes on
 * meanwhile, because this process holds the run lock. A run that lost the lock, and its workers, write nothing more, because
 * the lock has a new token. Programs before 0009 compare nothing else. All other writers wait for the locks of writers and of
 * the inbox. Then they find another version, and write nothing.
 */
export async function upgradeTables({ url, waitMs, fence, log, steps = STEPS }: Upgrade): Promise<void> {
  const where = databaseAddress(url);
  await withClient(url, waitMs, async (client) => {
    const lock = (number: number) => `pg_advisory_xact_lock(${LOCK_SPACE}, ${number})`;
    await client.query(`BEGIN; SELECT ${lock(WRITER_LOCK)}, ${lock(INBOX_LOCK)}`);
    const { rows } = await client.query<{ token: bigint }>(fence.sql());
    fence.check(rows[0]?.token);
    const done = (await stepsIn(client)) ?? [];
    const lacking = Object.entries(steps).filter(([name]) => !done.includes(name));
    const from = done.at(-1) ?? '';
    const to = lacking.at(-1)?.[0];
    if (to === undefined) return;
    const owner = await foreignOwner(client);
    if (owner !== undefined) throw olderRefusal(where, { version: from, owner, needed: to });
    log.info(`${where}: upgrading the tables from version ${shortVersion(from)} to ${shortVersion(to)}.`);
    for (const [name, statements] of lacking) {
      try {
        for (const statement of statements) await run(client, statement);
        await client.query('INSERT INTO schema_version (name) VALUES ($1)', [name]);
      } catch (cause) {
        throw stepFailure(where, name, cause);
      }
    }
    const look = await recordsLook(client);
    if (look.kind === 'damaged') throw stepFailure(where, to, new Error(look.words));
    await client.query('COMMIT');
    log.info(`${where}: the tables have version ${shortVersion(to)} now. Older versions of pacekeeper refuse them.`);
  });
}

async function run(client: pg.Client, statement: Statement): Promise<void> {
  if (typeof statement === 'string') await client.query(translated(statement));
  else if ('postgres' in statement) await client.query(statement.postgres);
}

/** A lost connection and the like keep their own words. */
function stepFailure(where: string, step: string, cause: unknown): unknown {
  const failure = databaseFailure(where, cause);
  if (failure !== cause) return failure;
  const words = `${where} was not upgraded, because step ${step} failed: ${(cause as Error).message}. Its tables are as before.`;
  const nextStep = 'Correct what the message names, or go on with the earlier version of pacekeeper.';
  return Object.assign(new Error(words, { cause }), { code: 'UPGRADE_FAILED', nextStep });
}
