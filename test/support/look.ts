import { resolve } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** What tests use of a connection of better-sqlite3. */
export interface Look {
  prepare<_Values extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Row>;
  exec(sql: string): unknown;
  close(): unknown;
}

interface Statement<Row = unknown> {
  all(...values: unknown[]): Row[];
  get(...values: unknown[]): Row | undefined;
  pluck(): Statement<Row>;
  raw(): Statement<Row>;
}

interface Question {
  readonly url: string;
  readonly schemas: string;
  /** Ends the connection if it is undefined. */
  readonly text?: string;
  readonly values?: readonly unknown[];
  readonly rowMode?: 'array' | undefined;
}

interface Answer {
  readonly rows: unknown[];
  readonly message?: string;
}

let asking: ((question: Question) => Answer) | undefined;

function startAsking(): (question: Question) => Answer {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { port1: port, port2 } = new MessageChannel();
  const data = { workerData: { port: port2, signal }, transferList: [port2] };
  new Worker(resolve('test/support/look-worker.mjs'), data).unref();
  port.unref();
  return (question) => {
    Atomics.store(signal, 0, 0);
    port.postMessage(question);
    // The notification of the last answer may come late, and end this wait.
    while (Atomics.load(signal, 0) === 0) Atomics.wait(signal, 0, 0);
    return receiveMessageOnPort(port)?.message as Answer;
  };
}

/** Looks at a database of PostgreSQL as at one of SQLite: this thread waits for each answer. */
export function lookAt(url: string, schemas = 'pacekeeper,warehouse'): Look {
  const ask = (question: Omit<Question, 'url' | 'schemas'>): unknown[] => {
    asking ??= startAsking();
    const { rows, message } = asking({ url, schemas, ...question });
    if (message !== undefined) throw new Error(message);
    return rows;
  };
  const statement = <Row>(text: string, rowMode?: 'array', plucks = false): Statement<Row> => {
    const all = (...values: unknown[]) => {
      const rows = ask({ text, values: values.flat(), rowMode });
      return (plucks ? rows.map((row) => (row as unknown[])[0]) : rows) as Row[];
    };
    return {
      all,
      get: (...values) => all(...values)[0],
      raw: () => statement(text, 'array'),
      pluck: () => statement(text, 'array', true),
    };
  };
  return {
    prepare(sql) {
      let number = 0;
      return statement(sql.replace(/\?/g, () => `$${++number}`));
    },
    exec: (text) => ask({ text }),
    close: () => ask({}),
  };
}
