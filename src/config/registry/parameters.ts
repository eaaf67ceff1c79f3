import type { SettingSection } from './setting.ts';

export const PARAMETERS: SettingSection = {
  title: 'Values for queries',
  areas: ['params'],
  before: [],
  settings: [
    {
      path: 'params.<name>',
      value: 'text',
      meaning:
        "The value that `:<name>` stands for in query files: a text, a number, a date, or a list of them; an empty value and null are refused. `--param name=value` takes its place for one run; several `--param` of one name are a list. Values are bound by the type of the field they are compared with, never pasted into the text. Days of the account's calendar (`:today-7`, `:month_start`) need no value.",
    },
  ],
};
