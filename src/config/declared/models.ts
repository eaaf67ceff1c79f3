import { group, section, setting } from '../../language/settings/declare.ts';
import { wholeNumber } from '../../language/yaml/scalars.ts';

export const MODELS = section(
  'Models',
  {
    isOfAreas: false,
    before: [
      'Limits of each [model](bi.md#models). A model beyond them is not published, and its rules change nothing.',
    ],
  },
  {
    models: group({
      max_rows: setting(wholeNumber(1, 1_000_000_000), 'Rows of a model', { default: 10_000_000 }),
      max_seconds: setting(wholeNumber(1, 24 * 3600), 'Time in seconds to compute a model', { default: 300 }),
      max_memory_mb: setting(
        wholeNumber(256, 1024 * 1024),
        'Memory in MiB of the process that computes models. A database has limits of its own',
        { default: 512 },
      ),
    }),
  },
);
