import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../../commands/run-in-process.ts';
import { sample } from '../../support/effort.ts';
import { onFiles } from '../../support/folder-store.ts';
import { forwardProxy } from '../../support/forward-proxy.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { runCli } from '../../support/run-cli.ts';
import { keyFile, privateKeyPem } from '../../support/service-account.ts';
import { stubServer } from '../../support/stub-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_RULES } from '../../support/trim-rule.ts';

/** All that is published. */
function viewsOf({ rows }: Product): string {
  const names = rows("SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'warehouse'");
  return JSON.stringify(names.map(({ name }) => rows(`SELECT * FROM ${name}`, 'warehouse')));
}

const SECRETS = {
  ADS_ACCESS_TOKEN: 'ya29.very-secret-access-token',
  ADS_DEVELOPER_TOKEN: 'very-secret-developer-token',
  MESSAGES_PASSWORD: 'very/secret+password=',
};
const BASIC = Buffer.from(`user:${SECRETS.MESSAGES_PASSWORD}`).toString('base64');

/** A service that fails and sends back everything it was told. */
const echoing = () =>
  stubServer(({ headers, path, body }, response) => {
    const told = JSON.stringify({ headers, path, body }).replaceAll('"', "'");
    response.writeHead(path.includes('listAccessible') ? 200 : 403, { 'content-type': 'application/json' });
    response.end(
      path.includes('listAccessible')
        ? '{"resourceNames":["customers/1234567890"]}'
        : JSON.stringify({ error: { code: 403, status: 'PERMISSION_DENIED', message: `You sent ${told}` } }),
    );
  });

/** A service whose successes name every account and every campaign by the authorization that it was sent. */
async function echoingNames(service: string) {
  let echoed = 0;
  const { url } = await stubServer(async ({ method, path, headers, body }, response) => {
    const { host: _host, 'content-length': _length, connection: _kept, 'accept-encoding': _any, ...sent } = headers;
    const answer = await fetch(`${service}${path}`, {
      method,
      headers: sent as Record<string, string>,
      ...(body === '' ? {} : { body }),
    });
    const text = (await answer.text()).replace(/"(descriptiveName|name)": *"(?:[^"\\]|\\.)*"/g, (_, name) => {
      echoed += 1;
      return JSON.stringify({ [name]: `Sent ${headers.authorization}` }).slice(1, -1);
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  return { url, echoed: () => echoed };
}

/** What every file of the folder holds, those of its folders too: runs leave a file each. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [readFileSync(join(folder, entry.name), 'latin1')],
  );
}

describe('secrets', () => {
  it('A10 B12: reach no output, log or database, even if the service returns them in an error', async () => {
    const folder = tempDir();
    for (const name of ['queries', 'rules']) cpSync(resolve(name), join(folder, name), { recursive: true });
    const { url, requests } = await echoing();
    const env = {
      ...SECRETS,
      PACEKEEPER_TARGET: 'live',
      ADS_URL: url,
      MESSAGES_URL: url,
      MESSAGES_ACCOUNT_ID: 'AC1',
      MESSAGES_USERNAME: 'user',
      MESSAGES_FROM: 'whatsapp:+15550100001',
      MESSAGES_TO: 'whatsapp:+15550100002',
    };
    const { code, stdout, stderr } = await runCli(['report'], { cwd: folder, env });
    expect(code).toBe(1);
    expect(requests.some(({ headers }) => headers.authorization === `Bearer ${SECRETS.ADS_ACCESS_TOKEN}`)).toBe(true);
    expect(stdout).toContain('You sent');

    const files = filesBelow(join(folder, 'data'));
    for (const text of [stdout, stderr, ...files]) {
      for (const secret of [...Object.values(SECRETS), BASIC]) expect(text).not.toContain(secret);
    }
  });

  it('of a service account reach nothing, even if the service returns tokens and assertions', async () => {
    const folder = tempDir();
    for (const name of ['queries', 'rules']) cpSync(resolve(name), join(folder, name), { recursive: true });
    const file = keyFile();
    let issues = true;
    const { url, requests } = await stubServer(({ headers, path, body }, response) => {
      const words = `You sent ${JSON.stringify({ headers, path, body })}`.replaceAll('"', "'");
      if (path === '/token' && issues) response.end('{"access_token":"ya29.issued-token","expires_in":3600}');
      else if (path === '/token') {
        response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant', error_description: words }));
      } else if (path.includes('listAccessible')) response.end('{"resourceNames":["customers/1234567890"]}');
      else {
        const error = { code: 403, status: 'PERMISSION_DENIED', message: words };
        response.writeHead(403).end(JSON.stringify({ error }));
      }
    });
    const env = {
      PACEKEEPER_TARGET: 'live',
      ADS_URL: url,
      ADS_TOKEN_URL: `${url}/token`,
      ADS_SERVICE_ACCOUNT_FILE: file,
      PACEKEEPER_LOG: 'json',
    };
    const told = [await runInProcess(['report'], { folder, env }), await runInProcess(['doctor'], { folder, env })];
    issues = false;
    for (const args of [['report'], ['config', 'show']]) told.push(await runInProcess(args, { folder, env }));
    expect(told.map(({ code }) => code)).toEqual([1, 0, 2, 0]);
    expect(told[0]?.stdout).toContain('You sent');
    expect(told[2]?.stderr).toContain('You sent');

    const assertions = requests.flatMap(({ path, body }) =>
      path === '/token' ? (new URLSearchParams(body).get('assertion') ?? []) : [],
    );
    expect(assertions.length).toBeGreaterThan(2);
    const [, keyBody = ''] = privateKeyPem().split('\n');
    const secrets = [...assertions, ...assertions.map((one) => one.slice(-40)), 'ya29.issued-token', keyBody];
    const texts = [...told.flatMap(({ stdout, stderr }) => [stdout, stderr]), ...filesBelow(join(folder, 'data'))];
    expect(secrets.filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([]);
  });

  it('and phone numbers reach no output, event or budget table, for any reader and any failure', async () => {
    const product = await createProduct({ mode: 'approve' });
    const { credentials } = product.sandbox;
    const { username, password, from, to } = credentials.messages;
    const told: string[] = [];
    const see = async (...args: string[]) => {
      const { stdout, stderr } = await product.run(args);
      told.push(stdout, stderr);
    };
    const spoken = (body: string) =>
      JSON.stringify({ error: { code: 400, status: 'INVALID_ARGUMENT', message: body } });
    await see('report');
    const [proposal] = product.rows('SELECT code FROM budget_proposal');
    // The service repeats in its refusals what it was told, headers and all.
    product.fault = ({ kind, headers, body }) =>
      kind === 'mutate'
        ? { kind: 'status', status: 400, body: spoken(`You sent ${JSON.stringify(headers)} ${body}`) }
        : undefined;
    await see('budgets', 'approve', String(proposal?.code));
    product.fault = undefined;
    product.reconfigure('apply');
    product.at('2026-11-21T12:00:00Z');
    await see('report');
    for (const args of [['list'], ['history'], ['undo', 'B2'], ['reconcile'], ['show', 'B1'], ['show', 'B2']]) {
      await see('budgets', ...args);
      await see('budgets', ...args, '--format', 'json');
    }
    await see('rules', 'list');
    await see('rules', 'explain', 'trim');
    await see('rules', 'evaluate', '--format', 'json');
    await see('freeze', '--why', 'a sale');
    await see('audit', 'verify');
    await see('unfreeze', '--why', 'over');
    expect(told.join('\n')).toContain('You sent');
    expect(product.rows("SELECT 1 FROM budget_event WHERE kind = 'rejected'")).toHaveLength(1);

    const data = join(product.folder, 'data');
    const files = filesBelow(data);
    // The outbox is there to know recipients; nothing else does, nor the file that is handed on.
    const tables = ['budget_event', 'budget_intent', 'budget_proposal', 'foreign_change', 'alert', 'run'];
    const rows = JSON.stringify(tables.map((table) => product.rows(`SELECT * FROM ${table}`)));
    const published = onFiles ? readFileSync(join(data, 'warehouse.sqlite'), 'latin1') : viewsOf(product);
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const shows = (texts: readonly string[], secrets: readonly string[]) =>
      secrets.filter((secret) => texts.some((text) => text.includes(secret)));
    expect(shows([...told, ...files], [credentials.accessToken, password, basic])).toEqual([]);
    const numbers = [from, to].map((number) => number.replace('whatsapp:', ''));
    expect(shows([...told, rows, published], numbers)).toEqual([]);
  });

  it('reach no record, report or message if a successful answer contains them in account and campaign names', async () => {
    const text = 'Clicks of {campaign_name} are dear.';
    const rule = `${TRIM_RULES['trim.yaml']}alert: { severity: warning, text: '${text}' }\n`;
    const onlyTold = `description: Says what clicks cost.\nfrom: stats\nfor: campaign\nover: 7 days\nwhen: clicks >= 1\nalert: { severity: critical, text: '${text}' }\n`;
    const product = await createProduct({ mode: 'apply', rules: { 'trim.yaml': rule, 'dear.yaml': onlyTold } });
    const { accessToken } = product.sandbox.credentials;
    const service = await echoingNames(product.sandbox.url);
    const told: string[] = [];
    const see = async (...args: string[]) => {
      const { stdout, stderr } = await product.run(args, { env: { ADS_URL: service.url } });
      told.push(stdout, stderr);
    };
    await see('report');
    product.reconfigure('approve');
    product.at('2026-11-21T12:00:00Z');
    await see('report', '--format', 'json');
    for (const args of [['list'], ['history'], ['show', 'B1']]) await see('budgets', ...args);
    await see('alerts', 'list');
    await see('rules', 'evaluate', '--format', 'json');
    await see('rules', 'explain', 'trim');
    expect(service.echoed()).toBeGreaterThan(0);
    expect(product.sends()).toHaveLength(1);

    // Rows of queries are stored as they came; all else that is stored or told is not.
    const tables = ['account', 'run', 'budget_intent', 'budget_event', 'budget_proposal', 'alert', 'outbox', 'message'];
    const rows = tables.map((table) => [table, JSON.stringify(product.rows(`SELECT * FROM ${table}`))] as const);
    for (const table of ['budget_intent', 'budget_proposal', 'outbox', 'message']) {
      expect(rows.find(([name]) => name === table)?.[1]).toContain('Sent Bearer [redacted]');
    }
    const sent = product.sandbox.requests.filter(({ kind }) => kind === 'message').map(({ body }) => String(body));
    expect(decodeURIComponent(sent.join('').replaceAll('+', ' '))).toContain('Sent Bearer [redacted]');
    const shown = rows.filter(([, held]) => held.includes(accessToken)).map(([table]) => table);
    expect(shown).toEqual([]);
    const data = join(product.folder, 'data');
    const files = filesBelow(join(data, 'runs')).concat(readFileSync(join(data, 'report.html'), 'latin1'));
    const texts = [...told, ...files, ...sent.map(decodeURIComponent)];
    expect(texts.filter((text) => text.includes(accessToken))).toEqual([]);
  });

  it('of a proxy reach nothing, whether it refuses, repeats them or is missing', async () => {
    const { url } = await echoing();
    const refusing = await forwardProxy(407);
    const passing = await forwardProxy();
    const nowhere = 'http://127.0.0.1:1';
    for (const proxy of [refusing.url, passing.url, nowhere]) {
      const folder = tempDir();
      for (const name of ['queries', 'rules']) cpSync(resolve(name), join(folder, name), { recursive: true });
      writeFileSync(join(folder, 'pacekeeper.yaml'), 'ads: { retry: { attempts: 1 } }');
      const env = {
        PACEKEEPER_TARGET: 'live',
        ADS_URL: url,
        ADS_ACCESS_TOKEN: SECRETS.ADS_ACCESS_TOKEN,
        HTTP_PROXY: proxy.replace('//', '//proxy-agent-7:proxy%2Fsecret@'),
      };
      const { code, stdout, stderr } = await runInProcess(['report'], { folder, env });
      expect(code).toBe(1);
      expect(stdout).toContain(proxy === passing.url ? 'You sent' : `127.0.0.1:${new URL(proxy).port}`);
      const files = filesBelow(join(folder, 'data'));
      const basic = Buffer.from('proxy-agent-7:proxy/secret').toString('base64');
      for (const text of [stdout, stderr, ...files]) {
        for (const secret of ['proxy-agent-7', 'proxy%2Fsecret', 'proxy/secret', basic])
          expect(text).not.toContain(secret);
      }
    }
    expect([refusing, passing].map(({ requests }) => requests.length > 0)).toEqual([true, true]);
  });

  it.each(
    sample([
      ['a list where text belongs', 'ads:\n  access_token: [GOCSPX-file-secret]\n'],
      ['a misspelt key', 'ads:\n  acces_token: GOCSPX-file-secret\n'],
      ['a misspelt key in one line', 'ads: { url: https://x.example, clientsecret: GOCSPX-file-secret }\n'],
      ['a key of another area', 'messages:\n  refresh_token: "GOCSPX-file-secret"\n'],
      ['a value that continues on the next line', 'ads:\n  access_token:\n    - GOCSPX-file-secret\n'],
      ['a file that is not YAML', 'ads:\n  access_token: GOCSPX-file-secret\n  : : [\n'],
      ['a tab in the indentation', 'ads:\n\taccess_token: GOCSPX-file-secret\n'],
    ]),
  )('are not shown if the configuration with them is wrong: %s', async (_sentence, config) => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), config);
    const { code, stdout, stderr } = await runInProcess(['report'], { folder, env: SECRETS });
    expect(code).toBe(2);
    expect(stderr).toMatch(/pacekeeper\.yaml:\d+:\d+: error: /);
    for (const text of [stdout, stderr]) {
      for (const secret of [...Object.values(SECRETS), 'file-secret']) expect(text).not.toContain(secret);
    }
  });

  it('are not shown if the environment is wrong', async () => {
    const env = { ...SECRETS, PACEKEEPER_TARGET: 'live', ADS_ACCESS_TOKEN: 'GOCSPX-wrong-secret', ADS_URL: 'ftp://x' };
    const { code, stdout, stderr } = await runInProcess(['report'], { env });
    expect(code).toBe(2);
    for (const text of [stdout, stderr]) {
      for (const secret of [...Object.values(env).slice(0, 3), 'wrong-secret']) expect(text).not.toContain(secret);
    }
  });
});
