import pg from 'pg';
import { spanAt } from '../../../domain/diagnostic.ts';
import { clientConfig } from '../../records/postgres/postgres-driver.ts';
import { type ExploreRefusal, type OpenSelect, placed } from '../explored.ts';

const ROWS_PER_FETCH = 1000;

/**
 * Begins one SELECT as a role that may only read `warehouse`. Other roles are refused, because a query can reach all that
 * its role can reach.
 */
export async function exploreDatabase(
  url: string,
  source: string,
  timeMs: number,
): Promise<OpenSelect | ExploreRefusal> {
  const config = clientConfig(url, timeMs);
  const client = new pg.Client({ ...config, options: OPTIONS, types: shownTypes(config) });
  client.on('error', () => undefined);
  const close = () => client.end().catch(() => undefined);
  try {
    await client.connect();
    const { rows: rights } = await client.query<unknown[]>({ text: RIGHTS, rowMode: 'array' });
    const excess = rights[0]?.[0];
    if (typeof excess === 'string') {
      await close();
      return refused(`Explore needs a role that may only read the schema warehouse, but this role ${excess}.`);
    }
    // A query can change the limit for the statements after it.
    const limit = () => client.query(`SET LOCAL statement_timeout = ${Math.trunc(timeMs)}`);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL search_path = warehouse');
    await limit();
    // A statement with a name is only one statement, and a cursor takes only a SELECT. The line break ends a comment.
    const text = `${OPENING}${source.replace(/;\s*$/, '')}\n) AS explored`;
    await client.query({ name: 'explored', text });
    const fetch = async () => {
      await limit();
      return client.query<unknown[]>({ text: `FETCH ${ROWS_PER_FETCH} FROM explored`, rowMode: 'array' });
    };
    const first = await fetch();
    async function* rows(): AsyncGenerator<readonly unknown[]> {
      for (let { rows: some } = first; some.length > 0; { rows: some } = await fetch()) yield* some;
    }
    return { kind: 'open', columns: first.fields.map(({ name }) => name), rows: rows(), refusedBy, close };
  } catch (error) {
    await close();
    return withPlace(refusedBy(error), error, source);
  }
}

const OPENING = 'DECLARE explored NO SCROLL CURSOR FOR SELECT * FROM (\n';

/** PostgreSQL counts characters from 1. */
function withPlace(refusal: ExploreRefusal, error: unknown, source: string): ExploreRefusal {
  const characters = error instanceof pg.DatabaseError ? Number(error.position) - 1 - OPENING.length : Number.NaN;
  if (!(characters >= 0) || !(error instanceof pg.DatabaseError)) return refusal;
  const start = [...source].slice(0, characters).join('').length;
  const [word = ''] = /^[\w.]*/.exec(source.slice(start)) ?? [];
  const at = spanAt(source, start, start + word.length);
  const kind = UNKNOWN[error.code ?? ''];
  const unknown = kind !== undefined && { unknown: { kind, name: word } };
  return { ...refusal, at, ...unknown, problems: refusal.problems.map((words) => placed(at, words)) };
}

/** By error code: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNKNOWN: Readonly<Record<string, 'table' | 'column'>> = { '42P01': 'table', '42703': 'column' };

/** The server ends the query soon after this process was ended. */
const OPTIONS = '-c timezone=UTC -c datestyle=ISO -c client_connection_check_interval=1000';

/** Says what the role may do beside reading `warehouse`. NULL if nothing. */
const RIGHTS = `SELECT CASE
  WHEN (SELECT rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls FROM pg_roles WHERE rolname = current_user)
    THEN 'is an administrator'
  WHEN EXISTS (SELECT FROM pg_roles WHERE rolname <> current_user AND pg_has_role(current_user, oid, 'MEMBER'))
    THEN 'is a member of other roles'
  WHEN has_schema_privilege('pacekeeper', 'USAGE') THEN 'may use the schema pacekeeper'
  WHEN has_schema_privilege('warehouse', 'CREATE') THEN 'may create tables in the schema warehouse'
  WHEN EXISTS (SELECT FROM pg_class WHERE relnamespace = 'warehouse'::regnamespace
    AND has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) THEN 'may write to the schema warehouse'
  WHEN NOT has_schema_privilege('warehouse', 'USAGE') THEN 'may not use the schema warehouse'
END`;

const PARSED = new Set([16, 17, 20, 21, 23, 700, 701, 1700]);

/** All values beside numbers, truth values and bytes are texts. */
function shownTypes({ types }: pg.ClientConfig): pg.CustomTypesConfig {
  return {
    getTypeParser: (oid, format) =>
      PARSED.has(oid) && types ? types.getTypeParser(oid, format) : (text: string) => text,
  };
}

function refused(problem: string): ExploreRefusal {
  return { kind: 'refused', problems: [problem] };
}

function refusedBy(error: unknown): ExploreRefusal {
  // Errors of the connection can name the address.
  const words = error instanceof pg.DatabaseError ? error.message : 'the database cannot be reached';
  return refused(`PostgreSQL refuses the query: ${words}.`);
}
