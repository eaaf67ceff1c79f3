import { isOnThisMachine } from '../../../domain/connection-settings.ts';
import { IS_COPIED } from './copy-witness.ts';
import { aheadOfServer, foreignOwner, guardFault, type RecordsLook, schemaLook, withClient } from './open-records.ts';

export interface DatabaseLook {
  /** Such as 15. */
  readonly version: bigint;
  readonly isReadOnly: boolean;
  /** Rights that the user of the address lacks. */
  readonly lacking: readonly string[];
  /** Undefined if the server is on this machine. */
  readonly isEncrypted: boolean | undefined;
  /** How far this machine's clock is ahead of the server's at least, in milliseconds. */
  readonly clockAheadMs: number;
  readonly records: RecordsLook;
  /** The owner of the tables, unless this user may act as the owner. Undefined without tables, too. */
  readonly foreignOwner: string | undefined;
  /** True if the records were made in another database. */
  readonly isCopied: boolean;
}

/**
 * Looks at the server, too: its version, rights and clock. With a file (`sqlite/look-at-state.ts`), the pages matter instead.
 * Reads only. Throws an error with a sentence if the server cannot be reached.
 */
export function lookAtDatabase(url: string, waitMs: number): Promise<DatabaseLook> {
  return withClient(url, waitMs, async (client) => {
    const { server, isReadOnly, records } = await schemaLook(client);
    const { rows } = await client.query<Facts>(FACTS);
    const [{ ssl, lacking }] = rows as [Facts];
    const fault = records.kind === 'whole' ? await guardFault(client) : undefined;
    return {
      version: server / 10_000n,
      isReadOnly,
      lacking: lacking ?? [],
      isEncrypted: isOnThisMachine(new URL(url)) ? undefined : ssl === 1n,
      clockAheadMs: await aheadOfServer((text) => client.query<{ ms: number }>(text)),
      records: fault === undefined ? records : { kind: 'damaged', ...fault },
      foreignOwner: records.kind === 'none' ? undefined : await foreignOwner(client),
      isCopied: records.kind === 'whole' && lacking === null && (await client.query(IS_COPIED)).rows.length > 0,
    };
  });
}

interface Facts {
  readonly ssl: bigint;
  readonly lacking: readonly string[] | null;
}

/** Without a schema, the user must be able to create it. */
const FACTS = `SELECT coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS ssl,
  (SELECT array_agg(words) FROM (
    SELECT 'create schema ' || name AS words FROM unnest(ARRAY['pacekeeper', 'warehouse']) AS name
      WHERE to_regnamespace(name) IS NULL AND NOT has_database_privilege(current_database(), 'CREATE')
    UNION ALL SELECT 'create tables in ' || nspname FROM pg_namespace
      WHERE nspname = 'warehouse' AND NOT has_schema_privilege(oid, 'CREATE')
    UNION ALL SELECT 'read schema pacekeeper' FROM pg_namespace
      WHERE nspname = 'pacekeeper' AND NOT has_schema_privilege(oid, 'USAGE')
    UNION ALL SELECT 'write table ' || relname FROM pg_class WHERE relnamespace = to_regnamespace('pacekeeper') AND relkind = 'r'
      AND relname <> 'schema_version' AND NOT has_table_privilege(oid, 'INSERT')
  ) AS missing) AS lacking`;
