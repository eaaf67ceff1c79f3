import type { SettingSection } from './setting.ts';

export const SANDBOX: SettingSection = {
  title: 'The sandbox',
  areas: ['sandbox'],
  before: [],
  settings: [
    {
      path: 'sandbox.seed',
      default: '1',
      value: 'shown',
      meaning: 'Which market; the same seed and day give the same rows',
    },
    {
      path: 'sandbox.strict',
      default: 'false',
      value: 'shown',
      meaning: 'Offer only what the specification shows',
    },
    {
      path: 'sandbox.manager',
      default: 'false',
      value: 'shown',
      meaning:
        'Put the accounts below managers: the credentials reach one manager alone, beside the accounts stand a suspended and a cancelled one. Not when strict.',
    },
    {
      path: 'sandbox.market',
      env: ['PACEKEEPER_MARKET'],
      default: 'none',
      value: 'shown',
      meaning:
        'Replay real history instead: CSV or CSV.gz with `date, keyword_id, impressions, clicks` and optionally `campaign, ad_group, text, match_type, cost`. A cost that is not in the file is simulated, and the report says so. A file that has none of the days asked for is refused, with the `PACEKEEPER_NOW` to set.',
    },
    {
      path: 'sandbox.port',
      default: 'any free one',
      value: 'shown',
      meaning:
        'Where the embedded sandbox of a run listens; what works beside a run takes any free one. `pacekeeper sandbox` takes 4010',
    },
    {
      path: 'sandbox.data_dir',
      default: 'the data folder',
      value: 'shown',
      meaning: 'Where the sandbox keeps its budgets and messages',
    },
    {
      path: 'sandbox.fault',
      env: ['PACEKEEPER_FAULT'],
      default: 'none',
      value: 'shown',
      meaning:
        'How it misbehaves, [one fault or several](sandbox.md#faults): `cut,at=stream,nth=2`; in the environment several with a semicolon between them',
    },
  ],
};
