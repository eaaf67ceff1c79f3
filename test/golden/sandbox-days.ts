import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInProcess } from '../cli/run-in-process.ts';
import { type GoldenWorld, goldenWorld } from './world.ts';

const EUR = '4081725530';
/** Two currencies, one of them without decimals. */
const TWO = ['--customer', EUR, '9264813507'];
const TRIMMED_BUDGET = '11087030970';

const STATS = `-- Clicks and cost of the keywords of three campaigns.
SELECT campaign.id, campaign.name, ad_group.id, ad_group.name, ad_group_criterion.criterion_id,
  ad_group_criterion.keyword.text, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date
FROM keyword_view
WHERE segments.date DURING LAST_14_DAYS AND campaign.name IN ('Generisch - Wanderschuhe', 'Schlafsäcke', '画材')
`;

const change = (lines: readonly string[]) => `${lines.join('\n')}\n`;

/** Rules that change, ask, suggest, are refused, contradict each other, tell, pace and do not know. */
const RULES: Readonly<Record<string, string>> = {
  'trim.yaml': change([
    'description: Cut expensive clicks.',
    'from: stats',
    'for: campaign',
    'over: 7 days',
    'when: clicks >= 30 AND cost / clicks > 2.50',
    'currency: EUR',
    'change: decrease budget by 15%',
    'limits: { floor: 5, ceiling: 200, step: 20% }',
    'mode: apply',
    'alert: { severity: warning, text: "{campaign_name}: {cost / clicks} a click" }',
  ]),
  'trim-later.yaml': change([
    'description: Comes too late for the same budget.',
    'from: stats',
    'for: campaign',
    'over: 7 days',
    'when: clicks >= 30 AND cost / clicks > 2.50',
    'currency: EUR',
    'change: decrease budget by 5%',
    'limits: { floor: 5 }',
    'mode: apply',
  ]),
  'raise-winners.yaml': change([
    'description: Ask before raising budgets that are used up on cheap clicks.',
    'from: campaign_spend',
    'for: campaign',
    "where: campaign_name IN ('万年筆', '手帳', '画材')",
    'over: 7 days',
    'when: clicks >= 30',
    'currency: JPY',
    'change: increase budget by 10%',
    'limits: { floor: 500, ceiling: 9000, step: 10%, cooldown: 2 days, drift: 50% over 30 days }',
    'mode: approve',
  ]),
  'too-low.yaml': change([
    'description: Wants less than its floor.',
    'from: campaign_spend',
    'for: campaign',
    "where: campaign_name LIKE 'Rucks%' OR campaign_name = 'Kletterausrüstung'",
    'over: 7 days',
    'when: clicks >= 1',
    'currency: EUR',
    'change: decrease budget by 10%',
    'limits: { floor: 1000 }',
    'mode: apply',
  ]),
  'too-much.yaml': change([
    "description: Wants more than the account's daily total.",
    'from: campaign_spend',
    'for: campaign',
    "where: campaign_name = 'Marke - Alpenkontor'",
    'over: 7 days',
    'when: clicks >= 1',
    'currency: EUR',
    'change: increase budget by 50%',
    'limits: { ceiling: 2000 }',
    'mode: apply',
  ]),
  'suggest-less.yaml': change([
    'description: Suggest a smaller budget where little of it is used.',
    'from: campaign_spend',
    'for: budget',
    'over: 28 days',
    'when: clicks >= 30 AND cost < 35% * 28 * budget',
    'change: set budget to 2 * cost / 28',
    'limits: { cooldown: 14 days }',
    'mode: propose',
  ]),
  'spend-today.yaml': change([
    'description: Tell of the spend of today.',
    'from: campaign_spend',
    'for: account',
    'over: today',
    'when: cost > 0',
    'alert: { severity: critical, text: "{cost} spent today, {clicks} clicks" }',
  ]),
  'clicks-seen.yaml': change([
    'description: Tell of keywords that are clicked much.',
    'from: stats',
    'for: keyword',
    'over: yesterday',
    'when: clicks >= 6',
    'alert: { severity: info, text: "{ad_group_criterion_keyword_text}: {clicks} clicks" }',
  ]),
  'not-known.yaml': change([
    'description: Needs more days than there are.',
    'from: campaign_spend',
    'for: campaign',
    'over: 3 days',
    'when: clicks > 2 * clicks over previous 30 days',
    'alert: { severity: info, text: "{campaign_name} has doubled" }',
  ]),
};

const BAD_QUERY = `SELECT campaign.nam, metrics.clicks, segments.date
FROM keyword_view
WHERE segments.date DURING LAST_FEW_DAYS
`;

function configOf(mode: 'propose' | 'approve' | 'apply'): string {
  return `automation: { mode: ${mode} }
extract: { concurrency: 1 }
ads: { retry: { attempts: 1, first_delay_ms: 0 } }
accounts: { 4081725530: { locale: de-DE, daily_total: 600 } }
alerts:
  recipients:
    anna: { messages: "whatsapp:+15550100002" }
    ben: { messages: "whatsapp:+15550100004", quiet_hours: 10:00-14:00 }
  approvers: { anna: "+15550100002" }
schedule:
  - { name: morning-report, cron: "30 5 * * *", time_zone: UTC, job: report }
  - { name: readings, cron: "0 */6 * * *", time_zone: Europe/Berlin, job: extract }
`;
}

function prepare(folder: string): void {
  for (const name of ['queries', 'rules', 'wrong']) mkdirSync(join(folder, name));
  for (const name of ['campaign.sql', 'campaign_budget.sql', 'campaign_spend.sql']) {
    cpSync(join('queries', name), join(folder, 'queries', name));
  }
  cpSync(join('rules', 'month-pacing.yaml'), join(folder, 'rules', 'month-pacing.yaml'));
  for (const [name, text] of Object.entries(RULES)) writeFileSync(join(folder, 'rules', name), text);
  writeFileSync(join(folder, 'queries', 'stats.sql'), STATS);
  writeFileSync(join(folder, 'wrong', 'bad.sql'), BAD_QUERY);
  writeFileSync(join(folder, 'wrong', 'bad.yaml'), (RULES['trim.yaml'] ?? '').replace('floor: 5', 'flor: 5'));
}

/** Four days of the seeded sandbox: suggested, approved, applied, undone, frozen. */
export async function sandboxDays(): Promise<ReadonlyMap<string, string>> {
  const world = goldenWorld();
  const { folder, run } = world;
  const mode = (name: Parameters<typeof configOf>[0]) => writeFileSync(join(folder, 'pacekeeper.yaml'), configOf(name));
  prepare(folder);

  world.at('2026-11-17T11:00:00Z');
  mode('propose');
  await run(['doctor', '--offline']);
  await run(['status']);
  await run(['report', '--dry-run', ...TWO]);
  await run(['report', ...TWO]);

  world.at('2026-11-18T11:00:00Z');
  mode('approve');
  await run(['report', ...TWO]);
  await run(['budgets', 'list']);
  const [first = '', second = ''] = world.waiting();
  await run(['budgets', 'approve', first, '--why', 'agreed with the client', '--format', 'json']);
  await run(['budgets', 'reject', second, '--by', 'ben', '--why', 'the sale ends tomorrow', '--format', 'json']);
  await run(['budgets', 'approve', second]);
  await run(['budgets', 'reject', second]);

  world.at('2026-11-19T11:00:00Z');
  mode('apply');
  await run(['alerts', 'silence', '--rule', 'clicks-*', '--for', '2d', '--why', 'the shop is closed']);
  await run(['alerts', 'silence', '--severity', 'info', '--for', '2h', '--why', 'noise', '--format', 'json']);
  await run(['alerts', 'silence', '--end', 'S2']);
  await run(['report', '--format', 'json', ...TWO]);
  await run(['report', '--no-extract', ...TWO]);
  await run(['budgets', 'undo', 'B2', '--why', 'sale ends later', '--format', 'json']);
  await run(['budgets', 'undo', 'B2']);
  await run(['freeze', '--by', 'ben', '--why', 'looks wrong']);
  await run(['freeze', '--format', 'json']);

  world.at('2026-11-20T12:00:00Z');
  await run(['report', ...TWO]);
  await showState(world);
  await run(['unfreeze', '--why', 'was right']);
  await run(['unfreeze', '--why', 'again', '--format', 'json']);
  await run(['report', '--format', 'html', ...TWO]);
  await run(['extract', '--from', '2026-11-01', '--to', '2026-11-03', '--query', 'stats', ...TWO]);
  await run(['extract', '--resume', '--format', 'json']);
  await run(['budgets', 'reconcile']);
  await run(['budgets', 'reconcile', '--format', 'json']);
  await run(['alerts', 'test', '--to', 'anna']);
  await run(['alerts', 'test', '--to', 'ben', '--format', 'json']);
  await run(['alerts', 'deliver']);
  await run(['alerts', 'deliver', '--format', 'json']);
  await run(['messages', 'send', 'whatsapp:+15550100002', 'Hello']);
  await run(['messages', 'send', 'whatsapp:+15550100002', 'Hello', '--format', 'json']);
  await run(['schedule', '--once']);
  await run(['serve', '--once']);
  await showAll(world);
  await showServices(world);
  await keepPages(world);
  await run(['serve', 'token', '--name', 'ben']);
  await run(['serve', 'token', '--list']);
  await run(['serve', 'token', '--revoke', 'ben']);
  await showRefused(world);
  world.keepTables('state', [
    'campaign',
    'campaign_budget',
    'campaign_spend',
    'stats',
    'loaded_piece',
    'kysely_migration',
    'publication',
  ]);
  world.keepTables('warehouse', ['campaign_spend', 'campaign_spend_by_day', 'campaign_spend_by_week', 'stats']);
  world.keepFiles('data/runs');
  world.keepFiles('data', ['metadata.json']);
  await copies(world);
  return world.files();
}

/** What stands in the databases, while budgets are frozen. */
async function showState(world: GoldenWorld): Promise<void> {
  await world.show('status');
  await world.show('budgets', 'list');
  await world.show('alerts', 'list');
  await world.show('rules', 'evaluate');
}

async function showAll({ show, waiting }: GoldenWorld): Promise<void> {
  const [code = ''] = waiting();
  await show('budgets', 'list', '--all');
  await show('budgets', 'history');
  await show('budgets', 'show', code);
  await show('budgets', 'show', 'B1');
  await show('budgets', 'show', 'B2');
  await show('alerts', 'list', '--all');
  await show('audit', 'verify');
  await show('audit', 'verify', '--offline');
  await show('coverage');
  await show('pacing');
  await show('rules', 'list');
  for (const rule of ['trim', 'month-pacing', 'too-low', 'not-known', 'spend-today'])
    await show('rules', 'explain', rule);
  await show('rules', 'backtest', 'trim', '--from', '2026-11-14', '--to', '2026-11-19');
  await show('rules', 'backtest', 'too-low', '--from', '2026-11-14', '--to', '2026-11-16', '--all');
  await show('rules', 'schema');
  await show('config', 'show');
  await show('config', 'show', '--all');
  await show('config', 'schema');
  await show('check');
  await show('check', '--schema');
  await show('check', '--online');
  await show('check', 'wrong/bad.sql', 'wrong/bad.yaml');
  await show('check', '--explain', 'EXPECTED_FILTERS_ON_DATE_RANGE');
  await show('fields', 'product_link');
  await show('fields', 'metrics.clicks');
  await show('fields', '--search', 'budget', 'campaign');
  await show('doctor');
  await show('simulate', '--days', '10', '--campaigns', '4');
}

async function showServices({ run, show, folder }: GoldenWorld): Promise<void> {
  await show('accounts');
  await show('ideas', 'tent');
  await show('sandbox', 'inbox');
  await show('graph', 'phone-numbers');
  await show('graph', 'permissions');
  await show('graph', 'diagnose-pages');
  await run(['graph', 'send', '15550100002', 'Hello']);
  await run(['graph', 'send', '15550100002', 'Hello', '--format', 'json']);
  await run(['sandbox', 'deactivate-features']);
  await run(['graph', 'revoke']);
  await run(['graph', 'revoke', '--format', 'json']);
  await show('graph', 'page-tokens');
  await show('container', 'status');
  await run(['container', 'login']);
  await run(['container', 'login', '--format', 'json']);
  await run(['init', 'fresh', '--target', 'sandbox', '--time-zone', 'Europe/Berlin', '--yes']);
  await run(['init', 'fresh', '--yes']);
  await run(['sandbox', '--port', '0', '--data-dir', join(folder, 'other')], { onStop: (stop) => setImmediate(stop) });
}

async function keepPages({ folder, keepPages: keep, waiting, keep: keepText }: GoldenWorld): Promise<void> {
  const paths = [
    '/',
    '/proposals',
    '/runs',
    '/runs/1',
    '/runs/2',
    '/runs/3',
    '/runs/5',
    '/coverage',
    '/budgets',
    '/alerts',
  ];
  const more = [`/coverage?query=stats&customer=${EUR}`, `/budgets/${EUR}/${TRIMMED_BUDGET}`, '/runs/999'];
  await keep([...paths, ...more, '/health', '/metrics'], async (address) => {
    const [code = ''] = waiting();
    const { stdout, stderr } = await runInProcess(['sandbox', 'reply', `NO ${code}`, '--to', address], { folder });
    keepText('steps/reply.txt', `$ pacekeeper sandbox reply "NO ${code}"\n${stdout}\n${stderr}`);
  });
}

/** What is refused before it begins. */
async function showRefused({ run }: GoldenWorld): Promise<void> {
  await run(['reprot']);
  await run(['report', '--dry']);
  await run(['report', '--query', 'stat']);
  await run(['report', '--customer', '12']);
  await run(['coverage', '--format', 'xlsx']);
  await run(['budgets', 'show', 'ZZZZ']);
  await run(['rules', 'explain', 'trimm']);
  await run(['status', '--data-dir', 'nowhere']);
  await run(['report', '--config', 'nowhere.yaml']);
}

/** Takes the databases away and brings them back. */
async function copies({ run, folder }: GoldenWorld): Promise<void> {
  await run(['publish']);
  await run(['warehouse', 'rebuild', 'stats', '--dry-run']);
  await run(['warehouse', 'rebuild', 'stats']);
  await run(['backup', 'backups/']);
  await run(['backup', 'backups/state.sqlite', '--force']);
  await run(['restore', 'backups/state.sqlite', '--why', 'the disk was full']);
  for (const name of ['state.sqlite', 'state.sqlite-wal', 'state.sqlite-shm'])
    rmSync(join(folder, 'data', name), { force: true });
  await run(['report', ...TWO]);
  await run(['adopt', '--why', 'state.sqlite was deleted']);
  await run(['status']);
}
