import { InputError } from '../../../domain/errors.ts';
import { databaseAddress } from '../../records/postgres/address.ts';
import { copyLine, copyOn } from '../../records/postgres/copy-into.ts';
import { withClient } from '../../records/postgres/open-records.ts';
import { COPY_LOCK, LOCK_SPACE } from '../../records/postgres/postgres-driver.ts';
import type { DeclaredType, PublishedColumn, PublishedTable } from '../publish/published-table.ts';
import { identifier } from '../query-table.ts';
import { openTables, type PublishedTables } from '../sqlite/published-file.ts';

const SCHEMA = 'published';
const NEXT = 'published_next';
const MARK = 'Tables of pacekeeper. Each publication replaces this schema.';

/** The longest wait for readers of the old tables, and for another publication. */
const WAIT_MS = 10_000;
const PIECE_BYTES = 1024 * 1024;

type Client = Parameters<Parameters<typeof withClient>[2]>[0];

/**
 * Copies the tables of a published file into a schema of their own, in one transaction. The next schema is filled beside
 * the current one. At the end, it takes the name. So readers see one whole publication, whenever the server or this process
 * dies. The old tables are dropped without CASCADE, because a view of others could depend on them. A schema without our
 * mark belongs to others, and is never dropped. The rights are copied before the old tables go. The schema comes first,
 * so that default privileges hold for new tables. Throws like `withClient`.
 */
export async function copyTables(url: string, path: string, tables: readonly PublishedTable[]): Promise<void> {
  const where = databaseAddress(url, 'publish.postgres.url');
  await withClient(url, WAIT_MS, async (client) => {
    const file = openTables(path);
    try {
      await client.query('BEGIN');
      await client.query(`SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${COPY_LOCK})`);
      const old = await oldTables(client, where);
      await client.query(`CREATE SCHEMA ${NEXT}; COMMENT ON SCHEMA ${NEXT} IS '${MARK}'`);
      await grantAs(client, SCHEMA_RIGHTS);
      for (const table of tables) await copyTable(client, file, table);
      await grantAs(client, TABLE_RIGHTS);
      if (old.length > 0) await client.query(`DROP TABLE ${old.join(', ')}`);
      await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA}; ALTER SCHEMA ${NEXT} RENAME TO ${SCHEMA}; COMMIT`);
    } finally {
      file.close();
    }
  });
}

/** Their names, quoted. Throws `InputError` for a schema with tables of others. */
async function oldTables(client: Client, where: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly name: string; readonly mark: string | null }>(
    `SELECT format('%I.%I', nspname, relname) AS name, obj_description(pg_namespace.oid, 'pg_namespace') AS mark
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = '${SCHEMA}' AND relkind = 'r'`,
  );
  if (rows.every(({ mark }) => mark === MARK)) return rows.map(({ name }) => name);
  throw new InputError(`The schema ${SCHEMA} of ${where} has tables that pacekeeper did not make`);
}

async function copyTable(client: Client, file: PublishedTables, { name, columns }: PublishedTable): Promise<void> {
  const table = `${NEXT}.${identifier(name)}`;
  const isText = textsAmongNumbers(file, name, columns);
  const declared = columns.map((column, index) => {
    return `${identifier(column.name)} ${isText[index] ? 'text' : TYPES[column.declared]}`;
  });
  await client.query(`CREATE TABLE ${table} (${declared.join(', ')})`);
  const statement = `COPY ${table} FROM STDIN`;
  let piece = '';
  for (const row of file.rows(
    name,
    columns.map((column) => identifier(column.name)),
  )) {
    piece += copyLine(row).replaceAll('\0', '\uFFFD');
    if (piece.length < PIECE_BYTES) continue;
    await copyOn(client, statement, Buffer.from(piece));
    piece = '';
  }
  await copyOn(client, statement, Buffer.from(piece));
}

/** A computed column of a model can hold texts in SQLite, whatever its type is. */
function textsAmongNumbers(file: PublishedTables, table: string, columns: readonly PublishedColumn[]): boolean[] {
  const found = columns.map(({ name, declared }) =>
    declared === 'DOUBLE' ? `max(typeof(${identifier(name)}) = 'text')` : '0',
  );
  const [row = []] = file.rows(table, found);
  return row.map((value) => value === 1n);
}

const TYPES: Readonly<Record<DeclaredType, string>> = {
  INTEGER: 'bigint',
  TEXT: 'text',
  DATE: 'date',
  DATETIME: 'timestamp',
  BOOLEAN: 'boolean',
  DOUBLE: 'double precision',
  'DECIMAL(18,6)': 'numeric(38, 6)',
};

async function grantAs(client: Client, select: string): Promise<void> {
  const { rows } = await client.query<{ readonly statement: string }>(select);
  for (const { statement } of rows) await client.query(statement);
}

const TO = `CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(acl.grantee)) END`;
const TO_READER = `${TO} || CASE WHEN acl.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END`;

/** Only the default privileges of the current user concern tables that it makes. */
const SCHEMA_RIGHTS = `
  SELECT format('GRANT %s ON SCHEMA ${NEXT} TO %s', acl.privilege_type, ${TO_READER}) AS statement
  FROM pg_namespace, aclexplode(nspacl) AS acl WHERE nspname = '${SCHEMA}' AND acl.grantee <> nspowner
  UNION ALL
  SELECT format('ALTER DEFAULT PRIVILEGES IN SCHEMA ${NEXT} GRANT %s ON TABLES TO %s', acl.privilege_type, ${TO_READER})
  FROM pg_default_acl JOIN pg_namespace ON pg_namespace.oid = defaclnamespace, aclexplode(defaclacl) AS acl
  WHERE nspname = '${SCHEMA}' AND defaclobjtype = 'r' AND defaclrole = current_user::regrole`;

/** A table that was there has its own rights again, also if they are fewer than the default ones. REVOKE precedes GRANT. */
const TABLE_RIGHTS = `
  WITH pair AS (
    SELECT old.oid, old.relname, old.relacl, old.relowner, next.oid AS next, next.relacl AS given
    FROM pg_class AS old JOIN pg_class AS next USING (relname)
    WHERE old.relnamespace = to_regnamespace('${SCHEMA}') AND next.relnamespace = to_regnamespace('${NEXT}')
  )
  SELECT format('REVOKE ALL ON ${NEXT}.%I FROM %s', relname, ${TO}) AS statement
  FROM pair, aclexplode(given) AS acl WHERE acl.grantee <> relowner
  UNION ALL
  SELECT format('GRANT %s ON ${NEXT}.%I TO %s', acl.privilege_type, relname, ${TO_READER})
  FROM pair, aclexplode(relacl) AS acl WHERE acl.grantee <> relowner
  UNION ALL
  SELECT format('GRANT %s (%I) ON ${NEXT}.%I TO %s', acl.privilege_type, was.attname, relname, ${TO_READER})
  FROM pair JOIN pg_attribute AS was ON was.attrelid = pair.oid
  JOIN pg_attribute AS now ON now.attrelid = pair.next AND now.attname = was.attname, aclexplode(was.attacl) AS acl
  ORDER BY statement DESC`;
