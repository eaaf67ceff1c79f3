import type { DateRange } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Member, MemberDemand } from '../../domain/member.ts';
import type { RecordStore, StateDb } from '../records/record-store.ts';
import type { OneDay, Schemas } from './models/model.ts';
import type { ModelLimits, PublishedModel } from './models/model-failure.ts';
import type { ConversionWindows } from './publish/calendar-table.ts';
import type { Reader } from './publish/lineage.ts';
import type { PublishedData } from './publish/published-data.ts';
import type { Describe, PublishedTable } from './publish/published-table.ts';
import type { TableShape } from './query-table.ts';
import type { LoadTarget, SliceLoad } from './slice-load.ts';
import type { AccountTotals, MemberDay, SummedTable } from './totals.ts';

/** Everything that one engine keeps: the records, and the tables that queries fill. */
export interface Store extends RecordStore {
  readonly warehouse: Warehouse;
}

/** Methods with `trx` belong to the caller's transaction. */
export interface Warehouse {
  createTable(trx: StateDb, shape: TableShape): Promise<void>;
  /** The columns of `after` begin with those of `before`. */
  addColumns(trx: StateDb, before: TableShape, after: TableShape): Promise<void>;
  /** Makes the table anew with all its rows. If rows have the same key, only the newest is kept. */
  carryOver(trx: StateDb, before: TableShape, after: TableShape): Promise<void>;
  dropTable(trx: StateDb, name: string): Promise<void>;
  /** False for tables of the first version, which have no row numbers. */
  isNumbered(trx: StateDb, name: string): Promise<boolean>;
  countRows(name: string): Promise<bigint>;

  /** A transaction that loads one account's rows of the query. On a server, other processes can load meanwhile. */
  loading<Result>(target: LoadTarget, work: (trx: StateDb, load: SliceLoad) => Promise<Result>): Promise<Result>;

  /** A renamed member stays one member. Read all members before the next call. */
  members(table: string, customer: CustomerId, demand: MemberDemand): Promise<Iterable<Member>>;
  /** Members by day, in ascending order of days. Read all of them before the next call. */
  dayMembers(
    table: string,
    customer: CustomerId,
    demand: Omit<MemberDemand, 'stretches'>,
    days: DateRange,
  ): Promise<Iterable<MemberDay>>;
  /** Omits accounts without rows. Sums all rows if `days` is undefined or the table has no days. */
  totals(
    table: SummedTable,
    customers: readonly CustomerId[],
    days: DateRange | undefined,
  ): Promise<ReadonlyMap<CustomerId, AccountTotals>>;
  modelRows(limits: ModelLimits): ModelRows;

  /** Throws `InputError` if the last publication has another history, because it may be the only copy. */
  publish(publication: Publication): Promise<Published>;
  /** Writes all that is published to a new file of SQLite. */
  writeFile(publication: Publication): Promise<readonly PublishedTable[]>;
  /** Undefined if nothing is published. `path` is that of `warehouse.sqlite`. */
  openPublished(path: string): Promise<PublishedData | undefined>;
  /** For messages about a publication that did not happen: a subject, and a verb such as `is unchanged`. */
  unpublished(path: string): { readonly what: string; readonly left: string };
}

export interface ComputedModel {
  readonly name: string;
  select(schemas: Schemas, oneDay?: OneDay): string;
}

export interface ModelRows {
  /**
   * Computes each day separately, because other days can be incomplete. Throws `ModelFailure` if the engine refuses the
   * model, at a limit, or if other days or accounts change the sums.
   */
  members(model: ComputedModel, customer: CustomerId, demand: MemberDemand): Promise<readonly Member[]>;
  /** Rows of these accounts that break a test. Throws `ModelFailure` if the engine refuses the test, or at a limit. */
  failing(test: FailingOrder): Promise<FailingRows>;
  close(): void;
}

export interface FailingOrder extends Pick<ComputedModel, 'name'> {
  select(schemas: Schemas): string;
  /** False if the rows do not say their account. Then all of them count. */
  readonly hasAccount: boolean;
  readonly customers: readonly CustomerId[];
}

export interface FailingRows {
  /** Accounts without such a row are left out. */
  readonly counts: readonly { readonly customerId: CustomerId | undefined; readonly rows: bigint }[];
  /** At most `FAILING_ROWS_MAX` rows, each a JSON object. */
  readonly first: readonly { readonly customerId: CustomerId | undefined; readonly row: string }[];
}

export interface Published {
  readonly tables: readonly PublishedTable[];
  /** The path of the file, if the tables are in a file. */
  readonly file: string | undefined;
}

export interface Publication {
  /** Path of `warehouse.sqlite`. The file `metadata.json` is written to the same folder. */
  readonly path: string;
  readonly nowMs: number;
  readonly describe: Describe;
  readonly models?: readonly PublishedModel[];
  /** For the dictionary. Questions are added. */
  readonly readers?: readonly Reader[];
  /** Default: a complete day has all its conversions. */
  readonly conversions?: ConversionWindows;
}
