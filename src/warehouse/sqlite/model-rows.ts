import Database from 'better-sqlite3';
import { daysOf } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Member, MemberDemand } from '../../domain/member.ts';
import { refuseOtherDays } from '../models/independent-days.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import { type ComputedModel, ModelFailure, type ModelRows } from '../store.ts';
import { aggregateMembers } from './aggregate-members.ts';
import { SQLITE_NAMES } from './sqlite-names.ts';

export class SqliteModelRows implements ModelRows {
  readonly #statePath: string;
  #file: Database.Database | undefined;
  readonly #computed = new Set<string>();

  constructor(statePath: string) {
    this.#statePath = statePath;
  }

  async members(model: ComputedModel, customer: CustomerId, demand: MemberDemand): Promise<readonly Member[]> {
    try {
      const file = this.#open();
      this.#compute(file, model);
      const days = [...new Set(demand.stretches.flatMap(daysOf))].sort();
      this.#computeDays(file, model, customer, days);
      const ofDays = [...aggregateMembers({ connection: file }, OF_DAYS, customer, demand)];
      const ofAll = aggregateMembers({ connection: file }, model.name, customer, demand);
      refuseOtherDays(ofDays, ofAll);
      return ofDays;
    } catch (cause) {
      if (cause instanceof Database.SqliteError) throw new ModelFailure(cause.message, { cause });
      throw cause;
    }
  }

  #open(): Database.Database {
    if (this.#file) return this.#file;
    // With an empty name, SQLite uses a temporary file.
    const file = new Database('');
    this.#file = file;
    file.defaultSafeIntegers(true);
    file.prepare('ATTACH ? AS state').run(this.#statePath);
    file.exec(`CREATE TABLE ${ONE_DAY} (account INTEGER, day TEXT); INSERT INTO ${ONE_DAY} VALUES (NULL, NULL)`);
    return file;
  }

  #compute(file: Database.Database, { name, select }: ComputedModel): void {
    if (this.#computed.has(name)) return;
    file.exec(`DROP TABLE IF EXISTS main.${identifier(name)};
      CREATE TABLE main.${identifier(name)} AS ${select(SQLITE_NAMES)};
      CREATE INDEX main.${identifier(`${name} by day`)} ON ${identifier(name)} (${CUSTOMER_COLUMN}, ${DATE_COLUMN})`);
    this.#computed.add(name);
  }

  #computeDays(file: Database.Database, model: ComputedModel, customer: CustomerId, days: readonly string[]): void {
    const table = `main.${identifier(OF_DAYS)}`;
    file.exec(
      `DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} AS SELECT * FROM main.${identifier(model.name)} WHERE 0`,
    );
    const set = file.prepare(`UPDATE ${ONE_DAY} SET account = ?, day = ?`);
    const add = file.prepare(`INSERT INTO ${table} ${model.select(SQLITE_NAMES, IN_ONE_DAY)}`);
    for (const day of days) {
      set.run(BigInt(customer), day);
      add.run();
    }
    file.exec(`CREATE INDEX main."of one day" ON ${identifier(OF_DAYS)} (${CUSTOMER_COLUMN}, ${DATE_COLUMN})`);
  }

  close(): void {
    this.#file?.close();
  }
}

/** No model can have a name with spaces. */
const OF_DAYS = 'rows of days';
const ONE_DAY = 'temp."one day"';
const IN_ONE_DAY = { account: `(SELECT account FROM ${ONE_DAY})`, day: `(SELECT day FROM ${ONE_DAY})` };
