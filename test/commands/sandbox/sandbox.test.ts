import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import { alertSettings } from '../../../src/config/alert-settings.ts';
import { liveAreas, webhookSecrets } from '../../../src/config/live-areas.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import { runProgram } from '../../../src/program.ts';
import { openSandboxStore } from '../../../src/sandbox/sandbox-store.ts';
import { signBytes } from '../../../src/sandbox/webhooks/compose-webhook.ts';
import { stubServer } from '../../support/stub-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { type ProgramOptions, runInProcess } from '../run-in-process.ts';

const BODY =
  'Bergfreund Outdoor: budget of “Search | Trekking” 60,00 € → 51,00 € a day\nThe clicks of 14 days cost 1,32 € each, above the limit of 1,10 € that the rule trim-expensive-clicks has\nRef pk-7K3Q9ABC';

/** A data folder in which a sandbox has run that took three messages. */
function folderWithMessages(): string {
  const folder = tempDir();
  mkdirSync(join(folder, 'data'));
  const store = openSandboxStore(join(folder, 'data', 'sandbox.sqlite'));
  const plain = {
    to: 'whatsapp:+15550100002',
    from: 'whatsapp:+15550100001',
    status: 'delivered',
    channel: 'messages',
    mediaUrl: undefined,
    mediaAttached: false,
    errorCode: undefined,
    statusCallback: undefined,
    reference: undefined,
  } as const;
  store.messages.add({ ...plain, sid: 'SM1', body: BODY, receivedAt: '2026-11-20T12:00:00.000Z' });
  store.messages.add({
    ...plain,
    sid: 'SM2',
    body: 'x\u001b[31m',
    receivedAt: '2026-11-20T12:01:30.000Z',
    status: 'undelivered',
    errorCode: 63016,
    mediaUrl: 'https://example.com/a.ics',
  });
  store.messages.add({
    ...plain,
    sid: 'wamid.A=',
    channel: 'graph',
    to: '15550100002',
    from: '15550100001',
    body: 'Reply YES 7K3Q or NO 7K3Q',
    receivedAt: '2026-11-20T12:02:00.000Z',
    reference: 'pk-7K3Q9ABC',
  });
  store.close();
  return folder;
}

describe('pacekeeper sandbox inbox', () => {
  it('shows received messages, newest last', async () => {
    const { code, stdout } = await runInProcess(['sandbox', 'inbox'], { folder: folderWithMessages(), columns: 140 });
    expect(code).toBe(0);
    expect(stdout).toBe(
      `  Time                  Channel   From          To            Status
  2026-11-20 12:00 UTC  messages  +15550100001  +15550100002  delivered
    Bergfreund Outdoor: budget of “Search | Trekking” 60,00 € → 51,00 € a day
    The clicks of 14 days cost 1,32 € each, above the limit of 1,10 € that the rule trim-expensive-clicks has
    Ref pk-7K3Q9ABC
  2026-11-20 12:01 UTC  messages  +15550100001  +15550100002  undelivered (63016)
    x·[31m
    [not attached: https://example.com/a.ics]
  2026-11-20 12:02 UTC  graph     +15550100001  +15550100002  delivered
    Reply YES 7K3Q or NO 7K3Q
`,
    );
  });

  it('prints JSON for programs', async () => {
    const args = ['sandbox', 'inbox', '--format', 'json'];
    const { stdout } = await runInProcess(args, { folder: folderWithMessages() });
    expect(JSON.parse(stdout)).toMatchObject([
      { time: '2026-11-20T12:00:00.000Z', channel: 'messages', id: 'SM1', text: BODY, status: 'delivered' },
      { error_code: 63016, media_url: 'https://example.com/a.ics', media_attached: false },
      { channel: 'graph', from: '15550100001', to: '15550100002', reference: 'pk-7K3Q9ABC', error_code: null },
    ]);
  });

  it('reads the given data folder, and reports if no sandbox has run there', async () => {
    const folder = folderWithMessages();
    const there = await runInProcess(['sandbox', 'inbox', '--data-dir', join(folder, 'data')]);
    expect(there.stderr + there.stdout).toContain('Reply YES 7K3Q');
    const elsewhere = await runInProcess(['sandbox', 'inbox', '--data-dir', 'elsewhere'], { folder });
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.stderr).toMatch(
      /^error: \S*elsewhere\/sandbox\.sqlite not found: no sandbox has run.*\nnext step: /,
    );
  });

  it('reads the file of an earlier version without changing its messages', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'data'));
    const file = new Database(join(folder, 'data', 'sandbox.sqlite'));
    file.exec(`
      CREATE TABLE message (
        message_id INTEGER PRIMARY KEY, sid TEXT NOT NULL UNIQUE, to_address TEXT NOT NULL, from_address TEXT NOT NULL,
        body TEXT NOT NULL, media_url TEXT, media_attached INTEGER NOT NULL CHECK (media_attached IN (0, 1)),
        received_at TEXT NOT NULL
      ) STRICT;
      INSERT INTO message VALUES (1, 'SM1', 'sms:+15550100002', 'sms:+15550100001', 'old', NULL, 0, '2026-07-01T08:00:00.000Z');
    `);
    file.close();
    for (const _ of ['first', 'second']) {
      const { stdout } = await runInProcess(['sandbox', 'inbox'], { folder });
      expect(stdout).toMatch(
        /^ {2}2026-07-01 08:00 UTC {2}messages {2}\+15550100001 {2}\+15550100002 {2}delivered\n {4}old\n$/m,
      );
    }
  });

  it('reports an empty inbox', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'data'));
    openSandboxStore(join(folder, 'data', 'sandbox.sqlite')).close();
    expect((await runInProcess(['sandbox', 'inbox'], { folder })).stdout).toBe('No messages yet.\n');
    expect((await runInProcess(['sandbox', 'inbox', '--format', 'json'], { folder })).stdout).toBe('[]\n');
  });
});

it('A10, D1: pacekeeper sandbox prints settings to use it as a live service', async () => {
  const folder = tempDir();
  let stdout = '';
  let code: number | undefined;
  const write = (text: string) => {
    stdout += text;
  };
  await runProgram(['sandbox', '--port', '0', '--fresh-container', '--webhooks', 'http://127.0.0.1:4020/'], '0.0.0', {
    folder,
    env: {},
    userName: undefined,
    onStop: (stop: () => void) => stop(),
    runBeside: () => ({ ended: Promise.resolve(null), stop: () => undefined }),
    readBeside: async () => ({ exitCode: null, text: '' }),
    output: { stdout: { write }, stderr: { write }, noColor: true },
    exit: (ended) => {
      code = ended;
    },
  });
  expect(code).toBe(0);
  const environment = Object.fromEntries(
    [...stdout.matchAll(/^([A-Z_]+)=(.+)$/gm)].map(([, name, value]) => [name ?? '', value ?? '']),
  );
  const settings = await readSettings(folder, {}, environment);
  expect(liveAreas(settings)).toMatchObject({
    ads: {},
    messages: { from: 'whatsapp:+15550100001' },
    graph: { url: environment.GRAPH_URL, businessAccountId: '102290129340398', phoneNumberId: '106540352242922' },
    container: { url: environment.CONTAINER_URL, username: 'admin', password: 'secret' },
  });
  expect(settings.serve).toMatchObject({ port: 4020, publicUrl: 'http://127.0.0.1:4020' });
  // What the settings file needs besides stands in comments, which it takes as they are.
  const lines = [...stdout.matchAll(/^# ((?:automation|alerts): .*)$/gm)].map(([, line]) => `${line}\n`);
  writeFileSync(join(folder, 'pacekeeper.yaml'), lines.join(''));
  const rehearsing = await readSettings(folder, {}, environment);
  expect([rehearsing.automation.mode, alertSettings(rehearsing.alerts).approvers]).toMatchObject([
    'approve',
    [{ name: 'anna', number: '+15550100002' }],
  ]);
  expect(webhookSecrets(settings)).toEqual({
    GRAPH_APP_SECRET: 'sandbox-app-secret',
    GRAPH_VERIFY_TOKEN: 'sandbox-verify-token',
    MESSAGES_PASSWORD: 'sandbox-auth-token',
  });
});

describe('the token that pacekeeper sandbox prints', () => {
  const printed = async (args: readonly string[]) => {
    const onStop = (stop: () => void) => stop();
    return (await runInProcess(['sandbox', '--port', '0', ...args], { onStop })).stdout;
  };
  const credentialsOf = async (text: string) => {
    const lines = [...text.matchAll(/^([A-Z_]+)=(.+)$/gm)].map(([, name = '', value = '']) => [name, value] as const);
    return liveAreas(await readSettings(tempDir(), {}, Object.fromEntries(lines))).ads?.credentials;
  };
  const fetched = {
    kind: 'refresh_token',
    clientId: 'sandbox-client-id',
    clientSecret: 'sandbox-client-secret',
    refreshToken: 'sandbox-refresh-token',
    tokenUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/token$/),
  };
  const fixed = { kind: 'access_token', accessToken: 'sandbox-access-token' };
  const otherWay = (text: string) =>
    text.replace(/^ADS_(ACCESS_TOKEN|CLIENT|REFRESH|TOKEN_URL).*\n/gm, '').replace(/^# (ADS_)/gm, '$1');

  it('is a fixed token, with the settings to fetch one in comments', async () => {
    const text = await printed([]);
    expect([await credentialsOf(text), await credentialsOf(otherWay(text))]).toEqual([fixed, fetched]);
  });

  it.each(['html,at=token', 'token-expires'])(
    'is fetched under %s, with the fixed token in a comment',
    async (fault) => {
      const text = await printed(['--fault', fault]);
      expect([await credentialsOf(text), await credentialsOf(otherWay(text))]).toEqual([fetched, fixed]);
    },
  );

  it.each([
    ['sandbox', '--port', '0', '--strict', '--fault', 'html,at=token'],
    ['sandbox', '--port', '0', '--strict', '--fault', 'token-expires'],
    ['sandbox', '--port', '0', '--strict', '--service-account-file', 'key.json'],
  ])('is never fetched from a strict sandbox: %s %s %s %s %s %s is refused', async (...args) => {
    const folder = tempDir();
    const { code, stderr } = await runInProcess(args, { folder, onStop: (stop) => stop() });
    expect([code, stderr]).toEqual([2, expect.stringContaining('A strict sandbox issues no access tokens')]);
    expect(existsSync(join(folder, 'key.json'))).toBe(false);
  });

  it('is never fetched from the strict sandbox of a run: a fault of tokens is refused', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'sandbox: { strict: true }\n');
    const { code, stderr } = await runInProcess(['accounts'], { folder, env: { PACEKEEPER_FAULT: 'html,at=token' } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('A strict sandbox issues no access tokens')]);
  });
});

describe('pacekeeper sandbox reply', () => {
  const reply = (args: readonly string[], env: Record<string, string> = {}, options: ProgramOptions = {}) =>
    runInProcess(['sandbox', 'reply', 'YES 7K3Q', ...args], { env, ...options });

  const receive = async (status: number, text = '') => {
    const receiver = await stubServer((_, response) => response.writeHead(status).end(text));
    return { ...receiver, form: () => Object.fromEntries(new URLSearchParams(receiver.requests[0]?.body)) };
  };

  it('C1: posts a form signed for the public address of the receiver', async () => {
    const { url, requests, form } = await receive(200);
    const env = { SERVE_PUBLIC_URL: 'https://alerts.example.com/', MESSAGES_PASSWORD: 'live-token' };
    const { code, stdout } = await reply(['--to', url, '--from', '+4915112345678'], env);
    expect([code, stdout]).toEqual([0, `${url}/webhooks/messages accepted the reply (HTTP 200).\n`]);
    expect(form()).toMatchObject({ Body: 'YES 7K3Q', From: 'whatsapp:+4915112345678', To: 'whatsapp:+15550100001' });
    const signature = String(requests[0]?.headers['x-twilio-signature']);
    const known = 'https://alerts.example.com/webhooks/messages';
    expect(twilio.validateRequest('live-token', signature, known, form())).toBe(true);
  });

  it('A11: posts an area A change to the configured address of serve, signed with the sandbox’s secret', async () => {
    const { url, requests } = await receive(200);
    const env = { SERVE_HOST: '127.0.0.1', SERVE_PORT: new URL(url).port };
    expect((await reply(['--channel', 'graph'], env)).code).toBe(0);
    const request = requests.find(({ method }) => method === 'POST');
    expect(request?.path).toBe('/webhooks/graph');
    expect(request?.headers['x-hub-signature-256']).toBe(signBytes('sandbox-app-secret', request?.body ?? ''));
    expect(request?.body).toContain('"from":"15550100002"');
  });

  it('C1: shows the answer of the receiver without the secret, and the next step', async () => {
    const { url } = await receive(403, 'bad signature for live-token\n');
    const { code, stdout, stderr } = await reply(['--to', url], { MESSAGES_PASSWORD: 'live-token' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `error: ${url}/webhooks/messages did not accept the reply: found HTTP 403 "bad signature for [redacted]", expected ` +
        '200 to 299.\nnext step: Run pacekeeper serve with the same MESSAGES_PASSWORD and SERVE_PUBLIC_URL as here. ' +
        'Without MESSAGES_PASSWORD, pacekeeper serve does not receive this channel.\n',
    );
  });

  it('C1: reports that no server listens', async () => {
    const { code, stderr } = await reply(['--to', 'http://127.0.0.1:1']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: .* did not accept the reply: found that .*\nnext step: Start pacekeeper serve there/,
    );
  });

  it.each([
    ['an invalid number', ['--from', '15550100002']],
    ['an invalid address', ['--to', '127.0.0.1:4020']],
    ['an unknown channel', ['--channel', 'sms']],
  ])('%s is refused', async (_, args) => {
    expect((await reply(args)).code).toBe(2);
  });
});

it('A5: pacekeeper sandbox deactivate-features shows whether page tokens are available now', async () => {
  const folder = folderWithMessages();
  const run = () => runInProcess(['sandbox', 'deactivate-features'], { folder });
  expect((await run()).stdout).toContain('To get page tokens, revoke the permissions first.');
  const store = openSandboxStore(join(folder, 'data', 'sandbox.sqlite'));
  store.setDone('permissions_revoked');
  store.close();
  expect((await run()).stdout).toContain('Page tokens are available now.');
});
