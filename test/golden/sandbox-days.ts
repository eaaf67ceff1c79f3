import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { micros } from '../../src/domain/micros.ts';
import { openSandboxStore } from '../../src/sandbox/sandbox-store.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { type GoldenWorld, goldenWorld } from './world.ts';

const EUR = '4081725530';
/** Two currencies, one of them without decimals. */
const TWO = `--customer ${EUR} 9264813507`;
const TRIMMED_BUDGET = '11087030970';
const OTHER_BUDGET = '11087061940';

const configOf = (mode: 'propose' | 'approve' | 'apply') => `automation: { mode: ${mode} }
extract: { concurrency: 1 }
ads: { retry: { attempts: 1, first_delay_ms: 0 } }
accounts: { ${EUR}: { locale: de-DE, daily_total: 600 } }
alerts:
  recipients:
    anna: { messages: "whatsapp:+15550100002" }
    ben: { messages: "whatsapp:+15550100004", quiet_hours: 10:00-14:00 }
  approvers: { anna: "+15550100002" }
schedule:
  - { name: morning-report, cron: "30 5 * * *", time_zone: UTC, job: report }
  - { name: readings, cron: "0 */6 * * *", time_zone: Europe/Berlin, job: extract }
`;

/** Four days of the seeded sandbox on which all that can happen to a budget does. */
export async function sandboxDays(): Promise<ReadonlyMap<string, string>> {
  const world = goldenWorld();
  const { folder, run } = world;
  const mode = (name: Parameters<typeof configOf>[0]) => writeFileSync(join(folder, 'pacekeeper.yaml'), configOf(name));
  cpSync('test/golden/inputs/sandbox', folder, { recursive: true });
  for (const file of ['campaign.sql', 'campaign_budget.sql', 'campaign_spend.sql']) {
    cpSync(join('queries', file), join(folder, 'queries', file));
  }
  cpSync('rules/month-pacing.yaml', join(folder, 'rules', 'month-pacing.yaml'));

  world.at('2026-11-17T11:00:00Z');
  mode('propose');
  await run('doctor --offline');
  await run('status');
  await run(`report --dry-run --query campaign_spend ${TWO}`);
  await run(`report --verbose ${TWO}`);

  world.at('2026-11-18T11:00:00Z');
  mode('approve');
  await run(`report ${TWO}`);
  await run('budgets list');
  const [first = '', second = ''] = world.waiting();
  await run(`budgets approve ${first} --why "agreed with the client" --format json`);
  await run(`budgets reject ${second} --by ben --why "the sale ends tomorrow" --format json`);
  await run(`budgets approve ${second}`);
  await run(`budgets reject ${second}`);
  await run(`report ${TWO}`, { onStop: (stop) => stop() });
  await run(`report --query campaign ${TWO}`, { env: { PACEKEEPER_FAULT: '503,at=stream' } });
  await run('status');
  await run('status --format json');

  world.at('2026-11-19T11:00:00Z');
  mode('apply');
  await run('alerts silence --rule clicks-* --for 2d --why "the shop is closed"');
  await run('alerts silence --severity info --for 2h --why noise --format json');
  await run('alerts silence --end S2');
  await run(`report --format json ${TWO}`);
  await run(`report --no-extract ${TWO}`);
  await run('budgets undo B2 --why "sale ends later" --format json');
  await run('budgets undo B2');
  await run('freeze --by ben --why "looks wrong"');
  await run('freeze --format json');

  world.at('2026-11-20T12:00:00Z');
  changeElsewhere(folder, '2026-11-20T11:00:00Z');
  await run(`report ${TWO}`);
  await world.show('status', 'budgets list', 'alerts list', 'rules evaluate');
  await run('unfreeze --why "was right"');
  await run('unfreeze --why again --format json');
  await run(`report --verbose ${TWO}`, { env: { PACEKEEPER_FAULT: 'reset-after,at=mutate' } });
  await run('status --format json');
  await run('budgets list');
  await run('budgets list --format json');
  await run('budgets reconcile');
  await run('budgets reconcile --format json');
  world.at('2026-11-20T14:00:00Z');
  await run(`report --format html ${TWO}`);
  await run(`extract --from 2026-11-01 --to 2026-11-03 --query stats ${TWO}`);
  await run('extract --resume --format json');
  await run('alerts test --to anna');
  await run('alerts test --to ben --format json');
  await run('alerts deliver');
  await run('alerts deliver --format json');
  await run('messages send whatsapp:+15550100002 Hello');
  await run('messages send whatsapp:+15550100002 Hello --format json');
  await run('schedule --once');
  await run('serve --once');
  await showAll(world);
  await showServices(world);
  await keepPages(world);
  await runRefused(world);
  world.keepTables('state', [
    'campaign',
    'campaign_budget',
    'campaign_spend',
    'stats',
    'loaded_piece',
    'kysely_migration',
    'publication',
  ]);
  world.keepTables('warehouse', [
    'budget_event',
    'campaign_spend',
    'campaign_spend_by_day',
    'campaign_spend_by_week',
    'stats',
    'weeks',
  ]);
  world.keepFiles('data', ['metadata.json']);
  await copy(world);
  await refreshCatalogue(world);
  return world.files();
}

/** Somebody sets a budget at the service that this program has changed before. */
function phoneWrites(folder: string, at: string): void {
  const store = openSandboxStore(join(folder, 'data', 'sandbox.sqlite'));
  store.phoneWrote('graph', '15550100002', Date.parse(at));
  store.close();
}

function changeElsewhere(folder: string, at: string): void {
  const store = openSandboxStore(join(folder, 'data', 'sandbox.sqlite'));
  const change = { customerId: EUR, budgetId: OTHER_BUDGET, amountMicros: micros(58_000_000n) };
  store.applyBudgets([change], Date.parse(at));
  store.close();
}

async function showAll({ show, waiting, folder }: GoldenWorld): Promise<void> {
  await show('budgets list --all', 'budgets history', `budgets show ${waiting()[0]}`);
  await show('budgets show B1', 'budgets show B2', 'budgets show B4');
  await show('alerts list --all', 'audit verify', 'audit verify --offline', 'coverage', 'pacing', 'rules list');
  for (const rule of ['trim', 'month-pacing', 'too-low', 'not-known', 'spend-today'])
    await show(`rules explain ${rule}`);
  await show('rules backtest trim --from 2026-11-14 --to 2026-11-19');
  await show('rules backtest too-low --from 2026-11-14 --to 2026-11-16 --all');
  await show('rules schema', 'config show', 'config show --all', 'config schema', 'doctor');
  await show('check', 'check --schema', 'check --online', 'check wrong/bad.sql wrong/bad.yaml');
  await show('check --explain EXPECTED_FILTERS_ON_DATE_RANGE');
  await show('fields product_link', 'fields metrics.clicks', 'fields --search budget campaign');
  await show('simulate --days 10 --campaigns 4');
  writeFileSync(join(folder, 'queries', 'stats.tests.yaml'), TESTS);
  await show('test');
  rmSync(join(folder, 'queries', 'stats.tests.yaml'));
}

const TESTS = `tests:
  - { not_null: campaign_name }
  - { name: few_clicks, range: { column: clicks, max: 0 } }
  - { name: no_such_day, severity: warn, sql: "SELECT * FROM stats WHERE date < '2020-01-01'" }
`;

async function showServices({ run, show, folder }: GoldenWorld): Promise<void> {
  await show('accounts', 'ideas tent', 'sandbox inbox', 'container status');
  await show('graph phone-numbers', 'graph permissions', 'graph diagnose-pages');
  await run('import gaarf --queries imported --models imported/models');
  await run('graph send 15550100002 Hello');
  phoneWrites(folder, '2026-11-20T13:00:00Z');
  await run('graph send 15550100002 Hello --format json');
  await run('graph revoke');
  await run('sandbox deactivate-features');
  await run('graph revoke --format json');
  await run('sandbox deactivate-features');
  await show('graph page-tokens');
  await run('container login');
  await run('container login --format json');
  await run('init fresh --target sandbox --time-zone Europe/Berlin --yes');
  await run('init fresh --yes');
  await run('sandbox --port 0 --data-dir other', { onStop: (stop) => setImmediate(stop) });
}

async function keepPages(world: GoldenWorld): Promise<void> {
  const code = world.waiting()[0];
  const { folder, run } = world;
  const runs = [1, 2, 3, 4, 6, 7, 12].map((run) => `/runs/${run}`);
  const filtered = ['/?from=2026-11-01&to=2026-11-15', `/accounts/${EUR}`];
  const lists = [
    '/login',
    '/',
    ...filtered,
    '/inbox',
    '/runs',
    '/coverage',
    `/coverage?query=stats&customer=${EUR}`,
    '/alerts',
  ];
  const budgets = ['/budgets', ...[TRIMMED_BUDGET, OTHER_BUDGET].map((id) => `/budgets/${EUR}/${id}`)];
  await world.keepPages([...lists, ...runs, ...budgets, '/runs/999', '/health', '/metrics'], async (address) => {
    const { stdout, stderr } = await runInProcess(['sandbox', 'reply', `NO ${code}`, '--to', address], { folder });
    world.keep('steps/reply.txt', `$ pacekeeper sandbox reply "NO ${code}"\n${stdout}\n${stderr}`);
    await expect.poll(world.answered).toBe(1);
  });
  await run('serve token --name ben');
  await run('serve token --list');
  await run('serve token --revoke ben');
}

/** Command lines that are refused before they begin. */
async function runRefused({ run }: GoldenWorld): Promise<void> {
  for (const words of [
    'reprot',
    'report --dry',
    'report --query stat',
    'report --customer 12',
    'coverage --format xls',
  ])
    await run(words);
  for (const words of [
    'budgets show ZZZZ',
    'rules explain trimm',
    'status --data-dir nowhere',
    'report --config none.yaml',
  ])
    await run(words);
}

/** Copies the databases, takes them away and brings them back. */
async function copy({ run, folder }: GoldenWorld): Promise<void> {
  await run('publish');
  await run('warehouse rebuild stats --dry-run');
  await run('warehouse rebuild stats');
  await run('backup backups/');
  await run('backup backups/state.sqlite --force');
  await run('restore backups/state.sqlite --why "the disk was full"');
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, 'data', `state.sqlite${end}`), { force: true });
  await run(`report ${TWO}`);
  await run('adopt --why "state.sqlite was deleted"');
  await run('status');
  await run('migrate-store --from data --to env:NOWHERE');
  await run('migrate-store --from data --to env:NOWHERE --format json');
  await run('worker');
}

/** Last, because later commands would check queries against the sandbox's fields only. */
async function refreshCatalogue({ run, show }: GoldenWorld): Promise<void> {
  await run('catalogue refresh');
  await show('catalogue status', 'catalogue diff v25 spec');
  await run('alerts acknowledge --all');
  await run('forget +15550100002');
  await run('forget +4915112345678 --format json');
  await run('watch --once');
  await run('watch --once --format json');
  await show('tables');
  await run('tables weeks');
  await run('tables wekes');
  await run('serve link create --table spend');
  await show('serve link list');
  await show('agents', 'mcp');
  const about =
    '--customer 4081725530 --budget 21 --reason dear --evidence {"clicks":"30"} --as-of 2026-11-20T14:00:00Z';
  await show(
    `agents propose --agent desk ${about} --to "54.00 EUR" --key morning-01`,
    'agents withdraw K7PX --agent desk',
  );
  await run('serve link revoke 1');
}
