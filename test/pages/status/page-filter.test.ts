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
