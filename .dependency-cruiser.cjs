/**
 * The map of docs/architecture.md as rules: which room may import which. Each rule says why it is there.
 * A room that is not named in its own rule's `pathNot` list may not be imported from it.
 */
const placeOf = (name) => (name === 'migrations' ? name : `src/${name}`);

const room = (name, mayImport, comment) => ({
  name: `${name.replace('/', '-')}-imports`,
  severity: 'error',
  comment,
  from: { path: `^src/${name}/` },
  to: { path: '^(src|migrations)/', pathNot: `^(${[`src/${name}`, ...mayImport.map(placeOf)].join('|')})(/|$)` },
});

module.exports = {
  forbidden: [
    room('domain', [], 'The words all rooms share depend on no room.'),
    room('files', [], 'How a file is replaced is the same whatever is in it.'),
    room('yaml', ['domain'], 'Reading YAML with positions knows nothing of what the file means.'),
    room(
      'gaql',
      ['domain'],
      'The query language is pure: it is checked offline, and used by client and sandbox alike.',
    ),
    room(
      'rules',
      ['domain', 'gaql', 'yaml'],
      'Rules are pure: evaluation is a function of sums, so it can be replayed.',
    ),
    room('trial', ['domain', 'rules'], 'A trial is rules and guards on paper: what feeds it is not its business.'),
    room('results', ['domain', 'rules', 'trial'], 'What a run came to is data; how it is shown is decided above.'),
    room(
      'simulation',
      ['domain', 'gaql', 'rules', 'trial', 'results', 'sandbox', 'alerts'],
      "A simulation joins the sandbox's demand to rules and guards; it has no clock, and what it finds is a result.",
    ),
    room('http', ['domain'], 'Transport knows no interface.'),
    room(
      'apis/ads',
      ['domain', 'http', 'gaql'],
      'Edges never import each other; rows come in columns that gaql names.',
    ),
    room('apis/messages', ['domain', 'http'], 'Edges never import each other.'),
    room('apis/graph', ['domain', 'http'], 'Edges never import each other.'),
    room('apis/container', ['domain', 'http'], 'Edges never import each other.'),
    room('store', ['domain', 'files', 'migrations'], 'Tables know the words of the domain, and not who fills them.'),
    room('store/sqlite', ['domain', 'files', 'store', 'migrations'], 'The engine knows no table beyond the schema.'),
    room('store/postgres', ['domain', 'store', 'migrations'], 'The engine knows no table beyond the schema.'),
    room(
      'warehouse/postgres',
      ['domain', 'gaql', 'store', 'warehouse'],
      'Rows are loaded and summed by what a checked query says.',
    ),
    room(
      'warehouse/sqlite',
      ['domain', 'files', 'gaql', 'store', 'warehouse', 'migrations'],
      'Rows are loaded, summed and published by what a checked query and the plan of a publication say.',
    ),
    room(
      'inbox',
      ['domain', 'store'],
      'What arrived is kept in a file of its own: no long run keeps a webhook waiting.',
    ),
    room(
      'queue',
      ['domain', 'config', 'store'],
      'Who works on a task is a question of its own; what a task is, the run knows.',
    ),
    room('schedule', ['domain', 'store'], 'When something is due is a question of the clock alone.'),
    room('config', ['domain', 'yaml', 'gaql', 'schedule'], 'Settings are read once and handed on as values.'),
    room('text', ['domain', 'results', 'store'], 'Words and layout of the terminal; whoever has facts may use them.'),
    room('html', ['domain', 'text'], 'Escaped markup, charts and the addresses of pages; it knows no facts.'),
    room('budgets', ['domain', 'http', 'apis/ads', 'store'], 'The money path is small enough to be read whole.'),
    room(
      'alerts',
      ['domain', 'http', 'apis/messages', 'apis/graph', 'store', 'config'],
      'Alerts tell what is already committed, to whom the settings say.',
    ),
    room(
      'views',
      ['domain', 'gaql', 'rules', 'trial', 'results', 'store', 'text', 'html'],
      'A listing is described once, over rows of the store; its renderers use the kits of text and pages.',
    ),
    room(
      'warehouse',
      ['domain', 'files', 'gaql', 'store', 'migrations', 'views'],
      'A table follows from a checked query, never from a response; a published file lacks what migrations derive.',
    ),
    room('sandbox', ['domain', 'gaql'], 'The counterparty shares the language, and no code of the edges it tests.'),
    room(
      'folder',
      ['domain', 'files', 'config', 'store', 'warehouse', 'inbox', 'schedule', 'process-time.ts'],
      'Whether a data folder may be used at all is asked before anything in it is opened.',
    ),
    {
      name: 'pipeline-below-what-shows-it',
      severity: 'error',
      comment: 'The main job tells results; who shows them, or starts it, stands above.',
      from: { path: '^src/pipeline/' },
      to: { path: '^src/(cli|commands|pages|server|simulation|sandbox|main|program|page-worker|explore-process)' },
    },
    {
      name: 'pages-below-commands',
      severity: 'error',
      comment: 'A page is made of facts that it reads; what serves or writes it stands above.',
      from: { path: '^src/pages/' },
      to: { path: '^src/(cli|commands|server|simulation|sandbox|main|program|page-worker|explore-process|apis)' },
    },
    room(
      'server',
      ['domain', 'files', 'http', 'inbox', 'html', 'pages'],
      'The server proves who speaks, keeps what was said, answers.',
    ),
    room(
      'cli',
      [
        'domain',
        'gaql',
        'http',
        'rules',
        'results',
        'text',
        'views',
        'config',
        'schedule',
        'pipeline',
        'app.ts',
        'process-time.ts',
      ],
      'What all commands share knows none of them.',
    ),
    {
      name: 'nobody-imports-a-command',
      severity: 'error',
      comment: 'A command is a leaf: only the list of commands, and another command that does the same thing, know it.',
      from: { path: '^src/', pathNot: '^src/(commands/|program\\.ts)' },
      to: { path: '^src/commands/' },
    },
    {
      name: 'pure-rooms',
      severity: 'error',
      comment: 'These rooms have no clock, no network, no file system and no process.',
      from: { path: '^src/(domain|gaql|html|results|rules|simulation|text|trial|yaml)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'database-below-the-store',
      severity: 'error',
      comment:
        'What only SQLite can do lies in one folder of the state and one of the rows, so that a second engine has a place; the inbox, the schedule and the sandbox keep small files of their own.',
      from: { path: '^src/', pathNot: '^src/(store/sqlite|warehouse/sqlite|sandbox|inbox|schedule)/' },
      to: { path: 'node_modules/better-sqlite3' },
    },
    {
      name: 'postgresql-below-the-store',
      severity: 'error',
      comment: 'The client of PostgreSQL is loaded only if the settings name a database.',
      from: { path: '^src/', pathNot: '^src/(store/postgres/|warehouse/postgres/explore-database)' },
      to: { path: 'node_modules/pg/' },
    },
    {
      name: 'queue-of-tasks-only-there',
      severity: 'error',
      comment: 'Another queue would change one file.',
      from: { path: '^src/', pathNot: '^src/queue/task-queue' },
      to: { path: 'node_modules/pg-boss/' },
    },
    {
      name: 'statements-below-the-seam',
      severity: 'error',
      comment:
        'Who prepares a statement on the connection speaks to SQLite; everybody else asks kysely, or a function of these folders.',
      from: { path: '^src/', pathNot: '^src/((store|warehouse)/sqlite|schedule)/' },
      to: { path: '^src/store/sqlite/prepared\\.ts$' },
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
      name: 'no-dev-dependencies',
      severity: 'error',
      comment: 'The product runs without what builds and tests it.',
      from: { path: '^(src|migrations)/' },
      to: { dependencyTypes: ['npm-dev'] },
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
