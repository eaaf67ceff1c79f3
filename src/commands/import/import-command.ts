import { command } from '../cli/command.ts';
import { argument, type Taken } from '../cli/takes.ts';

const TAKES = { dir: argument('a folder with gaarf query files (.sql, .gaql), read with its subfolders') };
export type ImportOptions = Taken<typeof TAKES>;

export const importCommand = command({
  name: 'import',
  summary:
    'Turn query files of gaarf (a tool that runs advertising queries) into queries and models. Overwrites nothing.',
  takes: TAKES,
  examples: ['pacekeeper import ../ads-queries', 'pacekeeper import ../ads-queries --queries queries'],
  settings: 'own',
  load: async () => (await import('./run-import.ts')).runImport,
});
