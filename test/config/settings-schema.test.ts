import { describe, expect, it } from 'vitest';
import { SETTINGS_QUOTING } from '../../src/config/hide-values.ts';
import { settingsSchema } from '../../src/config/settings.ts';
import { readYaml } from '../../src/language/yaml/read-yaml.ts';
import { place } from '../gaql/findings.ts';

function findingsOf(source: string): string[] {
  const reading = readYaml(source, settingsSchema, SETTINGS_QUOTING);
  if (reading.kind === 'ok') return [];
  return reading.diagnostics.map((found) =>
    [place(found), found.message, ...(found.hint === undefined ? [] : [found.hint])].join(' '),
  );
}

describe('pacekeeper.yaml', () => {
  it.each([
    ['an unknown area', 'adds: {}', 'UNKNOWN_KEY 1:1-1:5 Unknown setting "adds". Did you mean ads?'],
    ['an unknown key of an area', 'ads: { urll: x }', 'UNKNOWN_KEY 1:8-1:12 Unknown setting "urll". Did you mean url?'],
    [
      'an unknown key of a retry',
      'ads: { retry: { tries: 3 } }',
      'UNKNOWN_KEY 1:17-1:22 Unknown setting. Settings here are attempts, first_delay_ms, total_ms.',
    ],
    [
      'an unknown key of an account',
      'accounts: { 12: { zone: UTC } }',
      'UNKNOWN_KEY 1:19-1:23 Unknown setting "zone". Did you mean time_zone?',
    ],
    [
      'another target',
      'target: production',
      'BAD_VALUE 1:9-1:19 Found "production" for "target", expected one of sandbox, live.',
    ],
    [
      'another mode',
      'automation: { mode: auto }',
      'BAD_VALUE 1:21-1:25 Found "auto" for "automation.mode", expected one of propose, approve, apply.',
    ],
    [
      'no attempt',
      'ads: { retry: { attempts: 0 } }',
      'BAD_VALUE 1:27-1:28 Found "0" for "ads.retry.attempts", expected a whole number from 1 to 20.',
    ],
    [
      'a pause below zero',
      'messages: { retry: { total_ms: -1 } }',
      'BAD_VALUE 1:32-1:34 Found "-1" for "messages.retry.total_ms", expected a whole number from 0 to 86400000.',
    ],
    [
      'a port beyond the last',
      'sandbox: { port: 65536 }',
      'BAD_VALUE 1:18-1:23 Found "65536" for "sandbox.port", expected a whole number from 0 to 65535.',
    ],
    [
      'an invalid switch',
      'sandbox: { strict: maybe }',
      'BAD_VALUE 1:20-1:25 Found "maybe" for "sandbox.strict", expected true or false.',
    ],
    [
      'B8: an account in parentheses',
      'accounts: { (123)456: {} }',
      'BAD_KEY 1:13-1:21 Found the key "(123)456" in "accounts", expected a customer id: digits, dashes allowed, no parentheses.',
    ],
    [
      'B8: one account to read in parentheses',
      'ads: { customer_ids: (123) 456 }',
      'BAD_VALUE 1:22-1:31 Found "(123) 456" for "ads.customer_ids", expected a customer id: digits, dashes allowed, no parentheses.',
    ],
    [
      'a currency that does not exist',
      'accounts: { 12: { currency: EUT } }',
      'BAD_VALUE 1:29-1:32 Found "EUT" for "accounts.12.currency", expected a currency code such as EUR.',
    ],
    [
      'an invalid language tag',
      'accounts: { 12: { locale: "de_DE" } }',
      'BAD_VALUE 1:27-1:34 Found "de_DE" for "accounts.12.locale", expected a language tag such as de-DE.',
    ],
    [
      'a time zone that does not exist',
      'accounts: { 12: { time_zone: Berlin } }',
      'BAD_VALUE 1:30-1:36 Found "Berlin" for "accounts.12.time_zone", expected a time zone such as Europe/Berlin.',
    ],
    [
      'a budget id of letters',
      'budgets: { 12: { x: { amount: 5, campaigns: 1 } } }',
      'BAD_KEY 1:18-1:19 Found a key in "budgets.12", expected an id of digits only.',
    ],
    [
      'a budget without campaigns',
      'budgets: { 12: { 7: { amount: 5 } } }',
      'MISSING_KEY 1:21-1:34 "budgets.12.7.campaigns" is missing, expected a list.',
    ],
    [
      'a budget of zero',
      'budgets: { 12: { 7: { amount: 0, campaigns: 1 } } }',
      'BAD_VALUE 1:31-1:32 Found "0" for "budgets.12.7.amount", expected an amount from 0.000001 to 9223372036854.775807, such as 12.50.',
    ],
    [
      'a blank secret',
      "ads: { access_token: '' }",
      'BAD_VALUE 1:22-1:24 Found "" for "ads.access_token", expected an OAuth 2.0 access token, without spaces or quotes.',
    ],
    [
      'no concurrent account',
      'extract: { concurrency: 0 }',
      'BAD_VALUE 1:25-1:26 Found "0" for "extract.concurrency", expected a whole number from 1 to 64.',
    ],
    [
      'a day that ends at an invalid time',
      'extract: { day_closes_at: 24:00 }',
      'BAD_VALUE 1:27-1:32 Found "24:00" for "extract.day_closes_at", expected a time of day such as 03:00.',
    ],
    [
      'too many days until complete',
      'extract: { settle_days: { keyword_stats: 91 } }',
      'BAD_VALUE 1:42-1:44 Found "91" for "extract.settle_days.keyword_stats", expected a whole number from 0 to 90.',
    ],
    [
      'days of an invalid query name',
      'extract: { settle_days: { Keyword-Stats: 1 } }',
      'BAD_KEY 1:27-1:40 Found a key in "extract.settle_days", expected the name of a query such as keyword_stats.',
    ],
    [
      'no operations per day',
      'ads: { access: 0 }',
      'BAD_VALUE 1:16-1:17 Found "0" for "ads.access", expected a whole number from 1 to 1000000000.',
    ],
    [
      'an unknown access level',
      'ads: { access: explore }',
      'BAD_VALUE 1:16-1:23 Found "explore" for "ads.access", expected one of explorer, basic, standard. Did you mean explorer?',
    ],
    [
      'the earlier name of ads.access',
      'extract: { operations_per_day: 15000 }',
      'UNKNOWN_KEY 1:12-1:30 Unknown setting "operations_per_day". Write the number as ads.access: 15000 instead.',
    ],
    ['text for an area', 'ads: a', 'BAD_VALUE 1:6-1:7 Found text for "ads", expected a group of settings.'],
    [
      'a parameter named like a calendar day',
      'params: { today: x }',
      'BAD_KEY 1:11-1:16 Found the key "today" in "params", expected a name that is not a calendar day.',
    ],
    [
      'an invalid parameter name',
      'params: { Foo-Bar: x }',
      'BAD_KEY 1:11-1:18 Found the key "Foo-Bar" in "params", expected letters, digits and underscores, as in :campaigns.',
    ],
    [
      'a parameter without a value',
      'params:\n  names:\n',
      'BAD_VALUE 2:9-2:9 Found "" for "params.names", expected a text, a number or a date, neither empty nor null.',
    ],
    [
      'a blank parameter',
      "params: { names: ' ' }",
      'BAD_VALUE 1:18-1:21 Found " " for "params.names", expected a text, a number or a date, neither empty nor null.',
    ],
    [
      'a parameter of groups',
      'params: { names: { a: b } }',
      'BAD_VALUE 1:18-1:26 Found a group of settings for "params.names", expected a text, a number or a date.',
    ],
  ])('is refused with %s', (_, source, expected) => {
    expect(findingsOf(source)).toEqual([expected]);
  });

  it('refuses null among the values of a parameter', () => {
    const expected = 'for "params.names.%", expected a text, a number or a date, neither empty nor null.';
    expect(findingsOf('params: { names: [null, a, ~, NULL] }')).toEqual([
      `BAD_VALUE 1:19-1:23 Found "null" ${expected.replace('%', '0')}`,
      `BAD_VALUE 1:28-1:29 Found "~" ${expected.replace('%', '2')}`,
      `BAD_VALUE 1:31-1:35 Found "NULL" ${expected.replace('%', '3')}`,
    ]);
  });
});
