import { CLOCK_OFF_MAX_MS, SHARED_CLOCK_OFF_MAX_MS } from '../../domain/clock-difference.ts';
import type { InputError } from '../../domain/errors.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import { isLost, RIGHTS } from '../../storage/records/postgres/database-failure.ts';
import { type DatabaseLook, lookAtDatabase } from '../../storage/records/postgres/look-at-database.ts';
import { shortVersion, upgradeStep, VERSION_MIN, withClient } from '../../storage/records/postgres/open-records.ts';
import { type LostTables, lookAtTables } from '../../storage/warehouse/postgres/look-at-tables.ts';
import { checksOf, type StoreCheck } from './store-check.ts';

const { ok, warning, missing, failed } = checksOf('database');

const SERVER = 'server';

export async function checkDatabase(where: string, url: string, waitMs: number): Promise<StoreCheck[]> {
  let look: DatabaseLook;
  let lost: LostTables | undefined;
  try {
    look = await lookAtDatabase(url, waitMs);
    if (look.records.kind === 'whole' && look.lacking.length === 0) lost = await lostTables(url, waitMs);
  } catch (error) {
    const { message, nextStep = '' } = error as { readonly message: string; readonly nextStep?: string };
    if (nextStep === '' && !isLost(error)) throw error;
    return [failed(SERVER, { found: withoutFullStop(message), expected: 'a server that answers', nextStep })];
  }
  return [
    checkServer(where, look),
    ...checkEncryption(look),
    checkClock(look),
    checkRights(look),
    ...checkRecords(look),
    ...(lost === undefined ? [] : [checkTables(lost)]),
  ];
}

function lostTables(url: string, waitMs: number): Promise<LostTables> {
  return withClient(url, waitMs, (client) =>
    lookAtTables(async (sql) => (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name)),
  );
}

function checkTables({ tables, views }: LostTables): StoreCheck {
  const expected = 'all tables and views that the records name';
  const lost = tables.concat(views.map((view) => `view ${view}`));
  if (lost.length === 0) return ok('tables', { found: 'complete', expected });
  const found = `lost: ${lost[0]}${lost.length === 1 ? '' : `, and ${lost.length - 1} more`}`;
  const nextStep =
    tables.length > 0
      ? 'Restore the complete database again, with all its schemas (docs/scale-out.md).'
      : 'Run pacekeeper publish. If it fails, drop the view that it names, and run it again.';
  return failed('tables', { found, expected, nextStep });
}

export function failedPast({ message, nextStep = '' }: InputError): StoreCheck {
  const expected = 'a database with all runs of the data folder';
  return failed('past runs', { found: withoutFullStop(message), expected, nextStep });
}

function checkServer(where: string, { version, isReadOnly }: DatabaseLook): StoreCheck {
  const least = VERSION_MIN / 10_000;
  const found = `${where}, PostgreSQL ${version}${isReadOnly ? ', read-only' : ''}`;
  const expected = `PostgreSQL ${least} or newer that takes writes`;
  if (version < least) return failed(SERVER, { found, expected, nextStep: 'Update the server, or use another one.' });
  const nextStep = 'Name the primary server in store.url, not a standby.';
  return isReadOnly ? failed(SERVER, { found, expected, nextStep }) : ok(SERVER, { found, expected });
}

function checkEncryption({ isEncrypted }: DatabaseLook): StoreCheck[] {
  if (isEncrypted === undefined) return [];
  const expected = 'encrypted connections to another machine';
  if (isEncrypted) return [ok('encryption', { found: 'on', expected })];
  return [
    warning('encryption', {
      found: 'off',
      expected,
      nextStep: 'Set ?sslmode=verify-full in store.url, unless you trust the whole network.',
    }),
  ];
}

function checkClock({ clockAheadMs }: DatabaseLook): StoreCheck {
  const seconds = Math.round(Math.abs(clockAheadMs) / 1000);
  const found = `${seconds} s ${clockAheadMs > 0 ? 'behind' : 'ahead of'} this machine`;
  const facts = { found, expected: `at most ${SHARED_CLOCK_OFF_MAX_MS / 1000} s apart` };
  const nextStep = 'Set the time of both machines by a time server (NTP).';
  const name = 'server clock';
  if (Math.abs(clockAheadMs) <= SHARED_CLOCK_OFF_MAX_MS) return ok(name, facts);
  return (Math.abs(clockAheadMs) <= CLOCK_OFF_MAX_MS ? warning : failed)(name, { ...facts, nextStep });
}

function checkRights({ lacking }: DatabaseLook): StoreCheck {
  const expected = 'a user who may create tables and write records';
  if (lacking.length === 0) return ok('rights', { found: 'complete', expected });
  const more = lacking.length === 1 ? '' : `, and ${lacking.length - 1} more`;
  return failed('rights', {
    found: `the user may not ${lacking[0]}${more}`,
    expected,
    nextStep: RIGHTS,
  });
}

/** Not shown to a user from whom the server hides tables. */
function checkRecords({ records, lacking, foreignOwner, isCopied }: DatabaseLook): StoreCheck[] {
  if (lacking.length > 0) return [];
  const name = 'records';
  const expected = 'intact tables of this version';
  if (isCopied) {
    const found = 'a copy of another database, or restored from a dump';
    const nextStep = 'Expect the next command to freeze budgets (docs/scale-out.md).';
    return [warning(name, { found, expected: 'the database in which pacekeeper made them', nextStep })];
  }
  switch (records.kind) {
    case 'whole':
      return [ok(name, { found: `version ${shortVersion(records.version)}, intact`, expected })];
    case 'none':
      return [missing(name, { found: 'no tables', expected, nextStep: 'Run pacekeeper report to create them.' })];
    case 'older': {
      const nextStep = upgradeStep(foreignOwner);
      return [warning(name, { found: `version ${shortVersion(records.version)}`, expected, nextStep })];
    }
    case 'newer': {
      const nextStep = 'Update pacekeeper, or name another database in store.url.';
      const found = `written by a newer version (${shortVersion(records.version)})`;
      return [failed(name, { found, expected, nextStep })];
    }
    case 'damaged': {
      const altered = records.ofRecord ? '. Somebody may have altered the record of budget changes' : '';
      const restore = 'Restore the database with the tools of PostgreSQL.';
      const nextStep = records.ofRecord ? `Run pacekeeper audit verify. ${restore}` : restore;
      return [failed(name, { found: `damaged: ${records.words}${altered}`, expected, nextStep })];
    }
  }
}
