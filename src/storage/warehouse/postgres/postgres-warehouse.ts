import type { RecordStore } from '../../records/record-store.ts';
import type { Warehouse } from '../store.ts';
import { accountTotals } from '../totals.ts';
import { loading } from './load-slice.ts';
import { dayMembers, members } from './members.ts';
import { modelRows } from './model-rows.ts';
import { openViews, publishViews } from './publish-views.ts';
import { addColumns, carryOver, countRows, createQueryTable, dropTable, tableOf } from './query-tables.ts';
import { SUMS } from './totals.ts';
import { isView, withoutViews } from './without-views.ts';
import { writeFile } from './write-file.ts';

/** The tables of queries are in the schema `warehouse`, where people read them. */
export function postgresWarehouse(state: RecordStore): Warehouse {
  const { db } = state;
  return {
    async createTable(trx, shape) {
      const create = () => createQueryTable(trx, shape);
      // A model may have had this name.
      await ((await isView(trx, shape.name)) ? withoutViews(trx, create) : create());
    },
    addColumns,
    carryOver: (trx, before, after) => withoutViews(trx, () => carryOver(trx, before, after)),
    dropTable: (trx, name) => withoutViews(trx, () => dropTable(trx, name)),
    isNumbered: async () => true,
    countRows: (name) => countRows(db, name),
    loading: (target, work) => loading(db, target, work),
    members: (table, customer, demand) => members(db, tableOf(table), customer, demand),
    dayMembers: (table, customer, demand, days) => dayMembers(db, table, customer, demand, days),
    totals: (table, customers, days) => accountTotals(db, SUMS, table, customers, days),
    modelRows: (limits) => modelRows(db, limits),
    publish: (publication) => publishViews(state, publication),
    writeFile: (publication) => writeFile(state, publication),
    openPublished: () => openViews(db),
    unpublished: () => ({ what: 'The views in warehouse', left: 'are unchanged' }),
  };
}
