import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { CampaignStatus } from '../domain/campaign-status.ts';
import { type CivilDate, civilDateAt, clockTimeAt } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import { budgetId } from '../domain/ids.ts';
import { type Micros, micros } from '../domain/micros.ts';
import type { BudgetChanged } from './ads/entities.ts';
import type { Account, Budget } from './market/market.ts';
import { messageStore, prepareMessages } from './message-store.ts';
import type { PhoneChannel } from './phones.ts';

interface BudgetChange {
  readonly customerId: string;
  readonly budgetId: string;
  readonly amountMicros: Micros;
}

/** The two steps that restore the list of pages (section 4.1, rule 5). */
export type RemedyStep = 'permissions_revoked' | 'features_deactivated';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS budget_change (
    change_id INTEGER PRIMARY KEY,
    customer_id TEXT NOT NULL,
    budget_id TEXT NOT NULL,
    amount_micros INTEGER NOT NULL CHECK (amount_micros > 0),
    applied_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS budget_change_of_budget ON budget_change (customer_id, budget_id);
  CREATE TABLE IF NOT EXISTS removed_budget (
    customer_id TEXT NOT NULL,
    budget_id TEXT NOT NULL,
    PRIMARY KEY (customer_id, budget_id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS total_budget (
    customer_id TEXT NOT NULL,
    budget_id TEXT NOT NULL,
    total_micros INTEGER NOT NULL CHECK (total_micros > 0),
    PRIMARY KEY (customer_id, budget_id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS campaign_status (
    customer_id TEXT NOT NULL,
    campaign_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ENABLED', 'PAUSED', 'REMOVED')),
    PRIMARY KEY (customer_id, campaign_id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS phone_wrote (
    channel TEXT NOT NULL,
    number TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (channel, number)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS remedy_step (
    step TEXT PRIMARY KEY CHECK (step IN ('permissions_revoked', 'features_deactivated'))
  ) STRICT;
`;

interface ChangeRow {
  readonly change_id: bigint;
  readonly budget_id: string;
  readonly amount_micros: bigint;
  readonly applied_at_ms: bigint;
}

export type SandboxFile = string | Database.Database;

/** Creates a missing file. Throws `InputError` if the file is not a usable database. */
export function openSandboxStore(file: SandboxFile) {
  const database = openDatabase(file);
  const insertChange = database.prepare(
    'INSERT INTO budget_change (customer_id, budget_id, amount_micros, applied_at_ms) VALUES (?, ?, ?, ?)',
  );
  const lastAmount = database
    .prepare<[string, string], bigint>(
      'SELECT amount_micros FROM budget_change WHERE customer_id = ? AND budget_id = ? ORDER BY change_id DESC LIMIT 1',
    )
    .pluck();
  const newestChanges = database.prepare<[string], ChangeRow>(
    'SELECT change_id, budget_id, amount_micros, applied_at_ms FROM budget_change WHERE customer_id = ? ORDER BY change_id DESC',
  );
  const insertRemoved = database.prepare('INSERT OR IGNORE INTO removed_budget (customer_id, budget_id) VALUES (?, ?)');
  const findRemoved = database.prepare('SELECT 1 FROM removed_budget WHERE customer_id = ? AND budget_id = ?');
  const upsertTotal = database.prepare(
    'INSERT OR REPLACE INTO total_budget (customer_id, budget_id, total_micros) VALUES (?, ?, ?)',
  );
  const findTotal = database
    .prepare<[string, string], bigint>('SELECT total_micros FROM total_budget WHERE customer_id = ? AND budget_id = ?')
    .pluck();
  const upsertStatus = database.prepare(
    'INSERT OR REPLACE INTO campaign_status (customer_id, campaign_id, status) VALUES (?, ?, ?)',
  );
  const findStatus = database
    .prepare<[string, string], CampaignStatus>(
      'SELECT status FROM campaign_status WHERE customer_id = ? AND campaign_id = ?',
    )
    .pluck();
  const upsertWrote = database.prepare('INSERT OR REPLACE INTO phone_wrote (channel, number, at_ms) VALUES (?, ?, ?)');
  // All phones wrote when the file was new.
  const insertAllWrote = database.prepare(
    "INSERT OR IGNORE INTO phone_wrote (channel, number, at_ms) VALUES ('', '', ?)",
  );
  const findWrote = database
    .prepare<[string, string], bigint | null>(
      "SELECT max(at_ms) FROM phone_wrote WHERE (channel, number) IN (VALUES (?, ?), ('', ''))",
    )
    .pluck();
  const insertStep = database.prepare('INSERT OR IGNORE INTO remedy_step (step) VALUES (?)');
  const forgetDeactivation = database.prepare("DELETE FROM remedy_step WHERE step = 'features_deactivated'");
  const findStep = database.prepare('SELECT 1 FROM remedy_step WHERE step = ?');
  const applyAll = database.transaction((changes: readonly BudgetChange[], atMs: number) => {
    for (const { customerId, budgetId, amountMicros } of changes) {
      insertChange.run(customerId, budgetId, amountMicros, BigInt(Math.floor(atMs)));
    }
  });
  return {
    /** Commits all changes in one transaction. */
    applyBudgets: (changes: readonly BudgetChange[], atMs: number): void => applyAll.immediate(changes, atMs),
    amountNow(account: Account, budget: Budget): Micros {
      const amount = lastAmount.get(account.customerId, budget.id);
      return amount === undefined ? budget.baseAmount : micros(amount);
    },
    removeBudget(customerId: string, budgetId: string): void {
      insertRemoved.run(customerId, budgetId);
    },
    isRemoved: (customerId: string, budgetId: string) => findRemoved.get(customerId, budgetId) !== undefined,
    makeTotal(customerId: string, budgetId: string, totalMicros: Micros): void {
      upsertTotal.run(customerId, budgetId, totalMicros);
    },
    /** The amount for the whole period. Undefined for a daily budget. */
    totalOf(customerId: string, budgetId: string): Micros | undefined {
      const total = findTotal.get(customerId, budgetId);
      return total === undefined ? undefined : micros(total);
    },
    setCampaignStatus(customerId: string, campaignId: string, status: CampaignStatus): void {
      upsertStatus.run(customerId, campaignId, status);
    },
    campaignStatus: (customerId: string, campaignId: string) => findStatus.get(customerId, campaignId),
    /** Returns a function for the amount at the start of a day. Changes after this call do not affect its results. */
    amountsByDay(account: Account): (budget: Budget, date: CivilDate) => Micros {
      const rows = newestChanges.all(account.customerId);
      // Computed on first use, because converting many changes is slow.
      let dated: { budgetId: string; amount: Micros; day: CivilDate }[] | undefined;
      const changes = () => {
        dated ??= rows.map((row) => ({
          budgetId: row.budget_id,
          amount: micros(row.amount_micros),
          day: civilDateAt(Number(row.applied_at_ms), account.timeZone),
        }));
        return dated;
      };
      return (budget, date) =>
        changes().find(({ budgetId, day }) => budgetId === budget.id && day < date)?.amount ?? budget.baseAmount;
    },
    /** Oldest first. */
    changesOf(account: Account): BudgetChanged[] {
      const before = new Map(account.budgets.map(({ id, baseAmount }) => [id, baseAmount]));
      const oldestFirst = newestChanges.all(account.customerId).toReversed();
      return oldestFirst.map((row) => {
        const budget = budgetId(row.budget_id);
        const to = micros(row.amount_micros);
        const from = before.get(budget) ?? to;
        before.set(budget, to);
        const atMs = Number(row.applied_at_ms);
        const at = `${civilDateAt(atMs, account.timeZone)} ${clockTimeAt(atMs, account.timeZone)}:00.000000`;
        return { id: `${row.change_id}`, budgetId: budget, from, to, at };
      });
    },
    messages: messageStore(database),
    /** Opens the reply windows of all phones if the file is new. Returns the time of that, in milliseconds. */
    openPhones(nowMs: number): number {
      insertAllWrote.run(BigInt(Math.floor(nowMs)));
      return Number(findWrote.get('', ''));
    },
    phoneWrote(channel: PhoneChannel, number: string, nowMs: number): void {
      upsertWrote.run(channel, number, BigInt(Math.floor(nowMs)));
    },
    lastWroteMs: (channel: PhoneChannel, number: string) => Number(findWrote.get(channel, number)),
    isDone: (step: RemedyStep) => findStep.get(step) !== undefined,
    setDone(step: RemedyStep): void {
      // The order matters: a revocation needs a new deactivation.
      forgetDeactivation.run();
      insertStep.run(step);
    },
    close(): void {
      database.close();
    },
  };
}

export type SandboxStore = ReturnType<typeof openSandboxStore>;

function openDatabase(file: SandboxFile): Database.Database {
  let database: Database.Database | undefined;
  try {
    if (typeof file === 'string' && file !== ':memory:') {
      mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
      closeSync(openSync(file, 'a', 0o600));
    }
    database = typeof file === 'string' ? new Database(file) : file;
    database.defaultSafeIntegers(true);
    if (typeof file === 'string' && file !== ':memory:') database.pragma('journal_mode = WAL');
    const prepare = database.transaction((opened: Database.Database) => {
      opened.exec(SCHEMA);
      prepareMessages(opened);
    });
    // The lock lets only one of two processes add the missing columns.
    prepare.immediate(database);
    return database;
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InputError(
      `Opening the sandbox's state file ${typeof file === 'string' ? file : file.name} failed: found "${reason}", expected a SQLite file.`,
      {
        nextStep: 'Choose a writable path, or remove the file: it contains only changes made in the sandbox.',
        cause,
      },
    );
  }
}
