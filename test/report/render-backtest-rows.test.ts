import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { addDays, civilDate } from '../../src/domain/civil-date.ts';
import { budgetId, campaignId, customerId } from '../../src/domain/ids.ts';
import { type AccountRow, rowsText } from '../../src/report/render-backtest-rows.ts';
import type { TrialRow } from '../../src/trial/backtest-tally.ts';
import { money } from '../rules/rule-fixtures.ts';

const FIRST = civilDate('2026-10-01');
const REASON = `clicks (113) >= 30 AND cost / clicks (3.66) > 2.50, ${'a reason that has no room beside the amounts; '.repeat(3)}end.`;

function rowOf(place: number, more: Partial<Extract<TrialRow, { kind: 'change' }>> = {}): AccountRow {
  const subject = {
    ...{ kind: 'campaign' as const, customerId: customerId('4081725530'), label: 'Schlafsäcke (campaign 21)' },
    ...{ campaignId: campaignId('21'), campaignName: 'Schlafsäcke', budgetId: budgetId('71') },
    ...{ adGroupId: undefined, criterionId: undefined },
  };
  const row: TrialRow = {
    ...{ kind: 'change', day: addDays(FIRST, place), subject, budgetId: budgetId('71') },
    ...{ from: money('60'), to: money('51'), limitedBy: undefined, reason: REASON },
    ...more,
  };
  return { customerId: subject.customerId, currency: 'EUR', row };
}

const rowsAt = (width: number, rows: readonly AccountRow[]) =>
  rowsText(rows, undefined, { width, bold: (text) => text }).split('\n');

describe('the rows of a back-test', () => {
  it.each([80, 140])('have the whole reason below them where it has no room at %i columns', (width) => {
    const [titles, row, ...reason] = rowsAt(width, [rowOf(0)]);
    expect(titles).toMatch(/^Day +Subject +Budget$/);
    expect(row).toMatch(/^2026-10-01 +Schlafsäcke \(campaign 21\) +60\.00 to 51\.00 EUR$/);
    expect(reason.map((line) => line.trim()).join(' ')).toBe(REASON);
    expect(reason.filter((line) => stringWidth(line) > width)).toEqual([]);
  });

  it('have the reason beside them where all of them fit', () => {
    const lines = rowsAt(80, [rowOf(0, { reason: 'as it is' }), rowOf(1, { reason: 'so it is' })]);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/Why$/);
    expect(lines[2]).toMatch(/so it is$/);
  });

  it('have reasons for the first ten only, and say where the others are', () => {
    const lines = rowsAt(
      80,
      Array.from({ length: 12 }, (_, place) => rowOf(place)),
    );
    expect(lines.filter((line) => line.startsWith('2026-'))).toHaveLength(12);
    expect(lines.filter((line) => line.includes('clicks (113)'))).toHaveLength(10);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^2026-10-12 /),
      'The words of the other 2 rows are in --format json.',
    ]);
  });

  it('name what held a change where something did', () => {
    const [titles, free, , , , held] = rowsAt(80, [rowOf(0), rowOf(1, { limitedBy: 'drift' })]);
    expect(titles).toMatch(/Held by$/);
    expect(free).toMatch(/EUR$/);
    expect(held).toMatch(/EUR +drift$/);
  });
});
