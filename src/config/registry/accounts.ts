import type { SettingSection } from './setting.ts';

export const ACCOUNTS: SettingSection = {
  title: 'What the service does not say',
  areas: [],
  before: [],
  settings: [
    {
      path: 'accounts.<customer_id>.currency',
      value: 'shown',
      meaning: "The account's currency, where the interface does not say",
    },
    {
      path: 'accounts.<customer_id>.time_zone',
      value: 'shown',
      meaning: 'Its time zone; without one its days are not known and rules leave it alone',
    },
    {
      path: 'accounts.<customer_id>.locale',
      value: 'shown',
      meaning:
        'How its amounts are written in alerts: a language tag such as `de-DE`; without one as in `1,234.50 EUR`',
    },
    {
      path: 'accounts.<customer_id>.daily_total',
      value: 'shown',
      meaning:
        'The most that all its daily budgets may come to together, in its currency: increases past it are refused',
    },
    {
      path: 'accounts.<customer_id>.daily_exposure',
      value: 'shown',
      meaning:
        'The most that one day may cost at worst: twice the highest amount each budget had or gets on that day, which is what the service may spend. Increases past it are refused.',
    },
    {
      path: 'accounts.<customer_id>.holidays',
      value: 'shown',
      meaning: 'Its holidays, in place of those of `holidays`; `[]` for none',
    },
    {
      path: 'budgets.<customer_id>.<budget_id>.amount',
      value: 'shown',
      meaning:
        'What the budget is, in currency units, where it cannot be read. From the first change on our own record of what was set counts, until the amount here is corrected: then the file counts again. Used only where the interface shows no budgets.',
    },
    {
      path: 'budgets.<customer_id>.<budget_id>.campaigns',
      value: 'shown',
      meaning: 'The campaigns that spend from it',
    },
  ],
};
