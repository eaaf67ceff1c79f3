import type Database from 'better-sqlite3';
import { sql } from 'kysely';
import type { StateDb } from '../sqlite/open-state.ts';
import { openToLook } from '../sqlite/open-to-look.ts';

/** How many there are by their labels' values, in the order of the columns before the last. */
export type Counts = readonly { readonly labels: readonly string[]; readonly value: number }[];

/** Numbers about the whole file, for a program that watches them. Instants are seconds since 1970. */
export interface StateCounts {
  /** By command and state. */
  readonly runs: Counts;
  /** By command: when the newest run of it began, and the newest that ended well. */
  readonly lastRun: Counts;
  readonly lastSuccess: Counts;
  readonly rowsRead: Counts;
  /** By state. */
  readonly changes: Counts;
  readonly proposalsOpen: Counts;
  /** Conditions that are true now, by severity. */
  readonly firing: Counts;
  /** By state, of what was to be told. */
  readonly outbox: Counts;
}

/** `now` is an instant, UTC: a proposal whose time is over is none. */
export async function stateCounts(db: StateDb, now: string): Promise<StateCounts> {
  const counted = async (query: ReturnType<typeof sql<Record<string, unknown>>>): Promise<Counts> => {
    const { rows } = await query.execute(db);
    return rows.map((row) => {
      const values = Object.values(row);
      return { labels: values.slice(0, -1).map(String), value: Number(values.at(-1) ?? 0) };
    });
  };
  return {
    runs: await counted(sql`SELECT command, state, count(*) AS value FROM run GROUP BY command, state`),
    lastRun: await counted(sql`SELECT command, unixepoch(max(started_at)) AS value FROM run GROUP BY command`),
    lastSuccess: await counted(
      sql`SELECT command, unixepoch(max(ended_at)) AS value FROM run WHERE state = 'done' GROUP BY command`,
    ),
    rowsRead: await counted(sql`SELECT coalesce(sum(rows_read), 0) AS value FROM run`),
    changes: await counted(sql`SELECT state, count(*) AS value FROM budget_intent GROUP BY state`),
    proposalsOpen: await counted(
      sql`SELECT count(*) AS value FROM budget_proposal WHERE state = 'open' AND expires_at > ${now}`,
    ),
    firing: await counted(
      sql`SELECT severity, count(*) AS value FROM alert WHERE state = 'firing' AND kind = 'condition' GROUP BY severity`,
    ),
    outbox: await counted(sql`SELECT state, count(*) AS value FROM outbox GROUP BY state`),
  };
}

/** How many events of the record a file of whatever version holds; undefined where it is no database, or damaged. */
export function countEvents(path: string): number | undefined {
  let file: Database.Database | undefined;
  try {
    file = openToLook(path);
    const hasRecord = file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'budget_event'").get() !== undefined;
    if (!hasRecord) return 0;
    return file.prepare<[], number>('SELECT count(*) FROM budget_event').pluck().get();
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}
