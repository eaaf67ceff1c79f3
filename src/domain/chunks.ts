/** Databases limit the values of a statement, so long lists are written in parts. */
export const ROWS_PER_STATEMENT = 500;

export function chunksOf<One>(all: readonly One[], size: number): One[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
