/**
 * The map of docs/architecture.md as rules. Districts stand in one order. Within a district, a room may name the few others
 * that it may import. Each rule says why it is there.
 */

/** Lowest first. A district may import those before it, and nothing after it. */
const DISTRICTS = [
  'domain',
  'language',
  'services',
  'channels',
  'config',
  'storage',
  'views',
  'alerts',
  'engine',
  'dashboard',
  'sandbox',
  'commands',
];
/** Beside the districts: they start the program, and open and close what it needs. */
const LOOSE = '(connect-areas|explore-process|main|page-worker|program)\\.ts$';

const order = DISTRICTS.map((name, index) => {
  const higher = DISTRICTS.slice(index + 1).map((one) => `${one}/`);
  // A command opens what it needs.
  const loose = name === 'commands' ? [LOOSE] : [LOOSE, 'app\\.ts$'];
  return {
    name: `${name}-knows-nothing-above`,
    severity: 'error',
    comment: 'A lower district knows nothing of a higher one, so it can be read alone.',
    from: { path: `^src/${name}/` },
    to: { path: `^src/(${[...higher, ...loose].join('|')})` },
  };
});

/**
 * The files of a district that others may import. All else in it is private. Other districts have rooms with rules of their
 * own, or are words that everybody speaks.
 */
const DOORS = {
  channels: ['channel', 'channels'],
  config: [
    'agent-limits',
    'alert-settings',
    'authorities',
    'declared/advertising',
    'effective-settings',
    'folders',
    'hide-values',
    'of-account',
    'last-resort',
    'live-areas',
    'load-catalogue',
    'package-root',
    'read-settings',
    'refreshed-catalogue',
    'setting-tree',
    'settings',
    'settings-json-schema',
    'unknown-variables',
    'with-retries',
  ],
  dashboard: [
    'agents/agent-server',
    'explore/explore-source',
    'links/link-source',
    'report/gather-report',
    'report/mail-reports',
    'report/report-page',
    'server/access-tokens',
    'server/route',
    'server/start-server',
    'status/page-source',
    'status/page-work',
    'status/schedule-standing',
  ],
};

const doors = Object.entries(DOORS).map(([name, files]) => ({
  name: `${name}-has-a-door`,
  severity: 'error',
  comment: 'Whoever wants another file of the district asks what its door lacks.',
  from: { path: '^src/', pathNot: `^src/(${name}/|commands/(messages|graph)/)` },
  to: { path: `^src/${name}/`, pathNot: `^src/${name}/(${files.join('|')})\\.ts$` },
}));

const placeOf = (name) => (name === 'migrations' ? name : `src/${name}`);

const room = (name, mayImport, comment) => ({
  name: `${name.replaceAll('/', '-')}-imports`,
  severity: 'error',
  comment,
  from: { path: `^src/${name}/` },
  to: { path: '^(src|migrations)/', pathNot: `^(${[`src/${name}`, ...mayImport.map(placeOf)].join('|')})(/|$)` },
});

/** For the channels of phones; the second also for mails and chats. */
const PHONE_PARTS = 'channels/(template|check-media)\\.ts';
/** What all channels share, beside the list of them. */
const CHANNEL_DOOR = ['channels/channel\\.ts'];
const CHANNELS = 'channels/channels\\.ts';
const RECORDS = 'storage/records';
const GAQL = 'language/gaql';

module.exports = {
  forbidden: [
    ...order,
    ...doors,
    room('language/yaml', ['domain'], 'Reading YAML with positions knows nothing of what the file means.'),
    room(GAQL, ['domain'], 'The query language is pure: it is checked offline, and used by client and sandbox alike.'),
    room(
      'language/rules',
      ['domain', GAQL, 'language/yaml'],
      'Rules are pure: evaluation is a function of sums, so it can be replayed.',
    ),
    room('language/csv', ['domain'], 'Reading CSV with lines knows nothing of what the file means.'),
    room(
      'language/targets',
      ['domain', 'language/csv', 'language/rules', 'language/yaml'],
      'A target is a pacing rule for each of its accounts, and what they decide together.',
    ),
    room(
      'language/trial',
      ['domain', 'language/rules', 'language/targets'],
      'A trial is rules and guards on paper: what feeds it is not its business.',
    ),
    room(
      'language/results',
      ['domain', 'language/rules', 'language/trial'],
      'What a run came to is data; how it is shown is decided above.',
    ),
    room('services/http', ['domain'], 'Transport knows no interface.'),
    room(
      'services/ads',
      ['domain', 'services/http', GAQL],
      'Edges never import each other; rows come in columns that gaql names.',
    ),
    room('services/container', ['domain', 'services/http'], 'Edges never import each other.'),
    ...['messages', 'graph'].map((name) =>
      room(
        `channels/${name}`,
        ['domain', 'services/http', 'language/yaml', 'language/settings', PHONE_PARTS, ...CHANNEL_DOOR],
        'A channel knows no other channel.',
      ),
    ),
    room('language/settings', ['domain', 'language/yaml'], 'How a setting is declared knows no setting.'),
    room('storage/workbook', ['domain'], 'A spreadsheet knows no table.'),
    room('storage/files', [], 'How a file is replaced is the same whatever is in it.'),
    room(
      RECORDS,
      ['domain', 'storage/files', 'migrations', CHANNELS],
      'Tables know the words of the domain, and not who fills them.',
    ),
    room(
      `${RECORDS}/sqlite`,
      ['domain', 'storage/files', RECORDS, 'migrations'],
      'The engine knows no table beyond the schema.',
    ),
    room(`${RECORDS}/postgres`, ['domain', RECORDS, 'migrations'], 'The engine knows no table beyond the schema.'),
    room(
      'storage/warehouse',
      ['domain', 'storage/files', GAQL, RECORDS, 'migrations', 'storage/columns', 'storage/workbook'],
      'A table follows from a checked query, never from a response; a published file lacks what migrations derive.',
    ),
    room(
      'storage/warehouse/postgres',
      ['domain', GAQL, RECORDS, 'storage/warehouse'],
      'Rows are loaded and summed by what a checked query says.',
    ),
    room(
      'storage/warehouse/sqlite',
      ['domain', 'storage/files', GAQL, RECORDS, 'storage/warehouse', 'migrations'],
      'Rows are loaded, summed and published by what a checked query and the plan of a publication say.',
    ),
    room(
      'storage/inbox',
      ['domain', RECORDS, CHANNELS, ...CHANNEL_DOOR],
      'What arrived is kept in a file of its own: no long run keeps a webhook waiting.',
    ),
    room(
      'views/html',
      ['domain', 'views/text', 'storage/columns/state-words.ts'],
      'Escaped markup and charts; it knows no facts.',
    ),
    room(
      'engine/budgets',
      ['domain', 'services/http', 'services/ads', RECORDS],
      'The money path is small enough to be read whole.',
    ),
    room(
      'engine/queue',
      ['domain', 'config', RECORDS],
      'Who works on a task is a question of its own; what a task is, the run knows.',
    ),
    room(
      'engine/schedule',
      ['domain', 'language/due-times.ts', RECORDS],
      'When something is due is a question of the clock alone.',
    ),
    room(
      'engine/folder',
      ['domain', 'storage', 'config', 'engine/schedule', 'engine/process-time.ts'],
      'Whether a data folder may be used at all is asked before anything in it is opened.',
    ),
    {
      name: 'pages-call-no-service',
      severity: 'error',
      comment: 'A page is made of facts that are stored.',
      from: { path: '^src/dashboard/' },
      to: { path: '^src/(services/(ads|container)|channels/[^/]+)/' },
    },
    {
      name: 'sandbox-is-for-its-commands',
      severity: 'error',
      comment: 'A product that knew its sandbox could behave better there.',
      from: {
        path: '^src/',
        pathNot: '^src/(sandbox/|commands/(sandbox|simulate|serve|check|listings)|app\\.ts|connect-areas|program)',
      },
      to: { path: '^src/sandbox/' },
    },
    {
      name: 'sandbox-shares-no-code-of-its-clients',
      severity: 'error',
      comment: 'The counterparty shares the language, and no code of the edges it tests.',
      from: { path: '^src/sandbox/', pathNot: '^src/sandbox/simulation/' },
      to: { path: '^src/', pathNot: `^src/(sandbox|domain|${GAQL})/` },
    },
    room(
      'sandbox/simulation',
      ['domain', 'language', 'sandbox'],
      "A simulation joins the sandbox's demand to rules and guards; it has no clock, and what it finds is a result.",
    ),
    {
      name: 'commands-are-leaves',
      severity: 'error',
      comment: 'What all commands share knows none of them.',
      from: { path: '^src/commands/cli/' },
      to: { path: '^src/commands/', pathNot: '^src/commands/cli/' },
    },
    {
      name: 'pure-rooms',
      severity: 'error',
      comment: 'These rooms have no clock, no network, no file system and no process.',
      from: { path: '^src/(domain|language|views|sandbox/simulation)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'database-below-the-store',
      severity: 'error',
      comment:
        'What only SQLite can do lies in one folder of the state and one of the rows, so that a second engine has a place. For PostgreSQL, it parses rows in memory (`copy-lines`). The inbox, the schedule and the sandbox keep small files of their own.',
      from: {
        path: '^src/',
        pathNot:
          '^src/(storage/(records/sqlite|warehouse/sqlite|warehouse/postgres/copy-lines|inbox)|sandbox|engine/schedule)(/|\\.ts$)',
      },
      to: { path: 'node_modules/better-sqlite3' },
    },
    {
      name: 'postgresql-below-the-store',
      severity: 'error',
      comment: 'The client of PostgreSQL is loaded only if the settings name a database.',
      from: { path: '^src/', pathNot: '^src/storage/(records/postgres/|warehouse/postgres/explore-database)' },
      to: { path: 'node_modules/pg/' },
    },
    {
      name: 'queue-of-tasks-only-there',
      severity: 'error',
      comment: 'Another queue would change one file.',
      from: { path: '^src/', pathNot: '^src/engine/queue/task-queue' },
      to: { path: 'node_modules/pg-boss/' },
    },
    {
      name: 'statements-below-the-seam',
      severity: 'error',
      comment:
        'Who prepares a statement on the connection speaks to SQLite; everybody else asks kysely, or a function of these folders.',
      from: {
        path: '^src/',
        pathNot: '^src/(storage/((records|warehouse)/sqlite|warehouse/postgres/copy-lines)|engine/schedule)(/|\\.ts$)',
      },
      to: { path: '^src/storage/records/sqlite/prepared\\.ts$' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      comment:
        'Two files that need each other are one file, or three; types count. A declaration loads its function when it is called, and that function takes the type of its options.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['dynamic-import'] } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'A file that nobody imports is dead.',
      from: { orphan: true, path: '^src/', pathNot: '^src/(main|page-worker|explore-process)\\.ts$' },
      to: {},
    },
    {
      name: 'no-unlisted',
      severity: 'error',
      comment: 'Every package used is one that package.json names.',
      from: { path: '^(src|migrations)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
