import { describe, expect, it } from 'vitest';
import { missedNotes, sliceFailures } from '../../../src/views/report/describe-results.ts';
import { reading, target } from './pacing-targets.ts';
import { slice } from './results.ts';

const refused = (request: string) => ({
  rows: 0n,
  failure: `No. (request ${request}) Check the credentials.`,
  alike: 'No. Check the credentials.',
});
const WAIT = { rows: 0n, left: 'the service asks for a pause of 60 minutes (RESOURCE_EXHAUSTED)' };

describe('the notes on targets that will be missed', () => {
  const missed = target({ reading: reading({ shortfall: { amount: 1_250_000_000n, reason: 'unused' } }) });

  it('name the rule, the subject, the amount and the reason', () => {
    expect(missedNotes([target(), missed])).toEqual([
      'month-pacing, Shoes (campaign 21): will miss the target by 1,250.00 EUR: recent costs are below the budgets.',
    ]);
  });

  it('are at most ten, and one that counts the others', () => {
    const notes = missedNotes(Array.from({ length: 12 }, () => missed));
    expect([notes.length, notes.at(-1)]).toEqual([
      11,
      '2 more targets will be missed. Run pacekeeper pacing to see all.',
    ]);
  });
});

describe('the description of unread data', () => {
  it('has one sentence per query and account, whatever the number of slices and request ids', () => {
    const slices = [
      slice(1, '2026-01-01', '2026-01-31', refused('A')),
      slice(1, '2026-02-01', '2026-02-28', refused('B')),
      slice(2, '2026-01-01', '2026-01-31', refused('C')),
    ];
    expect(sliceFailures(slices)).toEqual([
      'keyword_stats of account 1000000001 was not read and is unchanged (2026-01-01 to 2026-02-28): No. (request A) Check the credentials.',
      'keyword_stats of account 1000000002 was not read and is unchanged (2026-01-01 to 2026-01-31): No. (request C) Check the credentials.',
    ]);
  });

  it('is one sentence that names all accounts if many fail for one reason', () => {
    const slices = [1, 2, 3, 4].map((number) => slice(number, '2026-01-01', '2026-01-31', refused(String(number))));
    expect(sliceFailures(slices)).toEqual([
      'keyword_stats of 4 accounts (1000000001, 1000000002, 1000000003, 1000000004) was not read and is unchanged: No. (request 1) Check the credentials.',
    ]);
  });

  it('counts in one sentence the slices left for the next run', () => {
    const slices = [slice(1, '2026-01-01', '2026-01-31', WAIT), slice(1, '2026-02-01', '2026-02-28', WAIT)];
    expect(sliceFailures([...slices, slice(2, '2026-01-01', '2026-01-31', WAIT)])).toEqual([
      '3 parts of accounts 1000000001, 1000000002 were left for the next run: the service asks for a pause of 60 minutes (RESOURCE_EXHAUSTED).',
    ]);
  });
});
