import pg from 'pg';
import type { Look } from '../../../support/look.ts';
import { type FileUser, Killed } from '../boundaries.ts';
import type { ClientWatch } from './seed-store.ts';

type Callback = (error?: unknown, answer?: unknown) => void;
type Act = (this: pg.Client, ...args: unknown[]) => unknown;

/** COPY as the product sends it: it has a callback of its own. */
interface Submitted {
  callback: Callback;
  submit(): unknown;
}

interface Answer {
  readonly command?: string;
  readonly rowCount?: number | null;
}

/** Parts of a client that its types do not name. */
interface Inside {
  readonly processID: number | null;
  readonly connection: {
    readonly stream: { destroy(): void };
    once(event: 'end', act: () => void): void;
  };
}

const inside = (client: pg.Client) => client as unknown as Inside;

/**
 * Stands between the processes and the server. A process that has ended gets no answer any more, and the server has forgotten it
 * before anybody goes on. Each commit of something written is told before and after. `look` is nobody's.
 */
export function watchClients(user: () => FileUser | undefined, look: Look): ClientWatch {
  const prototype = pg.Client.prototype as unknown as Record<'connect' | 'query' | 'end', Act>;
  const { connect, query, end } = prototype;
  const watch = new Watch(look);
  prototype.connect = function (callback) {
    const owner = user();
    if (owner === undefined) return connect.call(this, callback);
    watch.own(this, owner);
    return watch.ask(owner, (done) => connect.call(this, done), callback);
  };
  prototype.query = function (...args) {
    const owner = watch.ownerOf(this);
    if (owner === undefined) return query.apply(this, args);
    const [asked, values, callback] = args;
    if (isSubmitted(asked)) return watch.submit(owner, this, asked, (copy) => query.call(this, copy));
    const text = typeof asked === 'string' ? asked : (asked as { readonly text: string }).text;
    const isCommit = watch.commits(this, text);
    if (isCommit && endsAt(owner, 'before')) return never();
    const loss = owner.loses(text);
    if (loss === 'statement') cut(this);
    if (loss === 'connections') watch.cutAll(owner);
    return watch.ask(
      owner,
      (done) =>
        query.call(this, asked, values, (error: unknown, answer: unknown) => {
          watch.answered(this, answer as Answer | undefined);
          if (isCommit && !error) endsAt(owner, 'after');
          if (loss !== 'answer') return done(error, answer);
          cut(this);
          done(new Error('Connection terminated unexpectedly'));
        }),
      callback,
    );
  };
  prototype.end = function (callback) {
    const owner = watch.ownerOf(this);
    if (owner === undefined) return end.call(this, callback);
    return watch.ask(owner, (done) => end.call(this, done), callback);
  };
  return { waiting: () => watch.waiting(), stop: () => Object.assign(prototype, { connect, query, end }) };
}

/** As when the network fails: the server notices it by itself. */
const cut = (client: pg.Client) => inside(client).connection.stream.destroy();

const isSubmitted = (asked: unknown): asked is Submitted =>
  typeof (asked as Partial<Submitted> | null)?.submit === 'function';

const never = () => new Promise(() => undefined);

function endsAt(owner: FileUser, side: 'before' | 'after'): boolean {
  try {
    owner.boundary(side, 'commit');
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}

const WRITES = /^(?:INSERT|UPDATE|DELETE|COPY)$/;
const CHANGES_TABLES = /^(?:CREATE|ALTER|DROP)$/;

class Watch {
  readonly #look: Look;
  readonly #owners = new WeakMap<pg.Client, FileUser>();
  readonly #clients = new Map<FileUser, Set<pg.Client>>();
  /** Those whose transaction has written something. */
  readonly #writing = new WeakSet<pg.Client>();
  #outstanding = 0;
  /** Processes of the server whose client has ended. */
  #leaving: number[] = [];
  #answer = Promise.withResolvers<void>();

  constructor(look: Look) {
    this.#look = look;
  }

  ownerOf(client: pg.Client): FileUser | undefined {
    return this.#owners.get(client);
  }

  own(client: pg.Client, owner: FileUser): void {
    this.#owners.set(client, owner);
    const own = this.#clients.get(owner) ?? new Set();
    this.#clients.set(owner, own.add(client));
    const open = { close: () => this.#kill(client) };
    owner.databases.add(open);
    inside(client).connection.once('end', () => {
      owner.databases.delete(open);
      own.delete(client);
      this.#leaving.push(inside(client).processID ?? 0);
    });
  }

  /** As when the server restarts. */
  cutAll(owner: FileUser): void {
    for (const client of this.#clients.get(owner) ?? []) this.#kill(client);
  }

  /** Waits for what the server was asked before, then for its end. */
  #kill(client: pg.Client): void {
    const { processID, connection } = inside(client);
    const busy = this.#look.prepare(`SELECT 1 FROM pg_stat_activity
      WHERE pid = CAST(? AS integer) AND state = 'active' AND wait_event_type IS DISTINCT FROM 'Client'`);
    while (busy.get(processID) !== undefined);
    connection.stream.destroy();
    this.#look.prepare('SELECT pg_terminate_backend(CAST(? AS integer), 5000)').get(processID);
  }

  waiting(): Promise<void> | undefined {
    if (this.#outstanding > 0) return this.#answer.promise;
    if (this.#leaving.length === 0) return undefined;
    const left = this.#look.prepare<unknown[], bigint>('SELECT pid FROM pg_stat_activity WHERE pid = ANY(?)').pluck();
    this.#leaving = left.all([this.#leaving]).map(Number);
    return this.#leaving.length === 0 ? undefined : Promise.resolve();
  }

  /** A commit of nothing is no moment of its own. */
  commits(client: pg.Client, text: string): boolean {
    if (!/^\s*(?:begin|commit|rollback)\b/i.test(text)) return false;
    const isCommit = /^\s*commit/i.test(text) && this.#writing.has(client);
    this.#writing.delete(client);
    return isCommit;
  }

  answered(client: pg.Client, { command = '', rowCount }: Answer = {}): void {
    if (CHANGES_TABLES.test(command) || (WRITES.test(command) && (rowCount ?? 0) > 0)) this.#writing.add(client);
  }

  submit(owner: FileUser, client: pg.Client, asked: Submitted, act: (asked: Submitted) => unknown): void {
    const told = asked.callback;
    this.#writing.add(client);
    const send = (done: Callback) => {
      asked.callback = done;
      act(asked);
    };
    this.#send(owner, send, told);
  }

  /** With a callback, as the pool does, or for a promise. */
  ask(owner: FileUser, act: (done: Callback) => unknown, callback: unknown): unknown {
    if (typeof callback === 'function') return this.#send(owner, act, callback as Callback);
    return new Promise((resolve, reject) => {
      this.#send(owner, act, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
  }

  #send(owner: FileUser, act: (done: Callback) => unknown, told: Callback): void {
    if (owner.dead) return;
    this.#outstanding += 1;
    act((error, answer) => {
      this.#outstanding -= 1;
      this.#answer.resolve();
      this.#answer = Promise.withResolvers();
      if (!owner.dead) told(error, answer);
    });
  }
}
