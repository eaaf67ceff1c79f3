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
  to: { path: '^(src|migrations)/', pathNot: `^(${[`src/${name}`, ...mayImport.map(placeOf)].join('|')})/` },
});

module.exports = {
  forbidden: [
    room('domain', [], 'The words all rooms share depend on no room.'),
    room('files', [], 'How a file is replaced is the same whatever is in it.'),
    room('yaml', ['domain'], 'Reading YAML with positions knows nothing of what the file means.'),
    room(
      'gaql',
      ['domain'],
      'The query language is pure: it can be checked offline, and used by client and sandbox alike.',
    ),
    room(
      'rules',
      ['domain', 'gaql', 'yaml'],
      'Rules are pure: evaluation is a function of aggregates, so it can be replayed.',
    ),
    room('trial', ['domain', 'rules'], 'A trial is rules and guards on paper: what feeds it is not its business.'),
    room(
      'simulation',
      ['domain', 'gaql', 'rules', 'trial', 'sandbox', 'alerts', 'report'],
      "A simulation joins the sandbox's demand to rules and guards; it has no clock, and what it finds is a report.",
    ),
    room('http', ['domain'], 'Transport knows no interface.'),
    room(
      'apis/ads',
      ['domain', 'http', 'gaql'],
      'Edges never import each other, http excepted; rows come in columns that gaql names.',
    ),
    room('apis/messages', ['domain', 'http'], 'Edges never import each other, http excepted.'),
    room('apis/graph', ['domain', 'http'], 'Edges never import each other, http excepted.'),
    room('apis/container', ['domain', 'http'], 'Edges never import each other, http excepted.'),
    room(
      'inbox',
      ['domain', 'store'],
      'What arrived is kept in a file of its own, so that no long run keeps a webhook waiting.',
    ),
    room(
      'server',
      ['domain', 'files', 'inbox', 'page'],
      'The server proves who speaks, keeps what was said and answers; jobs act on it later.',
    ),
    room('schedule', ['domain', 'store'], 'When something is due is a question of the clock alone.'),
    room(
      'page',
      ['domain', 'rules', 'report', 'store', 'views'],
      'A page is a function of facts: text in, escaped HTML out.',
    ),
    {
      name: 'page-asks-no-table',
      severity: 'error',
      comment: 'A page draws rows as the store types them, and reads none.',
      from: { path: '^src/page/' },
      to: { path: '^src/store/', dependencyTypesNot: ['type-only'] },
    },
    room(
      'store',
      ['domain', 'files', 'migrations'],
      'Tables know the words of the domain and nothing of who fills them.',
    ),
    room(
      'warehouse',
      ['domain', 'files', 'gaql', 'store', 'migrations', 'views'],
      'A table follows from a checked query, never from a response; a published file lacks what migrations derive.',
    ),
    room(
      'extract',
      ['domain', 'gaql', 'http', 'apis/ads', 'store', 'warehouse'],
      'Extraction moves rows and decides nothing about money.',
    ),
    room('budgets', ['domain', 'http', 'apis/ads', 'store'], 'The money path is small enough to be read whole.'),
    room(
      'alerts',
      ['domain', 'http', 'apis/messages', 'apis/graph', 'store', 'config'],
      'Alerts report what is already committed, to whom the settings say.',
    ),
    room(
      'views',
      ['domain', 'gaql', 'rules', 'trial', 'store', 'report', 'page'],
      'A view describes rows once: it reads them from the store, and its renderers draw them with the kits of text and page.',
    ),
    room(
      'report',
      ['domain', 'rules', 'store', 'trial', 'warehouse', 'views'],
      'A report reads results and changes nothing.',
    ),
    room(
      'sandbox',
      ['domain', 'gaql'],
      'The counterparty shares the language with the client and no code of the edges it tests.',
    ),
    room('config', ['domain', 'yaml', 'gaql', 'schedule'], 'Settings are read once and handed on as values.'),
    {
      name: 'jobs-imports',
      severity: 'error',
      comment: 'Jobs join the rooms; what starts a process (cli, main) stays above them.',
      from: { path: '^src/jobs/' },
      to: { path: '^src/(cli|main|page-worker)' },
    },
    {
      name: 'pure-rooms',
      severity: 'error',
      comment: 'domain, gaql, rules, simulation and trial have no clock, no network, no file system and no process.',
      from: { path: '^src/(domain|gaql|rules|simulation|trial|yaml)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'database-below-the-store',
      severity: 'error',
      comment: 'Only the rooms that own a file open one.',
      from: { path: '^src/', pathNot: '^src/(store|warehouse|extract|sandbox|inbox|schedule)/' },
      to: { path: 'node_modules/better-sqlite3' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'Two files that need each other are one file, or three.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'A file that nobody imports is dead.',
      from: { orphan: true, path: '^src/', pathNot: '^src/(main|page-worker)\\.ts$' },
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
