import type { RecordStore } from '../../store/record-store.ts';
import { ModelFailure, type Warehouse } from '../store.ts';
import { beginLoad } from './load-slice.ts';
import { dayMembers, members } from './members.ts';
import { addColumns, carryOver, countRows, createQueryTable, dropTable } from './query-tables.ts';
import { campaignTotals, totalsOf } from './totals.ts';

/** The tables of queries are in the schema `warehouse`, where people read them. */
export function postgresWarehouse({ db }: RecordStore): Warehouse {
  return {
    createTable: createQueryTable,
    addColumns,
    carryOver,
    dropTable,
    isNumbered: async () => true,
    countRows: (name) => countRows(db, name),
    beginLoad,
    members: (table, customer, demand) => members(db, table, customer, demand),
    dayMembers: (table, customer, demand, days) => dayMembers(db, table, customer, demand, days),
    totals: (table, customer, days) => totalsOf(db, table, customer, days),
    campaigns: (table, customer, days) => campaignTotals(db, table, customer, days),
    modelRows: () => ({
      async members() {
        throw new ModelFailure('models are not computed on PostgreSQL yet');
      },
      close: () => undefined,
    }),
    publish: async () => [],
  };
}
