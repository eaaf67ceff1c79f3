import { LISTED, type Setting } from '../../src/config/setting-tree.ts';

const HEAD = `# Configuration

Settings come from \`pacekeeper.yaml\` (another file with \`--config\`); secrets and addresses may also come from the environment or from a
file \`.env\` in the working folder. The environment wins over \`.env\`, and \`.env\` over the file. An unknown key, a half-configured area or
a malformed value ends the command with exit code 2 and every mistake listed, before anything is sent.

What is listed gives no secret away: of the file it shows the known keys, a misspelt one where it is plain which is meant, and the values of
settings that hold no secret. Everything else is shown as \`•\`, comments included, and a key that nobody knows is pointed at but not named.

\`pacekeeper config show\` prints every setting that is not at its default, with the place it comes from: the line of the file, \`.env\` or the
name in the environment. A secret is shown as \`set (hidden)\`, of a telephone number the beginning and the end. \`--all\` adds the defaults.

\`pacekeeper.schema.json\` lets an editor complete and check the file as it is written; \`pacekeeper init\` puts it beside the
\`pacekeeper.yaml\` it writes, whose first line names it (\`# yaml-language-server: $schema=./pacekeeper.schema.json\`).
After an update \`pacekeeper config schema > pacekeeper.schema.json\` writes it anew, and \`pacekeeper doctor\` says when that is due.
`;

const FOOT = `## Exit codes

0: done, also when guards refused a change or a rule only proposed one. 1: something failed (an account, a change, a message, or the folder
is in use); the rest was done. 2: the input is wrong (usage, configuration, query, rule); nothing was done.
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
