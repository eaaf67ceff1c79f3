import { LISTED, type Setting } from '../../src/config/setting-tree.ts';

const HEAD = `# Configuration

Look up every setting, its default and its environment variable.

- Settings come from \`pacekeeper.yaml\`, or from another file with \`--config\`.
- Secrets and addresses can also come from the environment or \`.env\`.
- Precedence: environment, \`.env\`, file.
- Unknown keys, incomplete areas and invalid values exit with 2 before anything is sent.

| command | does |
|---|---|
| \`pacekeeper config show\` | prints changed settings with their source, without secrets; \`--all\` adds defaults |
| \`pacekeeper config schema > pacekeeper.schema.json\` | updates the editor's schema. \`pacekeeper doctor\` says when this is needed |

\`pacekeeper init\` writes the schema and its line in \`pacekeeper.yaml\`:
\`# yaml-language-server: $schema=./pacekeeper.schema.json\`.

Error lists hide secrets: only known keys and harmless values are shown, the rest as \`•\`.
`;

const FOOT = `## Exit codes

| code | meaning |
|---|---|
| 0 | done, also if guards refused a change |
| 1 | an account, change or message failed, or the folder is in use; the rest was done |
| 2 | wrong usage, setting, query or rule; nothing was done |
`;

/** docs/configuration.md: every setting that is declared, with its names, what holds without it, and what it means. */
export function renderConfigurationPage(): string {
  return [HEAD, ...LISTED.map(renderSection), FOOT].join('\n');
}

function renderSection({ section, settings }: (typeof LISTED)[number]): string {
  const { title, before, keys, isOfAreas } = section;
  const names = (isOfAreas ? Object.keys(keys) : []).map((area) => `\`${area}\``).join(', ');
  const columns = COLUMNS.filter(({ cell }) => settings.some((setting) => cell(setting) !== ''));
  const row = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  const table = [
    row(columns.map(({ head }) => head)),
    `|${columns.map(() => '---|').join('')}`,
    ...settings.map((setting) => row(columns.map(({ cell }) => cell(setting)))),
  ];
  const heading = `## ${title}${names === '' ? '' : ` (${names})`}`;
  return [heading, '', ...(before.length > 0 ? [...before, ''] : []), ...table, ''].join('\n');
}

const COLUMNS: readonly { readonly head: string; readonly cell: (setting: Setting) => string }[] = [
  { head: 'key', cell: ({ path }) => (path === undefined ? '' : `\`${path}\``) },
  { head: 'environment', cell: ({ env }) => env.map((name) => `\`${name}\``).join(', ') },
  { head: 'default', cell: ({ without = '' }) => without },
  { head: 'meaning', cell: ({ meaning }) => meaning },
];
