import { readFileSync } from 'node:fs';
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
      expect.stringMatching(/^Budget changed: /),
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
