import { basename } from 'node:path';
import { leftAsItWas } from '../../files/replace-file.ts';
import type { StateFile } from '../../records/sqlite/open-state.ts';
import type { Warehouse } from '../store.ts';
import { beginLoad } from './load-slice.ts';
import { aggregateMembers, dayMembers } from './members.ts';
import { modelRows } from './model-process.ts';
import { publishWarehouse, writeFile } from './publish.ts';
import { openPublished } from './published-file.ts';
import { addColumns, carryOver, countRows, createQueryTable, dropTable, isNumbered } from './query-tables.ts';
import { accountTotals } from './totals.ts';

/** A state file has one connection, so its transactions include all that these methods do. */
export function sqliteWarehouse(state: StateFile): Warehouse {
  return {
    createTable: async (_, shape) => createQueryTable(state, shape),
    addColumns: async (_, before, after) => addColumns(state, before, after),
    carryOver: async (_, before, after) => carryOver(state, before, after),
    dropTable: async (_, name) => dropTable(state, name),
    isNumbered: async (_, name) => isNumbered(state, name),
    countRows: async (name) => countRows(state, name),
    loading: (target, work) => state.db.transaction().execute((trx) => work(trx, beginLoad(state, target))),
    members: async (table, customer, demand) => aggregateMembers(state, table, customer, demand),
    dayMembers: async (table, customer, demand, days) => dayMembers(state, table, customer, demand, days),
    totals: (table, customers, days) => accountTotals(state, table, customers, days),
    modelRows: (limits) => modelRows(state.path, limits),
    publish: (publication) => publishWarehouse(state, publication),
    writeFile: (publication) => writeFile(state, publication),
    openPublished,
    unpublished: (path) => ({ what: basename(path), left: leftAsItWas(path) }),
  };
}
