import { expect, it } from 'vitest';
import { refuseToday } from '../../../src/engine/trial/backtest.ts';
import { type RuleText, ruleOf } from '../../rules/rule-fixtures.ts';

const ALERT: RuleText = { from: 'so_far', change: undefined, alert: "{ severity: info, text: 'x' }" };

it.each<[string, RuleText]>([
  ['in a condition', { when: 'clicks on today > 3' }],
  ['as its period', { over: 'today', when: 'clicks > 3' }],
  ['by its hours', { from: 'hours', when: 'clicks on yesterday until now > 3' }],
  ['in its alert text only', { when: 'clicks > 3', alert: "{ severity: info, text: '{clicks on today}' }" }],
])('refuses a backtest of a rule that reads today: %s', (_, changes) => {
  expect(() => refuseToday(ruleOf({ ...ALERT, ...changes }))).toThrow(
    "it uses today's numbers. pacekeeper does not record past numbers of an unfinished day.",
  );
});

it('accepts a backtest of a rule that reads complete days', () => {
  expect(() => refuseToday(ruleOf())).not.toThrow();
});
