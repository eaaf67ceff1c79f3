import { type Command, command } from '../cli/command.ts';
import { LISTED, LISTING_FORMAT } from '../cli/common-options.ts';
import { argument, type Taken } from '../cli/takes.ts';

const DIFF = {
  earlier: argument("a version such as v25, or `spec` for the fields of this project's specification"),
  later: argument('the version to compare it with'),
  format: LISTING_FORMAT,
};
export type DiffOptions = Taken<typeof DIFF>;

export const catalogueCommand: Command = {
  name: 'catalogue',
  summary: 'Maintain the catalogue of fields that queries are checked against.',
  examples: ['pacekeeper catalogue refresh', 'pacekeeper catalogue status', 'pacekeeper catalogue diff v25 v26'],
  commands: [
    command({
      name: 'refresh',
      summary:
        'Read all fields of the interface version in ads.version from the service, for pacekeeper check and pacekeeper fields.',
      examples: ['pacekeeper catalogue refresh', 'ADS_VERSION=v26 pacekeeper catalogue refresh'],
      opens: { what: 'areas', readOnly: true },
      load: async () => (await import('./run-refresh.ts')).runRefresh,
    }),
    command({
      name: 'status',
      summary: 'List the catalogues (lists of all fields), and names in your queries that the current catalogue lacks.',
      takes: LISTED,
      examples: ['pacekeeper catalogue status', 'pacekeeper catalogue status --format json'],
      settings: 'own',
      load: async () => (await import('./run-catalogue.ts')).runStatus,
    }),
    command({
      name: 'diff',
      summary:
        'Compare the catalogues of two versions: what was removed, renamed or changed, and which of your queries use it.',
      takes: DIFF,
      examples: ['pacekeeper catalogue diff v25 v26', 'pacekeeper catalogue diff v25 v26 --format csv'],
      settings: 'own',
      load: async () => (await import('./run-catalogue.ts')).runDiff,
    }),
  ],
};
