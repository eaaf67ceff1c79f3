import Database from 'better-sqlite3';
import { daysOf } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { Member, MemberDemand } from '../../../domain/member.ts';
import { refuseOtherDays } from '../models/independent-days.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import { type Computation, createRows, TooManyRows } from './limited-rows.ts';
import { aggregateMembers } from './members.ts';

/** Computes the model for a rule. */
export interface MembersOrder {
  readonly kind: 'members';
  readonly name: string;
  readonly sql: string;
  /** SQL of the rows {@link IN_ONE_DAY}. */
  readonly oneDaySql: string;
  readonly customer: CustomerId;
  readonly demand: MemberDemand;
}

export class RowsOfRules {
  #file: Database.Database | undefined;
  readonly #computed = new Set<string>();

  members(order: MembersOrder & Computation): readonly Member[] {
    const { name, customer, demand } = order;
    this.#file ??= open(order.statePath);
    const connection = this.#file;
    this.#compute(connection, order);
    computeDays(connection, order);
    const ofDays = [...aggregateMembers({ connection }, OF_DAYS, customer, demand)];
    refuseOtherDays(ofDays, aggregateMembers({ connection }, name, customer, demand));
    return ofDays;
  }

  #compute(file: Database.Database, { name, sql, ...computation }: MembersOrder & Computation): void {
    if (this.#computed.has(name)) return;
    createRows(file, `main.${identifier(name)}`, sql, computation);
    file.exec(
      `CREATE INDEX main.${identifier(`${name} by day`)} ON ${identifier(name)} (${CUSTOMER_COLUMN}, ${DATE_COLUMN})`,
    );
    this.#computed.add(name);
  }
}

function open(statePath: string): Database.Database {
  // With an empty name, SQLite uses a temporary file.
  const file = new Database('');
  file.defaultSafeIntegers(true);
  file.prepare('ATTACH ? AS state').run(statePath);
  file.exec(`CREATE TABLE ${ONE_DAY} (account INTEGER, day TEXT); INSERT INTO ${ONE_DAY} VALUES (NULL, NULL)`);
  return file;
}

function computeDays(
  file: Database.Database,
  { name, oneDaySql, customer, demand, maxRows }: MembersOrder & Computation,
): void {
  const table = `main.${identifier(OF_DAYS)}`;
  file.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} AS SELECT * FROM main.${identifier(name)} WHERE 0`);
  const set = file.prepare(`UPDATE ${ONE_DAY} SET account = ?, day = ?`);
  const add = file.prepare(`INSERT INTO ${table} ${oneDaySql} LIMIT ${maxRows + 1}`);
  let rows = 0;
  for (const day of [...new Set(demand.stretches.flatMap(daysOf))].sort()) {
    set.run(BigInt(customer), day);
    rows += add.run().changes;
    if (rows > maxRows) throw new TooManyRows();
  }
  file.exec(`CREATE INDEX main."of one day" ON ${identifier(OF_DAYS)} (${CUSTOMER_COLUMN}, ${DATE_COLUMN})`);
}

/** No model can have a name with spaces. */
const OF_DAYS = 'rows of days';
const ONE_DAY = 'temp."one day"';
export const IN_ONE_DAY = { account: `(SELECT account FROM ${ONE_DAY})`, day: `(SELECT day FROM ${ONE_DAY})` };
