import { describe, expect, it } from 'vitest';
import type { RefusalCode } from '../../../src/rules/decision.ts';
import { type CasesOf, decide } from './guard-case.ts';
import { LIMIT_CASES } from './limit-cases.ts';
import { PAST_CASES } from './past-cases.ts';
import { STANDING_CASES } from './standing-cases.ts';
import { WISH_CASES } from './wish-cases.ts';

/** Every code has a table. The number of changes of a run is counted where the run is. */
const CASES: CasesOf<Exclude<RefusalCode, 'CHANGES_PER_RUN'>> = {
  ...STANDING_CASES,
  ...PAST_CASES,
  ...WISH_CASES,
  ...LIMIT_CASES,
};

describe.each(Object.entries(CASES))('%s', (code, cases) => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const decision = decide(each);
    const found = decision.kind === 'refused' ? [decision.code, decision.reason] : [decision.kind, decision.reason];
    expect(found).toEqual([code, each.reason]);
  });
});
