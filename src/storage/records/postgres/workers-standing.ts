import type pg from 'pg';
import type { WorkersStanding } from '../../../domain/workers.ts';
import { QUEUE_SCHEMA } from './open-records.ts';

/** Undefined if no worker has used the database, or if this user may not read the tasks. */
export async function workersStanding(client: pg.Client): Promise<WorkersStanding | undefined> {
  try {
    const { rows } = await client.query<WorkersStanding>(STANDING);
    return rows[0];
  } catch (error) {
    if (UNREADABLE.includes((error as { readonly code?: unknown }).code)) return undefined;
    throw error;
  }
}

/** No such table, no permission. */
const UNREADABLE: readonly unknown[] = ['42P01', '42501'];

const FAILED_MAX = 20;

/** The queue copies a task whose tries are used up. Only a worker is registered by the name of its group. */
const STANDING = `WITH seen AS (
    SELECT pid || '@' || host AS worker, name AS "group", ${instantOf('heartbeat_on')} AS "heartbeatAt",
      heartbeat_on >= now() - heartbeat_seconds * 3 * interval '1 second' AS "isLive"
    FROM ${QUEUE_SCHEMA}.instance
    WHERE stopped_on IS NULL AND heartbeat_on > now() - interval '1 hour'
      AND 'tasks-' || name IN (SELECT name FROM ${QUEUE_SCHEMA}.queue)
  ), failed AS (
    SELECT data ->> 'kind' AS kind, data ->> 'customerId' AS "customerId", ${instantOf('created_on')} AS "failedAt",
      source_output ->> 'worker' AS worker, source_output ->> 'reason' AS reason
    FROM ${QUEUE_SCHEMA}.job WHERE source_root_id IS NOT NULL AND created_on > now() - interval '1 day'
  ), task AS (
    SELECT data ->> 'kind' AS kind, CASE state WHEN 'active' THEN 'in_work' ELSE 'waiting' END AS state
    FROM ${QUEUE_SCHEMA}.job WHERE state IN ('created', 'retry', 'active') AND data ->> 'kind' IS NOT NULL
      AND source_root_id IS NULL
    UNION ALL SELECT kind, 'failed' FROM failed
  )
  SELECT (SELECT coalesce(json_agg(seen ORDER BY worker), '[]') FROM seen) AS workers,
    (SELECT coalesce(json_agg(counted), '[]') FROM
      (SELECT kind, state, count(*) FROM task GROUP BY kind, state ORDER BY kind, state) AS counted) AS tasks,
    (SELECT json_strip_nulls(coalesce(json_agg(newest), '[]')) FROM
      (SELECT * FROM failed ORDER BY "failedAt" DESC LIMIT ${FAILED_MAX}) AS newest) AS failed`;

function instantOf(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}
