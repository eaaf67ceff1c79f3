import { type Diagnostic, finding, type Span } from '../../domain/diagnostic.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Rule } from '../rules/rule.ts';
import type { Target } from './target.ts';

const START = { offset: 0, line: 1, column: 1 };
const TOP: Span = { start: START, end: START };

/**
 * Finds the accounts that another target has on the same days. With the same campaigns, each of both would lower the budgets
 * that the other raised. Two different `where` may select different campaigns: a run then shows the refused lines.
 */
export function checkOverlap(target: Target, before: ReadonlyMap<CustomerId, readonly Rule[]>): Diagnostic[] {
  return [...target.rules].flatMap(([customer, own]) => {
    const other = (before.get(customer) ?? []).find(
      (one) => onSameDays(own, one) && (own.where?.text === one.where?.text || !own.where || !one.where),
    );
    if (other === undefined) return [];
    const isSame = own.where?.text === other.where?.text;
    const campaigns = isSame ? 'the same campaigns' : 'some of the same campaigns';
    const message = `The target ${other.name} has ${campaigns} of account ${customer}, on the same days.`;
    const hint = 'A budget follows one target only. Select other campaigns with "where", or other days.';
    return [finding('BAD_VALUE', own.amountAt ?? TOP, message, hint, isSame ? 'error' : 'warning')];
  });
}

function onSameDays({ change: one }: Rule, { change: other }: Rule): boolean {
  if (one?.kind === 'reallocate' || other?.kind === 'reallocate') return true;
  if (one?.kind !== 'pace' || other?.kind !== 'pace') return false;
  const { starts: from = '', ends: to = '9' } = one.pace;
  const { starts = '', ends = '9' } = other.pace;
  return from <= ends && starts <= to;
}
