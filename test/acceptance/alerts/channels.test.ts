import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { headersOf, mailServer, reply } from '../../support/mail-server.ts';
import { createProduct } from '../../support/product.ts';
import { stubServer } from '../../support/stub-server.ts';

const SECRET = `whsec_${Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64')}`;

const CONFIG = `alerts:
  recipients:
    anna: { email: anna@example.com }
    team: { slack: default }
    own: { webhook: default }
    ops: { alertmanager: ads-team }
  digest_at: never
`;

describe('alerts by mail, Slack, webhook and Alertmanager', () => {
  it('arrive once each, and no record, page or listing has a secret address', async () => {
    const mail = await mailServer();
    const { url, requests } = await stubServer((_request, response) => response.writeHead(200).end('ok'));
    const product = await createProduct({ config: CONFIG });
    const env = {
      EMAIL_URL: `smtp://127.0.0.1:${mail.port}`,
      EMAIL_FROM: 'pacekeeper@example.org',
      SLACK_WEBHOOKS: `${url}/services/T0/verysecret`,
      WEBHOOK_URLS: `${url}/hook/alsosecret`,
      WEBHOOK_SECRETS: SECRET,
      ALERTMANAGER_URL: `${url}/am`,
    };
    const run = (args: readonly string[]) => product.run(args, { env });
    const { code, stdout } = await run(['report', '--format', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).messages).toMatchObject([
      { name: 'anna', channel: 'email', recipient: 'a…@example.com', state: 'accepted', alerts: 1 },
      { name: 'team', channel: 'slack', recipient: 'slack:default', state: 'accepted' },
      { name: 'own', channel: 'webhook', recipient: 'webhook:default', state: 'accepted' },
      { name: 'ops', channel: 'alertmanager', recipient: 'alertmanager:ads-team', state: 'accepted' },
    ]);
    expect(mail.mails.map((one) => headersOf(one).get('subject'))).toEqual([
      expect.stringMatching(/^Alpenkontor Outdoor GmbH: Budget changed: /),
    ]);
    expect(requests.map(({ path }) => path)).toEqual([
      '/services/T0/verysecret',
      '/hook/alsosecret',
      '/am/api/v2/alerts',
    ]);
    expect((await run(['alerts', 'deliver'])).code).toBe(0);
    expect([mail.mails.length, requests.length]).toEqual([1, 3]);

    const listings = [['alerts', 'list', '--all'], ['status'], ['config', 'show'], ['doctor']];
    const shown = (await Promise.all(listings.map(run))).map((one) => one.stdout + one.stderr);
    const page = readFileSync(join(product.folder, 'data', 'report.html'), 'utf8');
    const records = JSON.stringify([product.rows('SELECT * FROM message'), product.rows('SELECT * FROM outbox')]);
    for (const text of [...shown, page, records]) expect(text).not.toMatch(/verysecret|alsosecret|whsec_/);
    for (const text of [...shown, page]) expect(text).not.toContain('anna@example.com');
    expect(shown[3]).toContain(`smtp://127.0.0.1:${mail.port}: the server answers`);
  });

  it('arrive on phones, in chats and at PagerDuty, and no record, page or listing has a secret', async () => {
    const KEY = 'a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6';
    const answers: Readonly<Record<string, readonly [status: number, text: string]>> = {
      ntfy: [200, '{"id":"x"}'],
      teams: [202, ''],
      chat: [200, '{"name":"spaces/S/messages/1"}'],
      discord: [404, `{"message":"Unknown Webhook ${KEY}","code":10015}`],
      pd: [202, '{"status":"success"}'],
    };
    const { url, requests } = await stubServer(({ path }, response) => {
      const [status, text] = answers[path.split('/')[1] ?? ''] ?? [404, ''];
      response.writeHead(status).end(text);
    });
    const product = await createProduct({
      config: `alerts:
  recipients:
    phone: { ntfy: default }
    one: { teams: default }
    two: { google_chat: sales }
    three: { discord: default }
    oncall: { pagerduty: default }
  digest_at: never
google_chat: { webhooks: { sales: "${url}/chat/v1/spaces/S/messages?key=${KEY}&token=${KEY}" } }
`,
    });
    writeFileSync(join(product.folder, 'topic'), `${KEY}\n`);
    const env = {
      NTFY_URL: `${url}/ntfy`,
      NTFY_TOPICS_FILE: 'topic',
      TEAMS_WEBHOOKS: `${url}/teams/invoke?api-version=1&sig=${KEY}`,
      DISCORD_WEBHOOKS: `${url}/discord/webhooks/1/${KEY}`,
      PAGERDUTY_URL: `${url}/pd`,
      PAGERDUTY_ROUTING_KEYS: KEY,
    };
    const run = (args: readonly string[]) => product.run(args, { env });
    const report = await run(['report', '--format', 'json']);
    expect(report.code).toBe(1);
    expect(JSON.parse(report.stdout).messages).toMatchObject([
      { name: 'phone', channel: 'ntfy', recipient: 'ntfy:default', state: 'accepted' },
      { name: 'one', channel: 'teams', recipient: 'teams:default', state: 'accepted' },
      { name: 'two', channel: 'google_chat', recipient: 'google_chat:sales', state: 'accepted' },
      { name: 'three', channel: 'discord', recipient: 'discord:default', state: 'pending' },
      { name: 'oncall', channel: 'pagerduty', recipient: 'pagerduty:default', state: 'accepted' },
    ]);
    const test = await run(['alerts', 'test', '--to', 'oncall']);
    expect(test.code).toBe(0);
    expect(requests.map(({ path }) => path.split('?')[0])).toEqual([
      '/ntfy',
      '/teams/invoke',
      '/chat/v1/spaces/S/messages',
      `/discord/webhooks/1/${KEY}`,
      '/pd/v2/change/enqueue',
      `/discord/webhooks/1/${KEY}`,
      '/pd/v2/enqueue',
    ]);
    const listings = [['alerts', 'list', '--all'], ['status'], ['config', 'show'], ['doctor']];
    const shown = (await Promise.all(listings.map(run))).map((one) => one.stdout + one.stderr);
    const page = readFileSync(join(product.folder, 'data', 'report.html'), 'utf8');
    const records = JSON.stringify([product.rows('SELECT * FROM message'), product.rows('SELECT * FROM outbox')]);
    for (const text of [report.stdout, report.stderr, test.stdout, test.stderr, ...shown, page, records])
      expect(text).not.toContain(KEY);
    expect(records).toContain('Unknown Webhook [redacted]');
    expect(shown[3]?.replace(/\s+/g, ' ')).toContain(
      `${url}/ntfy: only a message can check it: pacekeeper alerts test`,
    );
  });

  it.each([
    ['NTFY_TOPICS', 'budgets', 'expected a topic of 12 to 64 letters, digits, - and _'],
    ['PAGERDUTY_ROUTING_KEYS', 'a1b2c3d4', 'expected an integration key of 32 letters and digits'],
  ])('are refused with a wrong %s, which is not repeated', async (name, value, words) => {
    const product = await createProduct();
    const { code, stderr } = await product.run(['report'], { env: { [name]: value } });
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain(value);
  });

  it('go to the next channel if the mail server refuses them, and the run says so', async () => {
    const mail = await mailServer({
      onRcptTo: (_address, _session, done) => done(reply(550, 'no such user anna@example.com')),
    });
    const { url, requests } = await stubServer((_request, response) => response.writeHead(200).end('ok'));
    const product = await createProduct({
      config: 'alerts: { recipients: { anna: { email: anna@example.com, slack: default } }, digest_at: never }\n',
    });
    const env = {
      EMAIL_URL: `smtp://127.0.0.1:${mail.port}`,
      EMAIL_FROM: 'pacekeeper@example.org',
      SLACK_WEBHOOKS: `${url}/services/T0/verysecret`,
    };
    const { code, stdout } = await product.run(['report', '--format', 'json'], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).messages).toMatchObject([
      { channel: 'email', state: 'failed', instead: 'slack' },
      { channel: 'slack', state: 'accepted' },
    ]);
    expect(requests).toHaveLength(1);
  });

  it('are refused for a name that the settings of its channel lack', async () => {
    const product = await createProduct({ config: 'alerts: { recipients: { team: { slack: finance } } }\n' });
    const env = { SLACK_WEBHOOKS: 'https://hooks.slack.com/services/T0/B0/verysecret' };
    const { code, stderr } = await product.run(['report'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('alerts.recipients.team.slack has finance, expected a name from slack.webhooks: default.');
    expect(stderr).not.toContain('verysecret');
  });

  it.each([
    ['{}', 'expected at least one name'],
    ['"https://hooks.example.com/services/verysecret#part"', 'expected an address without user, query or fragment'],
  ])('are refused if the addresses are %s', async (webhooks, words) => {
    const product = await createProduct({ config: `slack: { webhooks: ${webhooks} }\n` });
    const { code, stderr } = await product.run(['report']);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('verysecret');
  });
});
