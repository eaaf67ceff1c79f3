import Database from 'better-sqlite3';
import type { Column } from '../../gaql/check/column.ts';
import type { Connected } from '../../store/sqlite/prepared.ts';
import { COMPUTED } from '../models/model.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';

export interface ComputedModel {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly select: string;
}

/** Rows of models for the evaluation of rules, in a temporary file. They are those of the last commit. */
export class ModelRows implements Connected {
  readonly #statePath: string;
  #connection: Database.Database | undefined;
  readonly #failures = new Map<string, { readonly reason: string | undefined }>();

  constructor(statePath: string) {
    this.#statePath = statePath;
  }

  /** Opened on first use, because most runs have no models. */
  get connection(): Database.Database {
    if (this.#connection === undefined) {
      // An empty name is a temporary file.
      this.#connection = new Database('');
      this.#connection.defaultSafeIntegers(true);
      this.#connection.prepare('ATTACH ? AS state').run(this.#statePath);
    }
    return this.#connection;
  }

  /** Computes the rows on first use. Returns why they cannot be used: SQLite fails, or one of `numbers` is text. */
  refusal({ name, columns, select }: ComputedModel, numbers: ReadonlySet<string>): string | undefined {
    const known = this.#failures.get(name) ?? this.#compute(name, select);
    this.#failures.set(name, known);
    if (known.reason !== undefined) return known.reason;
    const checked = columns.filter((column) => column.field.startsWith(COMPUTED) && numbers.has(column.name));
    for (const { name: column, type } of checked) {
      const value = `typeof(${identifier(column)})`;
      const types = type === 'INT64' ? "'integer', 'null'" : "'integer', 'real', 'null'";
      const other = this.connection
        .prepare(`SELECT ${value} FROM main.${identifier(name)} WHERE ${value} NOT IN (${types}) LIMIT 1`)
        .pluck()
        .get();
      if (other === undefined) continue;
      return `its column ${column} has a value of type ${other}, expected ${type === 'INT64' ? 'whole numbers' : 'numbers'}.`;
    }
    return undefined;
  }

  #compute(name: string, select: string): { readonly reason: string | undefined } {
    const key = [CUSTOMER_COLUMN, DATE_COLUMN].join(', ');
    try {
      this.connection.exec(`CREATE TABLE main.${identifier(name)} AS ${select};
        CREATE INDEX main.${identifier(`${name} by day`)} ON ${identifier(name)} (${key})`);
      return { reason: undefined };
    } catch (error) {
      return { reason: `${error instanceof Error ? error.message : error}.` };
    }
  }

  close(): void {
    this.#connection?.close();
  }
}
