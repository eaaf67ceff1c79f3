import { describe, expect, it } from 'vitest';
import { filterForm, filterQuery, isInRange, readFilter } from '../../../src/dashboard/status/page-filter.ts';

const read = (query: string) => readFilter(new URLSearchParams(query));

describe('the filter of a page', () => {
  it('reads dates and ids from the address, and writes the same address', () => {
    const query = '?from=2026-11-01&to=2026-11-30&customer=123,456&campaign=789';
    const filter = read(query);
    expect(filter).toEqual({
      from: '2026-11-01',
      to: '2026-11-30',
      customers: ['123', '456'],
      campaigns: ['789'],
      ignored: [],
      notes: [],
    });
    expect(filterQuery(filter)).toBe(query);
    expect(filterQuery(read('customer=123&customer=1-2-3%20456'))).toBe('?customer=123,456');
    expect(filterQuery(read(''))).toBe('');
  });

  it.each([
    ['a date that does not exist', 'from=2026-02-30', ['2026-02-30']],
    ['markup as an account', 'customer=<script>', ['<script>']],
    ['an id with too many digits', `campaign=${'9'.repeat(30)}`, ['9'.repeat(30)]],
  ])('ignores %s, and says so', (_what, query, ignored) => {
    const filter = read(query);
    expect([filter.ignored, filterQuery(filter)]).toEqual([ignored, '']);
    const { markup } = filterForm({ path: '/budgets', filter, fields: ['days', 'customer', 'campaign'], accounts: [] });
    expect(markup).toContain('role="alert"');
    expect(markup).not.toContain('<script>');
  });

  it('takes days in the wrong order as meant, and says so', () => {
    const filter = read('from=2026-11-30&to=2026-11-01');
    expect([filter.from, filter.to, filter.ignored]).toEqual(['2026-11-01', '2026-11-30', []]);
    const { markup } = filterForm({ path: '/budgets', filter, fields: ['days'], accounts: [] });
    expect(markup).toContain('The days were in the wrong order. Shown: 2026-11-01 to 2026-11-30.');
  });

  it.each([
    ['compare=year', { kind: 'year' }, '?compare=year'],
    ['compare=none', { kind: 'none' }, '?compare=none'],
    ['compare=previous&compare_from=2026-01-01', { kind: 'previous' }, '?compare=previous'],
    ['compare=', undefined, ''],
    [
      'compare=range&compare_from=2026-10-01&compare_to=2026-10-07',
      { kind: 'range', range: { from: '2026-10-01', to: '2026-10-07' } },
      '?compare_from=2026-10-01&compare_to=2026-10-07',
    ],
  ])('reads the comparison of %s, and writes it shortly', (query, comparison, written) => {
    const filter = read(query);
    expect([filter.comparison, filter.ignored, filter.notes]).toEqual([comparison, [], []]);
    expect(filterQuery(filter)).toBe(written);
    expect(read(written).comparison).toEqual(comparison);
  });

  it.each([
    ['an unknown comparison', 'compare=week', ['week'], 0],
    ['a day that does not exist', 'compare_from=2026-02-30&compare_to=2026-03-01', ['2026-02-30'], 1],
    ['one day', 'compare=range&compare_to=2026-03-01', [], 1],
  ])('compares with nothing else for %s, and says so', (_what, query, ignored, notes) => {
    const filter = read(query);
    expect([filter.comparison, filter.ignored, filterQuery(filter)]).toEqual([undefined, ignored, '']);
    expect(filter.notes).toHaveLength(Number(notes));
  });

  it('takes compared days in the wrong order as meant, and says so', () => {
    const { comparison, notes } = read('compare_from=2026-10-07&compare_to=2026-10-01');
    expect(comparison).toEqual({ kind: 'range', range: { from: '2026-10-01', to: '2026-10-07' } });
    expect(notes).toEqual(['The compared days were in the wrong order. Shown: 2026-10-01 to 2026-10-07.']);
  });

  it('takes other words than ids as a part of campaigns’ names', () => {
    expect(read('campaign=Trail Running, 2026')).toMatchObject({ campaigns: [], campaignName: 'Trail Running, 2026' });
    expect(read('campaign=12-34, 56')).toMatchObject({ campaigns: ['1234', '56'], ignored: [] });
  });

  it('includes both ends of the range', () => {
    const filter = read('from=2026-11-01&to=2026-11-30');
    const at = ['2026-10-31T23:59:59Z', '2026-11-01T00:00:00Z', '2026-11-30T23:59:59Z', '2026-12-01'];
    expect(at.map((one) => isInRange(filter, one))).toEqual([false, true, true, false]);
  });
});
