import { describe, expect, it } from 'vitest';
import { type AlertSubject, matchesName, type SilenceScope, silenceMatches } from '../../src/alerts/silence-matches.ts';
import { customerId } from '../../src/domain/ids.ts';

const EUR = customerId('4081725530');
const OTHER = customerId('1234567890');
const ANY: SilenceScope = { customerId: undefined, rule: undefined, severity: undefined };
const ALERT: AlertSubject = { customerId: EUR, rule: 'trim', severity: 'warning' };

describe('a silence', () => {
  it.each<[sentence: string, scope: Partial<SilenceScope>, alert: Partial<AlertSubject>, silenced: boolean]>([
    ['of everything silences everything', {}, {}, true],
    ['of everything silences what is of no account and no rule', {}, { customerId: undefined, rule: undefined }, true],
    ['of an account silences its alerts', { customerId: EUR }, {}, true],
    ['of an account leaves those of another one', { customerId: OTHER }, {}, false],
    ['of an account leaves what is of none', { customerId: EUR }, { customerId: undefined }, false],
    ['of a rule silences its alerts', { rule: 'trim' }, {}, true],
    ['of a rule leaves one whose name only begins alike', { rule: 'tri' }, {}, false],
    ['of a rule leaves what is of none', { rule: 'trim' }, { rule: undefined }, false],
    ['of a pattern silences every rule of it', { rule: 't*m' }, {}, true],
    ['of a severity silences it', { severity: 'warning' }, {}, true],
    ['of a severity leaves the worse one', { severity: 'warning' }, { severity: 'critical' }, false],
    ['of a severity leaves the milder one', { severity: 'warning' }, { severity: 'info' }, false],
    ['of several parts wants all of them', { customerId: EUR, rule: 'trim', severity: 'warning' }, {}, true],
    ['of several parts leaves what lacks one', { customerId: EUR, rule: 'trim', severity: 'info' }, {}, false],
  ])('%s', (_sentence, scope, alert, silenced) => {
    expect(silenceMatches({ ...ANY, ...scope }, { ...ALERT, ...alert })).toBe(silenced);
  });
});

describe('a pattern of names', () => {
  it.each<[sentence: string, pattern: string, name: string | undefined, matches: boolean]>([
    ['without a star is the name itself', 'trim', 'trim', true],
    ['without a star is no other', 'trim', 'trim2', false],
    ['of a star is every name', '*', 'trim', true],
    ['of a star is no name that there is not', '*', undefined, false],
    ['may end in anything', 'stopped-*', 'stopped-spending', true],
    ['may end in nothing', 'stopped-*', 'stopped-', true],
    ['must begin as it says', 'stopped-*', 'trim-stopped-', false],
    ['may begin with anything', '*-spending', 'stopped-spending', true],
    ['may hold anything in between', 's*p*g', 'stopped-spending', true],
    ['wants its parts in their order', '*b*a*', 'ab', false],
    ['does not count a letter twice', 'aba*aba', 'aba', false],
    ['has no other signs', 'tr.m', 'trim', false],
    ['of many stars is decided at once', `${'a*'.repeat(200)}b`, 'a'.repeat(5000), false],
  ])('%s', (_sentence, pattern, name, matches) => {
    expect(matchesName(pattern, name)).toBe(matches);
  });
});
