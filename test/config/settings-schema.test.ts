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
  it('refuses each mistake with one finding, also parentheses in a customer id (B8)', () => {
    const sources = [
      'adds: {}',
      'ads: { urll: x }',
      'ads: { retry: { tries: 3 } }',
      'accounts: { 12: { zone: UTC } }',
      'target: production',
      'automation: { mode: auto }',
      'ads: { retry: { attempts: 0 } }',
      'messages: { retry: { total_ms: -1 } }',
      'sandbox: { port: 65536 }',
      'sandbox: { strict: maybe }',
      'accounts: { (123)456: {} }',
      'ads: { customer_ids: (123) 456 }',
      'accounts: { 12: { currency: EUT } }',
      'accounts: { 12: { locale: "de_DE" } }',
      'accounts: { 12: { time_zone: Berlin } }',
      'budgets: { 12: { x: { amount: 5, campaigns: 1 } } }',
      'budgets: { 12: { 7: { amount: 5 } } }',
      'budgets: { 12: { 7: { amount: 0, campaigns: 1 } } }',
      "ads: { access_token: '' }",
      'extract: { concurrency: 0 }',
      'extract: { day_closes_at: 24:00 }',
      'extract: { settle_days: { keyword_stats: 91 } }',
      'extract: { settle_days: { Keyword-Stats: 1 } }',
      'ads: { access: 0 }',
      'ads: { access: explore }',
      'extract: { operations_per_day: 15000 }',
      'ads: a',
      'params: { today: x }',
      'params: { Foo-Bar: x }',
      'params:\n  names:\n',
      "params: { names: ' ' }",
      'params: { names: { a: b } }',
    ];
    expect(sources.map((source) => findingsOf(source).join(' … ')).join('\n')).toMatchInlineSnapshot(`
      "UNKNOWN_KEY 1:1-1:5 Unknown setting "adds". Did you mean ads?
      UNKNOWN_KEY 1:8-1:12 Unknown setting "urll". Did you mean url?
      UNKNOWN_KEY 1:17-1:22 Unknown setting. Settings here are attempts, first_delay_ms, total_ms.
      UNKNOWN_KEY 1:19-1:23 Unknown setting "zone". Did you mean time_zone?
      BAD_VALUE 1:9-1:19 Found "production" for "target", expected one of sandbox, live.
      BAD_VALUE 1:21-1:25 Found "auto" for "automation.mode", expected one of propose, approve, apply.
      BAD_VALUE 1:27-1:28 Found "0" for "ads.retry.attempts", expected a whole number from 1 to 20.
      BAD_VALUE 1:32-1:34 Found "-1" for "messages.retry.total_ms", expected a whole number from 0 to 86400000.
      BAD_VALUE 1:18-1:23 Found "65536" for "sandbox.port", expected a whole number from 0 to 65535.
      BAD_VALUE 1:20-1:25 Found "maybe" for "sandbox.strict", expected true or false.
      BAD_KEY 1:13-1:21 Found the key "(123)456" in "accounts", expected a customer id: digits, dashes allowed, no parentheses.
      BAD_VALUE 1:22-1:31 Found "(123) 456" for "ads.customer_ids", expected a customer id: digits, dashes allowed, no parentheses.
      BAD_VALUE 1:29-1:32 Found "EUT" for "accounts.12.currency", expected a currency code such as EUR.
      BAD_VALUE 1:27-1:34 Found "de_DE" for "accounts.12.locale", expected a language tag such as de-DE.
      BAD_VALUE 1:30-1:36 Found "Berlin" for "accounts.12.time_zone", expected a time zone such as Europe/Berlin.
      BAD_KEY 1:18-1:19 Found a key in "budgets.12", expected an id of digits only.
      MISSING_KEY 1:21-1:34 "budgets.12.7.campaigns" is missing, expected a list.
      BAD_VALUE 1:31-1:32 Found "0" for "budgets.12.7.amount", expected an amount from 0.000001 to 9223372036854.775807, such as 12.50.
      BAD_VALUE 1:22-1:24 Found "" for "ads.access_token", expected an OAuth 2.0 access token, without spaces or quotes.
      BAD_VALUE 1:25-1:26 Found "0" for "extract.concurrency", expected a whole number from 1 to 64.
      BAD_VALUE 1:27-1:32 Found "24:00" for "extract.day_closes_at", expected a time of day such as 03:00.
      BAD_VALUE 1:42-1:44 Found "91" for "extract.settle_days.keyword_stats", expected a whole number from 0 to 90.
      BAD_KEY 1:27-1:40 Found a key in "extract.settle_days", expected the name of a query such as keyword_stats.
      BAD_VALUE 1:16-1:17 Found "0" for "ads.access", expected a whole number from 1 to 1000000000.
      BAD_VALUE 1:16-1:23 Found "explore" for "ads.access", expected one of explorer, basic, standard. Did you mean explorer?
      UNKNOWN_KEY 1:12-1:30 Unknown setting "operations_per_day". Write the number as ads.access: 15000 instead.
      BAD_VALUE 1:6-1:7 Found text for "ads", expected a group of settings.
      BAD_KEY 1:11-1:16 Found the key "today" in "params", expected a name that is not a calendar day.
      BAD_KEY 1:11-1:18 Found the key "Foo-Bar" in "params", expected letters, digits and underscores, as in :campaigns.
      BAD_VALUE 2:9-2:9 Found "" for "params.names", expected a text, a number or a date, neither empty nor null.
      BAD_VALUE 1:18-1:21 Found " " for "params.names", expected a text, a number or a date, neither empty nor null.
      BAD_VALUE 1:18-1:26 Found a group of settings for "params.names", expected a text, a number or a date."
    `);
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
