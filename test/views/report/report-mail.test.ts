import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { AccountFacts } from '../../../src/views/report/report-facts.ts';
import { type MailOrder, reportMail } from '../../../src/views/report/report-mail.ts';
import { account, HOSTILE, NOTHING, settledDays } from '../../pages/report/report-facts.ts';

const ORDER: MailOrder = {
  period: { from: civilDate('2026-11-16'), to: civilDate('2026-11-20') },
  missing: [],
};
const mail = (accounts: readonly AccountFacts[], order: Partial<MailOrder> = {}) =>
  reportMail({ ...NOTHING, accounts }, { ...ORDER, ...order });

/** An account that costs so much a day in the period, and before it. */
const costing = (id: string, currency: string | undefined, now: number, before = now): AccountFacts =>
  account({
    customerId: customerId(id),
    name: id,
    currency,
    days: settledDays('2026-10-01', '2026-11-20', (date) => (date < '2026-11-16' ? before : now)),
  });

const findingOf = (accounts: readonly AccountFacts[]) => mail(accounts).text.split('\n')[0];

describe('the figures of a mailed report', () => {
  it.each([
    [undefined, '+150%'],
    ['de-DE', '+150'],
  ])('rise from a credit to a cost, also in the words of %s', (locale, expected) => {
    expect(mail([costing('1111111111', 'EUR', 10, -20)], { locale }).text).toContain(`Change ${expected}`);
  });

  it('of accounts without a currency are not summed, and none stands for all of them', () => {
    expect(findingOf([costing('1111111111', undefined, 10), costing('2222222222', undefined, 90)])).toBe(
      '2 accounts, 2026-11-16 to 2026-11-20: no sum, because currencies are unknown.',
    );
    expect(findingOf([costing('1111111111', undefined, 10)])).toMatch(/: 50\.00 spent/);
  });

  it('name the currencies that the finding leaves out', () => {
    const accounts = ['EUR', 'GBP', 'USD', 'CHF', 'JPY'].map((currency, at) => costing(`111111111${at}`, currency, 10));
    expect(findingOf(accounts)).toMatch(/50\.00 USD spent \(0%\) and more in other currencies\.$/);
  });
});

it('a mailed report shows hostile names as text, and no program runs them', () => {
  const names = [...HOSTILE, '=cmd|calc', 'x'.repeat(300), 'Hi {period} $& $1'];
  const accounts = names.map((name, at) => account({ name, customerId: customerId(`11111111${10 + at}`) }));
  const made = mail(accounts, { csv: true, subject: 'Of {period}, {period} $&', greeting: '<b>Hi</b>' });
  expect(made.mail.subject).toBe('Of 2026-11-16 to 2026-11-20, 2026-11-16 to 2026-11-20 $&');
  expect(made.mail.html).not.toMatch(/<script|<img|<b>|\u202e/);
  expect(made.text).not.toMatch(/\u202e|x{200}/);
  expect(made.mail.csv?.text).toContain(`"'=cmd|calc"`);
  const [head = '', first = ''] = made.mail.csv?.text.split('\r\n') ?? [];
  // Each column of the head has figures.
  expect(head.split(',')).toHaveLength(9);
  expect(first).not.toBe('');
});

it('a mailed report shows each month under its name', () => {
  const late = account({
    customerId: customerId('2222222222'),
    name: 'Late',
    days: settledDays('2026-10-01', '2026-10-31', () => 10),
  });
  const { text } = mail([costing('1111111111', 'EUR', 10), late]);
  expect(text).toMatch(
    /\nNovember 2026\n1111111111\n {2}Spent 200\.00 EUR.*\n\nOctober 2026\nLate\n {2}Spent 310\.00 EUR/,
  );
});
