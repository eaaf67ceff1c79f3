import { command } from '../cli/command.ts';
import { LISTING_FORMAT } from '../cli/common-options.ts';
import { option, optionalArgument, type Taken } from '../cli/takes.ts';

const TAKES = {
  name: optionalArgument('a resource, a field, "metrics" or "segments"'),
  search: option('<word>', 'search names, descriptions and constants for a word, within NAME if given'),
  format: LISTING_FORMAT,
};
export type FieldsOptions = Taken<typeof TAKES>;

export const fieldsCommand = command({
  name: 'fields',
  summary: 'Show what queries can select, with types, constants and descriptions. Without NAME: all resources.',
  takes: TAKES,
  examples: [
    'pacekeeper fields keyword_view',
    'pacekeeper fields campaign.status',
    'pacekeeper fields keyword_view --search cost',
  ],
  settings: 'own',
  load: async () => (await import('./run-fields.ts')).runFields,
});
