import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';

/** The process has ended here: nothing that it does after this has any effect. */
export class Killed extends Error {}

/** A process as far as files and databases go. */
export interface FileUser {
  readonly dead: boolean;
  /** Everything that it has opened. */
  readonly databases: Set<{ close(): unknown }>;
  /** Called before and after each moment at which something becomes lasting; throws where the process is to end. */
  boundary(side: 'before' | 'after', what: 'commit' | 'rename'): void;
  /** Called before each statement to a server: what is lost with it. */
  loses(statement: string): Loss['what'] | undefined;
}

/** With its n-th statement, a process loses the connection before or after the server has it, or all of its connections. */
export interface Loss {
  readonly what: 'statement' | 'answer' | 'connections';
  readonly nth: number;
}

const CHANGING = [
  'renameSync',
  'rmSync',
  'openSync',
  'writeFileSync',
  'mkdirSync',
  'chmodSync',
  'copyFileSync',
] as const;
type Act = (...args: unknown[]) => unknown;

/** What a run tells people of itself decides nothing of the next one. */
const tellsOnly = (path: unknown) => /report\.html$|runs[\\/][^\\/]+$/.test(String(path));
const isState = (database: Database.Database) => database.name.endsWith('state.sqlite');
const isLock = (database: Database.Database) => database.name.endsWith('lock.sqlite');

function statementPrototype(): Record<string, Act> {
  const probe = new Database(':memory:');
  try {
    return Object.getPrototypeOf(probe.prepare('SELECT 1')) as Record<string, Act>;
  } finally {
    probe.close();
  }
}

/** Statements that were prepared before a process ended belong to a closed connection and refuse by themselves. */
class Watch {
  readonly #user: () => FileUser | undefined;
  readonly #changes = new WeakMap<Database.Database, unknown>();
  readonly #get: Act;

  readonly #onlooker: () => Database.Database | undefined;

  constructor(user: () => FileUser | undefined, onlooker: () => Database.Database | undefined, get: Act) {
    this.#user = user;
    this.#onlooker = onlooker;
    this.#get = get;
  }

  use(database: Database.Database, pragma: Act): void {
    const user = this.#user();
    // One in memory is of the program, in which all processes run here.
    if (user === undefined || database.memory || database === this.#onlooker() || user.databases.has(database)) return;
    if (user.dead) {
      database.close();
      throw new Killed();
    }
    user.databases.add(database);
    // No power fails here, so that nobody waits for the disk.
    pragma.call(database, 'synchronous = OFF');
    // Waiting in here would keep the holder from ever ending: who finds it taken comes again later, as the product does.
    if (isLock(database)) pragma.call(database, 'busy_timeout = 0');
  }

  around(what: 'commit' | 'rename', act: () => unknown): unknown {
    const user = this.#user();
    user?.boundary('before', what);
    const result = act();
    user?.boundary('after', what);
    return result;
  }

  refuseDead(): void {
    if (this.#user()?.dead) throw new Killed();
  }

  commits(database: Database.Database, source: string, readonly: boolean): boolean {
    if (this.#user() === undefined || !isState(database)) return false;
    return database.inTransaction ? /^\s*commit\b/i.test(source) && this.#isWritten(database) : !readonly;
  }

  /** A commit of nothing is no moment of its own. */
  #isWritten(database: Database.Database): boolean {
    const statement = database.prepare('SELECT total_changes() AS changes').safeIntegers(false);
    const { changes } = this.#get.call(statement) as { changes: number };
    const written = this.#changes.get(database) !== changes;
    this.#changes.set(database, changes);
    return written;
  }
}

/**
 * Stands between the program and its files, for whoever `user` says is running: nothing of a process that has ended becomes
 * lasting, and each commit and each rename is told. `onlooker` is nobody's. `reword` may make its statements others. Answers with
 * what takes it away again.
 */
export function watchBoundaries(
  user: () => FileUser | undefined,
  onlooker: () => Database.Database | undefined,
  reword: (statement: string) => string = (statement) => statement,
): () => void {
  const statement = statementPrototype();
  const database = Database.prototype as unknown as Record<string, Act>;
  const files = fs as unknown as Record<string, Act>;
  const undo: (() => void)[] = [];
  const replace = (on: Record<string, Act>, name: string, by: (original: Act) => Act) => {
    const original = on[name];
    if (original === undefined) throw new Error(`There is no ${name}.`);
    on[name] = by(original);
    undo.push(() => {
      on[name] = original;
    });
    return original;
  };
  const pragma = database.pragma as Act;
  const watch = new Watch(user, onlooker, statement.get as Act);
  for (const name of ['run', 'get', 'all']) {
    replace(statement, name, (original) => {
      return function (this: Database.Statement & { readonly readonly: boolean }, ...args) {
        const act = () => original.apply(this, args);
        return watch.commits(this.database, this.source, this.readonly) ? watch.around('commit', act) : act();
      };
    });
  }
  for (const name of ['prepare', 'pragma', 'exec']) {
    replace(database, name, (original) => {
      return function (this: Database.Database, ...args) {
        watch.use(this, pragma);
        // It stays as it was set when the connection was first used.
        if (name === 'pragma' && user() && /^synchronous =/.test(String(args[0]))) return [];
        const given = name === 'prepare' && user() ? [reword(String(args[0])), ...args.slice(1)] : args;
        const act = () => original.apply(this, given);
        return name === 'exec' && watch.commits(this, String(args[0]), false) ? watch.around('commit', act) : act();
      };
    });
  }
  for (const name of CHANGING) {
    replace(files, name, (original) => (...args) => {
      watch.refuseDead();
      const act = () => original(...args);
      return name === 'renameSync' && user() && !tellsOnly(args[1]) ? watch.around('rename', act) : act();
    });
  }
  replace(
    files,
    'fsyncSync',
    (original) =>
      (...args) =>
        user() ? undefined : original(...args),
  );
  syncBuiltinESMExports();
  return () => {
    for (const back of undo) back();
    syncBuiltinESMExports();
  };
}
