import * as z from 'zod';
import { textSql } from '../../language/gaql/dialect/model-text.ts';
import type { ExploredValue } from '../../storage/warehouse/explored.ts';
import { TooManyQueries } from '../explore/explore-source.ts';
import { type Found, type Refused, refusal } from './answer.ts';
import { CURSOR, NAME } from './inputs.ts';
import { READS, type Tool, type ToolDeps, tool } from './tool.ts';

const ROWS_MAX = 500;
const ROWS = z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.unknown())) });

/** One page of a SELECT, in the process of Explore. */
async function selected(sql: string, deps: ToolDeps, offset: number): Promise<Found | Refused> {
  const { source, explore, gone } = deps;
  const checked = await source.checkSelect(sql);
  if (checked.kind === 'refused') return checked;
  if (explore === undefined) return refusal('NOT_BUILT', 'Queries need the built program.', 'Run npm run build.');
  try {
    const page = `SELECT * FROM (\n${checked.sql}\n) AS answer LIMIT ${ROWS_MAX + 1} OFFSET ${offset}`;
    const found = await explore.look(page, gone);
    if (found.kind === 'refused') {
      // Alone, the SELECT fails in the same way, and its errors have its own lines.
      const own = found.at === undefined ? found : await explore.look(checked.sql, gone);
      const { problems } = own.kind === 'refused' ? own : found;
      return refusal('SQL_REFUSED', problems.join(' '), 'Correct the SELECT.');
    }
    const rows = found.rows.slice(0, ROWS_MAX).map((row) => row.map(plainValue));
    // Explore shows fewer rows than it counts if they are long.
    const hasMore = found.count > rows.length || !found.isWhole;
    return { data: { columns: found.columns, rows }, page: { version: checked.publication, hasMore } };
  } catch (error) {
    if (!(error instanceof TooManyQueries)) throw error;
    return refusal('BUSY', error.message, 'Try again in a minute.');
  }
}

/** An integer beyond 2^53 stays text, because JSON readers round it. */
function plainValue(value: ExploredValue): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('bytes' in value) return `(${value.bytes} bytes)`;
  const integer = Number(value.integer);
  return Number.isSafeInteger(integer) ? integer : value.integer;
}

const ACCOUNTS_SQL = `SELECT a.customer_id, a.name, a.currency, a.time_zone, a.status,
  (SELECT max(d.date) FROM account_day AS d WHERE d.customer_id = a.customer_id AND d.complete) AS complete_until
FROM account AS a ORDER BY a.customer_id`;

const tablesSql = (name: string | undefined) =>
  name === undefined
    ? "SELECT table_name, description, source, read_by FROM data_dictionary WHERE column_name = '' ORDER BY table_name"
    : `SELECT column_name, type, unit, description FROM data_dictionary
WHERE table_name = ${textSql(name)} AND column_name <> '' ORDER BY column_name`;

export const SELECT_TOOLS: readonly Tool[] = [
  tool({
    name: 'accounts',
    title: 'Accounts',
    description: 'Lists the accounts with currency, time zone and the last day that is complete in every query.',
    input: z.strictObject({ cursor: CURSOR }),
    data: ROWS,
    hints: READS,
    run: (_, deps, offset) => selected(ACCOUNTS_SQL, deps, offset),
  }),
  tool({
    name: 'tables',
    title: 'Published tables',
    description: 'Lists the published tables with what fills and reads them. With a name: the columns of one table.',
    input: z.strictObject({ name: NAME.optional().describe('Only this table.'), cursor: CURSOR }),
    data: ROWS,
    hints: READS,
    run: ({ name }, deps, offset) => selected(tablesSql(name), deps, offset),
  }),
  tool({
    name: 'query_sql',
    title: 'Query the published tables',
    description:
      'Runs one SELECT on the published tables, read-only, for at most ten seconds. Columns *_micros are millionths of the currency of the account: divide by 1000000. Days are days of the account. Call tables first for the names. Use ORDER BY if you need more than one page.',
    input: z.strictObject({
      sql: z.string().min(1).max(8192).describe('One SELECT. WITH is allowed.'),
      cursor: CURSOR,
    }),
    data: ROWS,
    hints: READS,
    run: ({ sql }, deps, offset) => selected(sql, deps, offset),
  }),
];
