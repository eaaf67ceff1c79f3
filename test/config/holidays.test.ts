import { describe, expect, it } from 'vitest';
import { holidaysOf } from '../../src/config/of-account.ts';
import { customerId } from '../../src/domain/ids.ts';
import { failure, read } from './settings-reader.ts';

const BERLIN = customerId('1234567890');
const VIENNA = customerId('2222222222');

const holidaysIn = (config: string, account = BERLIN): string[] => [...holidaysOf(read({}, config), account)];

describe('holidays', () => {
  it.each([
    ['without the key, there are none', 'target: sandbox\n', []],
    ['a list', 'holidays: [2026-12-25, 2026-12-26]\n', ['2026-12-25', '2026-12-26']],
    ['a single day', 'holidays: 2026-12-25\n', ['2026-12-25']],
    ['a duplicate day counts once', 'holidays: [2026-12-25, "2026-12-25"]\n', ['2026-12-25']],
    [
      "an account's own stand in place of the others",
      `holidays: [2026-10-03]\naccounts: { "${BERLIN}": { holidays: [2026-10-26] } }\n`,
      ['2026-10-26'],
    ],
    ['an account may have none', `holidays: [2026-10-03]\naccounts: { "${BERLIN}": { holidays: [] } }\n`, []],
    [
      'an account without own holidays has the general ones',
      `holidays: [2026-10-03]\naccounts: { "${BERLIN}": { currency: EUR } }\n`,
      ['2026-10-03'],
    ],
  ])('%s', (_, config, expected) => {
    expect(holidaysIn(config)).toEqual(expected);
  });

  it('keeps the holidays of accounts apart', () => {
    const config = `holidays: [2026-10-03]\naccounts: { "${BERLIN}": { holidays: [2026-10-26] } }\n`;
    expect(holidaysIn(config, VIENNA)).toEqual(['2026-10-03']);
  });

  it.each([
    ['a day that does not exist', '[2026-12-25, 2026-02-30]', 24, '2026-02-30'],
    ['a date in German notation', '[25.12.2026]', 12, '25.12.2026'],
    ['a day without a year', '[12-25]', 12, '12-25'],
    ['a name', '[Christmas]', 12, 'Christmas'],
  ])('refuses %s, at its place', (_, list, column, found) => {
    const [{ diagnostics } = { diagnostics: [] }] = failure(() => read({}, `holidays: ${list}\n`)).findings;
    expect(diagnostics.map(({ span, message }) => [span.start.column, message])).toEqual([
      [column, expect.stringMatching(`^Found "${found}" for "holidays.*expected a date such as 2026-12-25\\.$`)],
    ]);
  });
});
