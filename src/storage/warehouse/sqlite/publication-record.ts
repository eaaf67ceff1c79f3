import type { Connected } from '../../records/sqlite/prepared.ts';
import { codeOf } from '../../records/sqlite/unusable-database.ts';

export interface PublicationRecord {
  /** Each publication gets a new random token. */
  readonly token: string;
  readonly fingerprint: string;
  /** Size and modification time of the file, to detect changes by others. */
  readonly stamp: string;
}

export function lastPublication({ connection }: Connected): PublicationRecord | undefined {
  const statement = connection.prepare('SELECT token, fingerprint, stamp FROM publication');
  return statement.get() as PublicationRecord | undefined;
}

/** Call this just before the rename. Returns false if another process is writing. */
export function recordPublication(
  { connection }: Connected,
  { token, fingerprint, stamp }: PublicationRecord,
  lastNoted: bigint,
): boolean {
  const busyTimeoutMs = connection.pragma('busy_timeout', { simple: true });
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
    if (codeOf(error) === 'SQLITE_BUSY') return false;
    throw error;
  } finally {
    connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}

export function forgetPublication({ connection }: Connected): void {
  connection.exec('DELETE FROM publication');
}
