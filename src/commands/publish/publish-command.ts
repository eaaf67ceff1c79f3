import { command } from '../cli/command.ts';
import { WAIT } from '../cli/common-options.ts';
import { choice, optionalArgument, type Taken } from '../cli/takes.ts';

const TAKES = {
  dir: optionalArgument('folder for the files of --to; for sqlite and xlsx, a file'),
  to: choice('<format>', 'also write every table into DIR', ['csv', 'json', 'parquet', 'sqlite', 'xlsx']),
  ...WAIT,
};
export type PublishOptions = Taken<typeof TAKES>;

export const publishCommand = command({
  name: 'publish',
  summary: 'Rewrite warehouse.sqlite and metadata.json from stored data, without contacting any service.',
  takes: TAKES,
  examples: [
    'pacekeeper publish',
    'pacekeeper publish --to csv exports',
    'pacekeeper publish --to parquet exports',
    'pacekeeper publish --to sqlite warehouse.sqlite',
    'pacekeeper publish --to xlsx warehouse.xlsx',
  ],
  opens: { what: 'state', lock: true },
  isStoppable: true,
  load: async () => (await import('./run-publish.ts')).runPublish,
});
