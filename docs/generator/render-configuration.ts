import { LISTED, type Setting } from '../../src/config/setting-tree.ts';
import { wrapText } from '../../src/views/text/text-layout.ts';

const HEAD = `# Configuration

This page lists every setting, its default and its environment variable.

- Settings are in \`pacekeeper.yaml\`, or in another file with \`--config\`. Queries, rules, models, data and
  \`.env\` are beside this file. An option such as \`--data-dir\` names another folder.
- Paths in the file and in \`.env\` begin there. Paths of options begin in the current folder.
- Secrets and addresses can also come from the environment or \`.env\`.
- Each variable of a secret also exists with \`_FILE\`, such as \`ADS_CLIENT_SECRET_FILE\`. Its value is
  the path of a file with the secret.
- Commands and \`doctor\` warn of unknown variables with the prefix of a setting.
- Precedence: environment, \`.env\`, file.
- Unknown keys and invalid values exit with 2 before anything is sent.
- Addresses need https. Only services on this machine may use http.
- \`pacekeeper config show\` prints changed settings and their source; \`--all\` adds defaults. It
  hides secrets.

Editors complete and check the file with \`pacekeeper.schema.json\` and this first line.
\`pacekeeper init\` writes both:

\`\`\`yaml
# yaml-language-server: $schema=./pacekeeper.schema.json
\`\`\`

\`pacekeeper config schema > pacekeeper.schema.json\` renews the schema.
\`pacekeeper doctor\` says when this is needed.
`;

const WIDTH = 100;

/** A full stop ends several sentences, and no phrase alone. */
const ended = (text: string): string => {
  const bare = text.replace(/\.$/, '');
  return /[.] [A-Z\d`]/.test(bare) ? `${bare}.` : bare;
};

const isRetry = ({ at }: Setting): boolean => /^\w+\.retry\./.test(at);

/** docs/configuration.md: every setting that is declared, with its names, what holds without it, and what it means. */
export function renderConfigurationPage(): string {
  const afterRetries = LISTED.findLastIndex(({ settings }) => settings.some(isRetry)) + 1;
  const sections = LISTED.map(renderSection);
  return [HEAD, ...sections.slice(0, afterRetries), renderRetries(), ...sections.slice(afterRetries)].join('\n');
}

function renderSection({ section, settings }: (typeof LISTED)[number]): string {
  const { title, before, keys, isOfAreas } = section;
  const names = (isOfAreas ? Object.keys(keys) : []).map((area) => `\`${area}\``).join(', ');
  const heading = `## ${title}${names === '' ? '' : ` (${names})`}`;
  const rows = settings.filter((setting) => !isRetry(setting)).map((setting) => [setting] as const);
  return [
    heading,
    '',
    ...(before.length > 0 ? [wrapText(before.join(' '), WIDTH, '', ''), ''] : []),
    renderSettings(rows),
    '',
  ].join('\n');
}

/** In every area the same, so one row for those with the same meaning. */
function renderRetries(): string {
  const settings = LISTED.flatMap((one) => one.settings).filter(isRetry);
  const rows = Map.groupBy(settings, ({ at, meaning, without }) =>
    [at.replace(/^\w+/, ''), meaning, without].join('\n'),
  );
  const nameOf = ([{ at = '' } = {}]: readonly Partial<Setting>[]) => at.slice(at.lastIndexOf('.'));
  const inOrder = [...rows.values()].toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
  return ['## Retries', '', renderSettings(inOrder), ''].join('\n');
}

/** A row for each list of settings, which share all but their names. */
function renderSettings(settings: readonly (readonly Setting[])[]): string {
  const cellsOf = (row: readonly Setting[]) => COLUMNS.map(({ cell }) => [...new Set(row.map(cell))].join(', '));
  const rows = settings.map(cellsOf);
  const used = COLUMNS.map((_, at) => rows.some((row) => row[at] !== ''));
  const line = (cells: readonly string[]) =>
    `|${cells.flatMap((cell, at) => (used[at] ? (cell === '' ? ' ' : ` ${cell} `) : [])).join('|')}|`;
  const head = COLUMNS.map((column) => column.head);
  return [line(head), `|${used.flatMap((is) => (is ? '---|' : [])).join('')}`, ...rows.map(line)].join('\n');
}

const COLUMNS: readonly { readonly head: string; readonly cell: (setting: Setting) => string }[] = [
  { head: 'key', cell: ({ path }) => (path === undefined ? '' : `\`${path}\``) },
  { head: 'environment', cell: ({ env }) => env.map((name) => `\`${name}\``).join(', ') },
  { head: 'default', cell: ({ without = '' }) => without },
  { head: 'meaning', cell: ({ meaning }) => ended(meaning) },
];
