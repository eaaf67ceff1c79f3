import type { StateDb } from '../record-store.ts';
import { databaseFailure } from './database-failure.ts';
import { PostgresConnection } from './postgres-driver.ts';

/** A row in COPY's text format. */
export function copyLine(values: readonly unknown[]): string {
  return `${values.map(copyText).join('\t')}\n`;
}

export function copyText(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  return typeof value === 'string' ? value.replace(/[\\\n\r\t]/g, (sign) => ESCAPES[sign] ?? sign) : String(value);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Sends rows in COPY's text format, on the connection of the transaction. `sent` is called before the server has stored them. */
export async function copyInto(
  trx: StateDb,
  statement: string,
  rows: Buffer,
  sent: () => void = () => undefined,
): Promise<void> {
  await trx.getExecutor().provideConnection(async (connection) => {
    if (!(connection instanceof PostgresConnection)) throw new TypeError('COPY needs a connection to PostgreSQL.');
    try {
      await copyOn(connection.client, statement, rows, sent);
    } catch (error) {
      throw databaseFailure(connection.where, error);
    }
  });
}

/** The same on any connection. */
export function copyOn(
  client: Pick<PostgresConnection['client'], 'query'>,
  statement: string,
  rows: Buffer,
  sent: () => void = () => undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(statement, rows, sent, (error) => (error ? reject(error) : resolve())));
  });
}

/** The methods that `pg` calls while a statement runs: https://www.postgresql.org/docs/15/protocol-flow.html#PROTOCOL-COPY */
class CopyIn {
  readonly #statement: string;
  readonly #rows: Buffer;
  readonly #sent: () => void;
  callback: (error?: unknown) => void;

  constructor(statement: string, rows: Buffer, sent: () => void, callback: (error?: unknown) => void) {
    this.#statement = statement;
    this.#rows = rows;
    this.#sent = sent;
    this.callback = callback;
  }

  submit(connection: { query(text: string): void }): void {
    connection.query(this.#statement);
  }

  handleCopyInResponse(connection: { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }): void {
    connection.sendCopyFromChunk(this.#rows);
    connection.endCopyFrom();
    setImmediate(this.#sent);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: unknown): void {
    this.callback(error);
  }
}
