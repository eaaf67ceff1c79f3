import { describe, expect, it } from 'vitest';
import { renderReportJson } from '../../../src/views/report/render-json.ts';
import { account, result, slice } from './results.ts';

describe('the report as JSON', () => {
  it('names the command, and keeps every slice with its outcome', () => {
    const slices = [
      slice(1, '2026-01-01', '2026-01-31', { rows: 2n ** 62n }),
      slice(1, '2026-02-01', '2026-02-28', { rows: 0n, failure: 'No.' }),
      slice(2, '2026-01-01', '2026-01-31', { rows: 0n, left: 'the account was skipped for the rest of this run' }),
    ];
    const told = JSON.parse(renderReportJson(result({ accounts: [account(1)], slices, failures: ['No.'] })));
    expect(told.run).toMatchObject({ id: 7, command: 'extract', exit_code: 1 });
    expect(told.slices).toMatchObject([
      {
        customer_id: '1000000001',
        days: { from: '2026-01-01' },
        rows: '4611686018427387904',
        failure: null,
        left: null,
      },
      { rows: 0, failure: 'No.', left: null },
      { customer_id: '1000000002', failure: null, left: 'the account was skipped for the rest of this run' },
    ]);
  });

  it('keeps all accounts, however many', () => {
    const slices = Array.from({ length: 2000 }, (_, index) => slice(index, '2026-01-01', '2026-01-31'));
    expect(JSON.parse(renderReportJson(result({ slices }))).slices).toHaveLength(2000);
  });
});
