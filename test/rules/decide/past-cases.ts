import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { CasesOf } from './guard-case.ts';
import { no, past } from './guard-fixtures.ts';

/** What the budget has been through. Today is 2026-11-20. */
export const PAST_CASES: CasesOf<'REJECTED' | 'FOREIGN_CHANGE' | 'COOLDOWN'> = {
  REJECTED: [
    {
      name: 'a person said no today',
      budget: { rejected: no('2026-11-20') },
      reason: '40.00 EUR to 34.00 EUR was rejected by anna on 2026-11-20 (6EGK). Rules may ask again from 2026-11-21.',
    },
    {
      name: 'also for another rule, which requests for more',
      request: { rule: 'raise', change: 'increase budget by 10%' },
      budget: { rejected: no('2026-11-20') },
      reason: '40.00 EUR to 34.00 EUR was rejected by anna on 2026-11-20 (6EGK). Rules may ask again from 2026-11-21.',
    },
    {
      name: 'as long as the cooldown of the rule that asks',
      request: { limits: { cooldown: 3 } },
      budget: { rejected: no('2026-11-18') },
      reason:
        '40.00 EUR to 34.00 EUR was rejected by anna on 2026-11-18 (6EGK). Rules may ask again from 2026-11-21, after the cooldown of 3 days.',
    },
    {
      name: 'it is named before what somebody else changed',
      budget: { rejected: no('2026-11-20'), changes: [past('2026-11-20', 'foreign', '30', '40')] },
      reason: '40.00 EUR to 34.00 EUR was rejected by anna on 2026-11-20 (6EGK). Rules may ask again from 2026-11-21.',
    },
  ],
  FOREIGN_CHANGE: [
    {
      name: 'somebody changed it today',
      budget: { changes: [past('2026-11-20', 'foreign', '30', '40')] },
      reason: 'Budget 71 was changed elsewhere from 30.00 EUR to 40.00 EUR, seen today: rules wait until 2026-11-21.',
    },
    {
      name: 'it weighs more than the cooldown',
      request: { limits: { cooldown: 3 } },
      budget: { changes: [past('2026-11-19', 'rule', '50', '30'), past('2026-11-20', 'foreign', '30', '40')] },
      reason: 'Budget 71 was changed elsewhere from 30.00 EUR to 40.00 EUR, seen today: rules wait until 2026-11-21.',
    },
    {
      name: 'several times today, of which the newest is named',
      budget: { changes: [past('2026-11-20', 'foreign', '30', '35'), past('2026-11-20', 'foreign', '35', '40')] },
      reason: 'Budget 71 was changed elsewhere from 35.00 EUR to 40.00 EUR, seen today: rules wait until 2026-11-21.',
    },
    {
      name: 'also when a person has undone something since',
      budget: { changes: [past('2026-11-20', 'foreign', '30', '35'), past('2026-11-20', 'undo', '35', '40')] },
      reason: 'Budget 71 was changed elsewhere from 30.00 EUR to 35.00 EUR, seen today: rules wait until 2026-11-21.',
    },
  ],
  COOLDOWN: [
    {
      name: 'a day before its end',
      request: { limits: { cooldown: 3 } },
      budget: { changes: [past('2026-11-18', 'rule', '50', '40')] },
      reason: 'Budget 71 was changed by a rule on 2026-11-18: the cooldown of 3 days lasts until 2026-11-21.',
    },
    {
      name: 'of the newest change alone',
      request: { limits: { cooldown: 2 } },
      budget: { changes: [past('2026-11-10', 'rule', '60', '50'), past('2026-11-19', 'rule', '50', '40')] },
      reason: 'Budget 71 was changed by a rule on 2026-11-19: the cooldown of 2 days lasts until 2026-11-21.',
    },
    {
      name: 'after a change by somebody else yesterday',
      request: { limits: { cooldown: 2 } },
      budget: { changes: [past('2026-11-19', 'foreign', '50', '40')] },
      reason: 'Budget 71 was changed elsewhere on 2026-11-19: the cooldown of 2 days lasts until 2026-11-21.',
    },
    {
      name: 'after an undo',
      request: { limits: { cooldown: 30 } },
      budget: { changes: [past('2026-11-18', 'rule', '40', '34'), past('2026-11-19', 'undo', '34', '40')] },
      reason: 'Budget 71 was changed by an undo on 2026-11-19: the cooldown of 30 days lasts until 2026-12-19.',
    },
    {
      name: 'after an undo of today, whatever the rule says',
      budget: { changes: [past('2026-11-19', 'rule', '40', '34'), past('2026-11-20', 'undo', '34', '40')] },
      reason: 'Budget 71 was changed by an undo on 2026-11-20: rules wait until 2026-11-21.',
    },
    {
      name: 'of one day, after an undo of today',
      request: { limits: { cooldown: 1 } },
      budget: { changes: [past('2026-11-20', 'undo', '34', '40')] },
      reason: 'Budget 71 was changed by an undo on 2026-11-20: the cooldown of 1 day lasts until 2026-11-21.',
    },
    {
      name: 'over the end of February in a leap year',
      request: { limits: { cooldown: 3 } },
      account: { today: civilDate('2028-03-01') },
      budget: { changes: [past('2028-02-28', 'rule', '50', '40')] },
      reason: 'Budget 71 was changed by a rule on 2028-02-28: the cooldown of 3 days lasts until 2028-03-02.',
    },
    {
      name: "after a change on a day that the account's time zone has not reached any more",
      request: { limits: { cooldown: 1 } },
      budget: { changes: [past('2026-11-21', 'rule', '50', '40')] },
      reason: 'Budget 71 was changed by a rule on 2026-11-21: the cooldown of 1 day lasts until 2026-11-22.',
    },
  ],
};
