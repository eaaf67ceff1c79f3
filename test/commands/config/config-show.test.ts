import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SECRET_SETTINGS } from '../../../src/config/setting-tree.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

/** `config show` over a file and an `.env`, 80 columns wide. */
async function show(file: string, envFile = '', env: Record<string, string> = {}, ...more: string[]) {
  const folder = tempDir();
  writeFileSync(join(folder, 'pacekeeper.yaml'), file);
  writeFileSync(join(folder, '.env'), envFile);
  return runInProcess(['config', 'show', ...more], { folder, env, columns: 80 });
}

const SECRET_PATHS = SECRET_SETTINGS.map(({ at }) => at);
const SECRET_NAMES = SECRET_SETTINGS.flatMap(({ env }) => env);

const ADDRESSES = [
  'heartbeat.url',
  'slack.webhooks',
  'teams.webhooks',
  'google_chat.webhooks',
  'discord.webhooks',
  'webhook.urls',
];
const KEYS: Readonly<Record<string, string>> = {
  'ntfy.topics': 'in-the-file-topic',
  'pagerduty.routing_keys': 'InTheFileKey00000000000000000000',
  'publish.postgres.url': 'postgres://user-1:in-the-file@db.example.com/bi',
};
const SIGNING = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

describe('config show', () => {
  it('shows where every setting comes from, by line and by name', async () => {
    const file = [
      'target: sandbox',
      'automation:',
      '  mode: propose',
      'ads: { catalogue: spec, retry: { attempts: 2 } }',
      'log: { format: text }',
      'alerts:',
      '  recipients: { anna: { messages: "whatsapp:+15550100002", quiet_hours: 22:00-07:00 } }',
      '  approvers: { anna: "+15550100002" }',
      '  routes:',
      '    - { to: anna, severities: [info, warning] }',
      'accounts: { 123-456: { currency: EUR } }',
    ].join('\n');
    const { code, stdout } = await show(file, 'PACEKEEPER_LOG=json\nSERVE_PORT=4030', { SERVE_PORT: '4040' });
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "  Setting                             Value            From
        target                              sandbox          pacekeeper.yaml:1
        automation.mode                     propose          pacekeeper.yaml:3
        ads.catalogue                       spec             pacekeeper.yaml:4
        ads.retry.attempts                  2                pacekeeper.yaml:4
        serve.port                          4040             environment SERVE_PORT
        log.format                          json             .env PACEKEEPER_LOG
          pacekeeper.yaml:5 also sets it; that value is not used.
        alerts.recipients.anna.messages     whatsapp:+15…02  pacekeeper.yaml:7
        alerts.recipients.anna.quiet_hours  22:00-07:00      pacekeeper.yaml:7
        alerts.routes[0].to                 anna             pacekeeper.yaml:10
        alerts.routes[0].severities         info, warning    pacekeeper.yaml:10
        alerts.approvers.anna               +15…02           pacekeeper.yaml:8
        accounts.123-456.currency           EUR              pacekeeper.yaml:11
      "
    `);
  });

  it('hides every secret of the file and the environment, and values that may contain one', async () => {
    const areas = [...new Set(SECRET_PATHS.map((path) => path.split('.')[0] ?? ''))];
    const file = areas.map((area) => {
      const paths = SECRET_PATHS.filter((path) => path.startsWith(`${area}.`));
      const value = (path: string) =>
        ADDRESSES.includes(path)
          ? 'https://b.example.com/in-the-file'
          : path === 'webhook.secrets'
            ? SIGNING
            : (KEYS[path] ?? `in-the-file-of-settings-${path}`);
      const nested = ([name, ...below]: readonly string[], inner: string): string =>
        `${name}: ${below.length === 0 ? inner : `{ ${nested(below, inner)} }`}`;
      return `${area}: { ${paths.map((path) => nested(path.split('.').slice(1), value(path))).join(', ')} }`;
    });
    const env = Object.fromEntries(SECRET_NAMES.map((name) => [name, `in-the-environment-${name}-0000`]));
    const address = 'https://beat.example.com/in-the-environment';
    const all = {
      ...env,
      HEARTBEAT_URL: address,
      SLACK_WEBHOOKS: address,
      TEAMS_WEBHOOKS: address,
      GOOGLE_CHAT_WEBHOOKS: address,
      DISCORD_WEBHOOKS: address,
      PUBLISH_POSTGRES_URL: 'postgres://user-1:in-the-environment@db.example.com/bi',
      PAGERDUTY_ROUTING_KEYS: 'InTheEnvironmentKey0000000000000',
      WEBHOOK_URLS: address,
      WEBHOOK_SECRETS: SIGNING,
    };
    const proxy = { https_proxy: 'http://user-1:in-the-proxy@proxy.example.com:8080' };
    for (const given of [{}, { ...all, ...proxy, ADS_URL: 'https://user-1:in-the-url@ads.example.com' }]) {
      const { code, stdout, stderr } = await show(file.join('\n'), '', given, '--format', 'json');
      expect(code).toBe(0);
      expect(stdout).not.toMatch(/in-the-|InThe|user-1|whsec_/);
      expect(stdout.match(/set \(hidden\)/g)?.length).toBeGreaterThanOrEqual(SECRET_PATHS.length);
      expect(stderr).toBe('');
    }
  });

  it('shows no complete telephone number', async () => {
    const file = [
      'messages: { from: "whatsapp:+4915112345678", to: [sms:+4915112345678] }',
      'graph: { phone_number_id: 4915112345678 }',
      'alerts: { recipients: { anna: { graph: 4915112345678 } }, approvers: ["+4915112345678"] }',
    ];
    const { stdout } = await show(file.join('\n'), 'MESSAGES_FROM=whatsapp:+4915112345678');
    expect(stdout).toContain('whatsapp:+49…78');
    expect(stdout).not.toContain('15112345');
  });

  it('shows every setting with --all, with the defaults', async () => {
    const { stdout } = await show('sandbox: { seed: 2 }', '', {}, '--all', '--format', 'json');
    const found = new Map(
      (JSON.parse(stdout) as { key: string; value: string; from: string }[]).map(({ key, ...rest }) => [key, rest]),
    );
    expect(found.get('sandbox.seed')).toMatchObject({ value: '2', from: 'pacekeeper.yaml:1' });
    expect(found.get('serve.host')).toMatchObject({ value: '127.0.0.1', from: 'default' });
    expect(found.size).toBeGreaterThan(60);
  });

  it('says if there is nothing to show, and what is wrong with invalid settings', async () => {
    expect((await show('')).stdout).toBe('All settings are at their defaults; --all shows them.\n');
    const broken = await show('target: live\nads: { urll: x }');
    expect(broken).toMatchObject({ code: 2, stdout: '' });
    expect(broken.stderr).toContain('Did you mean url?');
  });
});

it('config show keeps the settings of one list entry together', async () => {
  const jobs = ['a', 'b'].map((name) => `  - { name: ${name}, cron: "0 5 * * *", job: report }\n`);
  const { stdout } = await show(`schedule:\n${jobs.join('')}`);
  expect(stdout.match(/schedule\[\d\]\.\w+/g)).toEqual(
    [0, 1].flatMap((index) => ['name', 'cron', 'job'].map((key) => `schedule[${index}].${key}`)),
  );
});
