import { budgetId, campaignId, customerId } from '../../domain/ids.ts';
import {
  amount,
  calendarDay,
  currencyCode,
  customerIdText,
  digits,
  localeName,
  oneOrMany,
  timeZone,
} from '../../yaml/scalars.ts';
import { each, group, section, setting } from './declare.ts';
import { SHOWN_ID } from './forms.ts';

const byCustomer = { key: customerIdText.transform(customerId), shown: SHOWN_ID };

const days = () => oneOrMany(calendarDay).transform((found) => new Set(found));

export const ACCOUNTS = section(
  'What the service does not say',
  { isOfAreas: false },
  {
    accounts: each(
      '<customer_id>',
      byCustomer,
      group({
        currency: setting(currencyCode, "The account's currency, where the interface does not say"),
        time_zone: setting(timeZone, 'Its time zone; without one its days are not known and rules leave it alone'),
        locale: setting(
          localeName,
          'How its amounts are written in alerts: a language tag such as `de-DE`; without one as in `1,234.50 EUR`',
        ),
        daily_total: setting(
          amount,
          'The most that all its daily budgets may come to together, in its currency: increases past it are refused',
        ),
        daily_exposure: setting(
          amount,
          'The most that one day may cost at worst: twice the highest amount each budget had or gets on that day, which is what the service may spend. Increases past it are refused.',
        ),
        holidays: setting(days(), 'Its holidays, in place of those of `holidays`; `[]` for none', {
          without: '`holidays`',
        }),
      }),
    ),
    budgets: each(
      '<customer_id>',
      byCustomer,
      each(
        '<budget_id>',
        { key: digits.transform(budgetId), shown: SHOWN_ID },
        group({
          amount: setting(
            amount,
            'What the budget is, in currency units, where it cannot be read. From the first change on our own record of what was set counts, until the amount here is corrected: then the file counts again. Used only where the interface shows no budgets.',
            { required: true },
          ),
          campaigns: setting(oneOrMany(digits.transform(campaignId)), 'The campaigns that spend from it', {
            required: true,
          }),
        }),
      ),
    ),
  },
);

export const CALENDAR = section(
  'Holidays',
  { isOfAreas: false, before: ['What rules compare by weekday: see [anomalies.md](anomalies.md#holidays).'] },
  {
    holidays: setting(
      days(),
      'Days that are like no other, as dates: `[2026-12-25, 2026-12-26]`. Windows of the same weekday leave them out, and on the day after one the rules with such windows are not evaluated',
      { default: new Set(), without: 'none' },
    ),
  },
);
