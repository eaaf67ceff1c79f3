import { budgetId, campaignId, customerId } from '../../domain/ids.ts';
import { each, group, list, section, setting } from '../../language/settings/declare.ts';
import { SHOWN_ID } from '../../language/settings/forms.ts';
import type { ExchangeRate } from '../../language/targets/exchange-rates.ts';
import {
  amount,
  calendarDay,
  currencyCode,
  customerIdText,
  digits,
  exchangeRate,
  localeName,
  oneOrMany,
  timeZone,
  wholeNumber,
} from '../../language/yaml/scalars.ts';

const byCustomer = { key: customerIdText.transform(customerId), shown: SHOWN_ID };

const days = () => oneOrMany(calendarDay).transform((found) => new Set(found));

export const ACCOUNTS = section(
  'Accounts and budgets',
  { isOfAreas: false },
  {
    accounts: each(
      '<customer_id>',
      byCustomer,
      group({
        currency: setting(currencyCode, 'Currency of the account, if the interface does not provide it: `EUR`'),
        time_zone: setting(
          timeZone,
          'Time zone of the account: `Europe/Berlin`. Without one, its days are unknown and rules skip the account',
        ),
        locale: setting(
          localeName,
          "Format of the account's amounts in alerts, as a language tag: `de-DE`. Without one: `1,234.50 EUR`",
        ),
        budget_unit: setting(
          amount,
          "Smallest step of budget amounts, in the account's currency, if the interface does not provide it: `1` for whole rupiah",
          { without: "the currency's smallest amount by ISO 4217" },
        ),
        daily_total: setting(
          amount,
          "Upper limit for the sum of the account's daily budgets, in its currency: `500`. Increases above it are refused",
        ),
        daily_exposure: setting(
          amount,
          'Upper limit for the worst-case cost of one day, in its currency: `1000`. Worst case: twice the highest amount that each budget has on that day. Increases above the limit are refused.',
        ),
        conversion_window: setting(
          wholeNumber(0, 90),
          'Days until a past day of the account is complete for conversions, 0 to 90',
          { without: '`extract.conversion_window`' },
        ),
        holidays: setting(days(), 'Holidays of the account, instead of `holidays`: `[2026-10-03]`; `[]` for none', {
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
            'Current budget in currency units: `50`. Used only if the interface shows no budgets. After its first change, pacekeeper uses the amount that it set, until you edit this setting.',
            { required: true },
          ),
          campaigns: setting(
            oneOrMany(digits.transform(campaignId)),
            'Ids of the campaigns that use the budget: `[501, 502]`',
            {
              required: true,
            },
          ),
        }),
      ),
    ),
    exchange_rates: list(
      group(
        {
          date: setting(calendarDay, 'Day from which the rate counts, until a newer one of these: `2026-01-01`', {
            required: true,
          }),
          from: setting(currencyCode.clone(), 'Currency: one unit of it is `rate` of `to`: `GBP`', { required: true }),
          to: setting(currencyCode.clone(), 'Currency: `EUR`', { required: true }),
          rate: setting(exchangeRate, 'A fixed rate for [targets](pacing.md#targets-of-clients): `1.17`', {
            required: true,
          }),
        },
        (rate): ExchangeRate => ({ ...rate, isFixed: true }),
      ),
    ),
  },
);

export const CALENDAR = section(
  'Holidays',
  {
    isOfAreas: false,
    before: ['Rules that compare by weekday use holidays: see [anomalies.md](anomalies.md#holidays).'],
  },
  {
    holidays: setting(
      days(),
      'Unusual days, as dates: `[2026-12-25, 2026-12-26]`. Windows of the same weekday skip them. On the day after a holiday, rules with such windows are not evaluated',
      { default: new Set(), without: 'none' },
    ),
  },
);
