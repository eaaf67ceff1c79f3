import { readFaultText } from '../../domain/fault-text.ts';
import { nonEmptyText, oneOrMany, scalar, wholeNumber, yesOrNo } from '../../yaml/scalars.ts';
import { group, section, setting } from './declare.ts';

const fault = scalar('a fault such as cut,nth=2', (text, expect) => {
  const reading = readFaultText(text);
  return reading.kind === 'ok' ? text : expect(reading.expected);
});

export const SANDBOX = section(
  'The sandbox',
  {},
  {
    sandbox: group({
      seed: setting(wholeNumber(0, 2 ** 31 - 1), 'Which market; the same seed and day give the same rows', {
        default: 1,
      }),
      strict: setting(yesOrNo, 'Offer only what the specification shows', { default: false }),
      manager: setting(
        yesOrNo,
        'Put the accounts below managers: the credentials reach one manager alone, beside the accounts stand a suspended and a cancelled one. Not when strict.',
        { default: false },
      ),
      market: setting(
        nonEmptyText,
        'Replay real history instead: CSV or CSV.gz with `date, keyword_id, impressions, clicks` and optionally `campaign, ad_group, text, match_type, cost`. A cost that is not in the file is simulated, and the report says so. A file that has none of the days asked for is refused, with the `PACEKEEPER_NOW` to set.',
        { env: ['PACEKEEPER_MARKET'], isPath: true },
      ),
      port: setting(
        wholeNumber(0, 65_535),
        'Where the embedded sandbox of a run listens; what works beside a run takes any free one. `pacekeeper sandbox` takes 4010',
        { without: 'any free one' },
      ),
      data_dir: setting(nonEmptyText, 'Where the sandbox keeps its budgets and messages', {
        isPath: true,
        without: 'the data folder',
      }),
      fault: setting(
        oneOrMany(fault),
        'How it misbehaves, [one fault or several](sandbox.md#faults): `cut,at=stream,nth=2`; in the environment several with a semicolon between them',
        { env: ['PACEKEEPER_FAULT'], separator: ';', default: [], without: 'none' },
      ),
    }),
  },
);
