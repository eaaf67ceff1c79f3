import { describe, expect, it } from 'vitest';
import { type AlertSubject, matchesName, type SilenceScope, silenceMatches } from '../../src/alerts/silence-matches.ts';
import { customerId } from '../../src/domain/ids.ts';

const EUR = customerId('4081725530');
const OTHER = customerId('1234567890');
const ANY: SilenceScope = { customerId: undefined, rule: undefined, severity: undefined };
const ALERT: AlertSubject = { customerId: EUR, rule: 'trim', severity: 'warning' };

describe('a silence', () => {
  it.each<[sentence: string, scope: Partial<SilenceScope>, alert: Partial<AlertSubject>, silenced: boolean]>([
    ['of everything silences every alert', {}, {}, true],
    ['of everything silences alerts without account and rule', {}, { customerId: undefined, rule: undefined }, true],
    ['of an account silences its alerts', { customerId: EUR }, {}, true],
    ['of an account does not silence another account', { customerId: OTHER }, {}, false],
    ['of an account does not silence alerts without account', { customerId: EUR }, { customerId: undefined }, false],
    ['of a rule silences its alerts', { rule: 'trim' }, {}, true],
    ['of a rule does not silence a rule whose name only begins the same', { rule: 'tri' }, {}, false],
    ['of a rule does not silence alerts without rule', { rule: 'trim' }, { rule: undefined }, false],
    ['of a pattern silences every matching rule', { rule: 't*m' }, {}, true],
    ['of a severity silences it', { severity: 'warning' }, {}, true],
    ['of a severity does not silence a worse one', { severity: 'warning' }, { severity: 'critical' }, false],
    ['of a severity does not silence a milder one', { severity: 'warning' }, { severity: 'info' }, false],
    [
      'of several parts silences alerts that match all of them',
      { customerId: EUR, rule: 'trim', severity: 'warning' },
      {},
      true,
    ],
    [
      'of several parts does not silence alerts that miss one',
      { customerId: EUR, rule: 'trim', severity: 'info' },
      {},
      false,
    ],
  ])('%s', (_sentence, scope, alert, silenced) => {
    expect(silenceMatches({ ...ANY, ...scope }, { ...ALERT, ...alert })).toBe(silenced);
  });
});

describe('a name pattern', () => {
  it.each<[sentence: string, pattern: string, name: string | undefined, matches: boolean]>([
    ['without a star matches the name itself', 'trim', 'trim', true],
    ['without a star matches no other name', 'trim', 'trim2', false],
    ['of one star matches every name', '*', 'trim', true],
    ['of one star does not match a missing name', '*', undefined, false],
    ['with a star at the end matches any ending', 'stopped-*', 'stopped-spending', true],
    ['with a star at the end matches an empty ending', 'stopped-*', 'stopped-', true],
    ['with a star at the end requires its beginning', 'stopped-*', 'trim-stopped-', false],
    ['with a star at the start matches any beginning', '*-spending', 'stopped-spending', true],
    ['with stars inside matches anything between', 's*p*g', 'stopped-spending', true],
    ['requires its parts in order', '*b*a*', 'ab', false],
    ['does not use a letter twice', 'aba*aba', 'aba', false],
    ['has no other wildcards', 'tr.m', 'trim', false],
    ['with many stars is decided quickly', `${'a*'.repeat(200)}b`, 'a'.repeat(5000), false],
  ])('%s', (_sentence, pattern, name, matches) => {
    expect(matchesName(pattern, name)).toBe(matches);
  });
});
