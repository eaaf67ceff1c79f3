import { readFaultText } from '../../domain/fault-text.ts';
import { group, section, setting } from '../../language/settings/declare.ts';
import { nonEmptyText, oneOrMany, scalar, wholeNumber, yesOrNo } from '../../language/yaml/scalars.ts';

const fault = scalar('a fault such as cut,nth=2', (text, expect) => {
  const reading = readFaultText(text);
  return reading.kind === 'ok' ? text : expect(reading.expected);
});

export const SANDBOX = section(
  'The sandbox',
  {},
  {
    sandbox: group({
      seed: setting(
        wholeNumber(0, 2 ** 31 - 1),
        'A number that selects the simulated market. The same seed and day give the same rows',
        {
          default: 1,
        },
      ),
      strict: setting(
        yesOrNo,
        "Offer only the operations and answers in this project's specification. [sandbox.md](sandbox.md#a-strict-service) lists what is missing then",
        { default: false },
      ),
      manager: setting(
        yesOrNo,
        'Put the accounts below two managers, one below the other. The credentials reach only the upper one. Adds a suspended and a cancelled account. Not with `strict`.',
        { default: false },
      ),
      market: setting(
        nonEmptyText,
        'File of real history to replay: CSV or CSV.gz with `date, keyword_id, impressions, clicks`. Optional columns: `campaign, ad_group, text, match_type, cost`. Missing costs are simulated. A file without the requested days is refused.',
        { env: ['PACEKEEPER_MARKET'], isPath: true },
      ),
      port: setting(wholeNumber(0, 65_535), 'Port of the embedded sandbox of a run. `pacekeeper sandbox` uses 4010', {
        without: 'any free port',
      }),
      data_dir: setting(nonEmptyText, 'Folder for the budgets and messages of the sandbox', {
        isPath: true,
        without: 'the data folder',
      }),
      fault: setting(
        oneOrMany(fault),
        'Simulated faults, [one or several](sandbox.md#faults): `cut,at=stream,nth=2`. Separate several with semicolons in the environment',
        { env: ['PACEKEEPER_FAULT'], separator: ';', default: [], without: 'none' },
      ),
    }),
  },
);
