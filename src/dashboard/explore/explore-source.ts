import type { ExploredRows, ExploreRefusal, FileFormat } from '../../storage/warehouse/explored.ts';

/** Too many queries run and wait. */
export class TooManyQueries extends Error {
  override readonly name = 'TooManyQueries';
}

/**
 * Reads the published file in a process of its own. `gone` ends the process, for example because the visitor left.
 * Rejects with {@link TooManyQueries}.
 */
export interface ExploreSource {
  look(sql: string, gone: AbortSignal): Promise<ExploredRows | ExploreRefusal>;
  /** A file in parts. A limit that ends the query early makes the iteration throw. A `whole` file has all rows, or is refused. */
  download(sql: string, format: FileFormat, gone: AbortSignal): Promise<AsyncIterable<Uint8Array> | ExploreRefusal>;
  close(): void;
}
