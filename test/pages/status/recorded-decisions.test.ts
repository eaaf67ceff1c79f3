import { expect, it } from 'vitest';
import { budgetId, customerId } from '../../../src/domain/ids.ts';
import type { RecordedDecision } from '../../../src/storage/records/budgets/decision-table.ts';
import { RECORDED_DECISION_COLUMNS } from '../../../src/views/recorded-decisions.ts';

it.each<[kind: RecordedDecision['kind'], link: string | undefined]>([
  ['change', '/budgets/1234567890/55'],
  ['proposal', '/budgets/1234567890/55'],
  ['refusal', undefined],
  ['would_change', undefined],
])('links a decision of kind %s to the page of its budget only if that exists', (kind, link) => {
  const [subject] = RECORDED_DECISION_COLUMNS;
  const decision = { kind, customerId: customerId('1234567890'), budgetId: budgetId('55') } as RecordedDecision;
  expect(subject?.link?.(decision)).toBe(link);
});
