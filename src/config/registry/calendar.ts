import type { SettingSection } from './setting.ts';

export const CALENDAR: SettingSection = {
  title: 'Holidays',
  areas: [],
  before: ['What rules compare by weekday: see [anomalies.md](anomalies.md#holidays).'],
  settings: [
    {
      path: 'holidays',
      default: 'none',
      value: 'shown',
      meaning:
        'Days that are like no other, as dates: `[2026-12-25, 2026-12-26]`. Windows of the same weekday leave them out, and on the day after one the rules with such windows are not evaluated',
    },
  ],
};
