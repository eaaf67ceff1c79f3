/** A file, or a question about the published tables. */
export interface Named {
  readonly kind: 'query' | 'model' | 'test' | 'rule' | 'target' | 'question';
  readonly name: string;
}

export interface Reader extends Named {
  /** Names of tables, also of those that it reads through others. */
  readonly reads: readonly string[];
}

export const namedWords = ({ kind, name }: Named): string => `${kind} ${name}`;

export function readersIn(readers: readonly Reader[], table: string): readonly Reader[] {
  return readers.filter(({ reads }) => reads.includes(table));
}
