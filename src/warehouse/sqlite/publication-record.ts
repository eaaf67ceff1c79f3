import type { Connected } from '../../store/sqlite/prepared.ts';

/** The published file that the next publication may carry on. */
export interface PublicationRecord {
  /** What the file calls itself; every publication has another. */
  readonly token: string;
  /** What decided the shape and the contents of its tables, digested. */
  readonly fingerprint: string;
  /** How the file lay on the disk when it was done: anybody's write to it afterwards changes that. */
  readonly stamp: string;
}

/** What was published last, unless nothing may be carried on. */
export function lastPublication({ connection }: Connected): PublicationRecord | undefined {
  const statement = connection.prepare('SELECT token, fingerprint, stamp FROM publication');
  return statement.get() as PublicationRecord | undefined;
}

/**
 * Records a file that is about to take its place, and that the days noted up to `lastNoted` are in it. Answers whether it
 * could: somebody else may be writing, who is not waited for. Nothing is recorded then, and the file cannot be carried on.
 */
export function recordPublication(
  { connection }: Connected,
  { token, fingerprint, stamp }: PublicationRecord,
  lastNoted: bigint,
): boolean {
  const patienceMs = connection.pragma('busy_timeout', { simple: true });
  connection.pragma('busy_timeout = 0');
  try {
    connection
      .transaction(() => {
        connection.prepare('DELETE FROM unpublished_day WHERE id <= ?').run(lastNoted);
        connection.prepare('INSERT OR REPLACE INTO publication VALUES (1, ?, ?, ?)').run(token, fingerprint, stamp);
      })
      .immediate();
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') return false;
    throw error;
  } finally {
    connection.pragma(`busy_timeout = ${patienceMs}`);
  }
}

/** Lets the next publication be written whole. */
export function forgetPublication({ connection }: Connected): void {
  connection.exec('DELETE FROM publication');
}
