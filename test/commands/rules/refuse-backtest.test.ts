import { expect, it } from 'vitest';
import { refuseToday } from '../../../src/commands/rules/run-backtest.ts';
import { type RuleText, ruleOf } from '../../rules/rule-fixtures.ts';

const ALERT: RuleText = { from: 'so_far', change: undefined, alert: "{ severity: info, text: 'x' }" };

it.each<[string, RuleText]>([
  ['in a condition', { when: 'clicks on today > 3' }],
  ['as its own days', { over: 'today', when: 'clicks > 3' }],
  ['in its words only', { when: 'clicks > 3', alert: "{ severity: info, text: '{clicks on today}' }" }],
])('a rule that reads today cannot be tried on past days, wherever it names it: %s', (_, changes) => {
  expect(() => refuseToday(ruleOf({ ...ALERT, ...changes }))).toThrow('in its own morning is not on record');
});

it('a rule that reads complete days can', () => {
  expect(() => refuseToday(ruleOf())).not.toThrow();
});
