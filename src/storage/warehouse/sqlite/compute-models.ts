import type { Member } from '../../../domain/member.ts';
import type { PublishedTable } from '../publish/published-table.ts';
import { type Computation, TooManyRows } from './limited-rows.ts';
import { type MembersOrder, RowsOfRules } from './rows-of-rules.ts';
import { type TableOrder, writeModel } from './write-models.ts';

export type ModelOrder = TableOrder | MembersOrder;

export type ModelAnswer =
  | { readonly kind: 'computed'; readonly value: PublishedTable | readonly Member[] }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'too many rows' };

/** Call the result only in a process of its own. */
export function modelComputer(): (order: ModelOrder & Computation) => ModelAnswer {
  const rows = new RowsOfRules();
  return (order) => {
    try {
      return { kind: 'computed', value: order.kind === 'table' ? writeModel(order) : rows.members(order) };
    } catch (error) {
      if (error instanceof TooManyRows) return { kind: 'too many rows' };
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
    }
  };
}
