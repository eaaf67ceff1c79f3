import Database from 'better-sqlite3';
import { type ExploreRefusal, type OpenSelect, placed } from '../explored.ts';
import { blamedPart, readSelect } from './check-models.ts';

/**
 * Begins one SELECT over the published file. The other engine limits rights and time on its server. Here, the statement is
 * checked, and the caller limits the time. Integers are bigint. The rows throw SQLite's errors; {@link refusedBy} has
 * their words. Call it only in a process of its own, because nothing can interrupt SQLite.
 */
export function exploreFile(
  path: string,
  source: string,
): (OpenSelect & { readonly rows: Iterable<readonly unknown[]> }) | ExploreRefusal {
  const { sql, refusals } = readSelect(source);
  if (refusals.length > 0) {
    const problems = refusals.map(({ span, message, hint = '' }) => placed(span, `${message} ${hint}`.trim()));
    return { kind: 'refused', problems, at: refusals[0]?.span };
  }
  let file: Database.Database;
  try {
    file = new Database(path, { readonly: true, fileMustExist: true });
  } catch (error) {
    return refusedBy(error);
  }
  try {
    // A large sort fills memory, which is limited, and not the disk.
    file.pragma('temp_store = MEMORY');
    file.defaultSafeIntegers(true);
    const statement = `${OPENING}${sql}\n)`;
    const steps = file.prepare(`EXPLAIN ${statement}`).all() as { readonly opcode: string }[];
    // Only tables of the engine itself are virtual. They reveal paths and pages of the file.
    if (steps.some(({ opcode }) => opcode === 'VOpen')) {
      return {
        kind: 'refused',
        problems: ['Tables of SQLite and table functions are refused. Read tables of the file.'],
      };
    }
    const prepared = file.prepare(statement).raw();
    const columns = prepared.columns().map(({ name }) => name);
    return { kind: 'open', columns, rows: prepared.iterate() as Iterable<unknown[]>, refusedBy };
  } catch (error) {
    return withPlace(refusedBy(error), error, file, source);
  }
}

/** No statement that begins with these words can be anything but a SELECT, whatever the text contains. */
const OPENING = 'SELECT * FROM (\n';

function withPlace(refusal: ExploreRefusal, error: unknown, file: Database.Database, source: string): ExploreRefusal {
  const part = blamedPart(source, messageOf(error) ?? '', (text) => {
    try {
      file.prepare(OPENING + text);
      return undefined;
    } catch (other) {
      return messageOf(other);
    }
  });
  return part ? { ...refusal, ...part, problems: refusal.problems.map((words) => placed(part.at, words)) } : refusal;
}

export function refusedBy(error: unknown): ExploreRefusal {
  return { kind: 'refused', problems: [`SQLite refuses the query: ${messageOf(error) ?? 'the query failed'}.`] };
}

/** Other errors can name paths of this machine. */
function messageOf(error: unknown): string | undefined {
  return error instanceof Database.SqliteError || error instanceof RangeError ? error.message : undefined;
}
