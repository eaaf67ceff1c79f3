import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchMessage, findMessage, listMessages } from '../../src/channels/messages/find-message.ts';
import { BODY_LENGTH_MAX, sendMessage } from '../../src/channels/messages/send-message.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { connectToSandbox } from '../apis/messages/messages-client.ts';
import { failureOf } from '../http/test-client.ts';
import { fakeClock } from '../support/fake-time.ts';
import { stubServer } from '../support/stub-server.ts';

const PACKAGES = join(import.meta.dirname, 'node_modules');
const DESCRIPTION = '@twilio/cli-core/src/services/twilio-api/twilio_api_v2010.json';
const PROXY = '@stoplight/prism-cli/dist/index.js';

const MESSAGES = '/2010-04-01/Accounts/{AccountSid}/Messages.json';
const MESSAGE = '/2010-04-01/Accounts/{AccountSid}/Messages/{Sid}.json';

interface Description {
  readonly paths: Readonly<Record<string, PathDescription>>;
}
interface PathDescription {
  readonly get?: { readonly responses: Readonly<Record<string, { readonly content: Contents }>> };
  readonly post?: { readonly requestBody: { readonly content: Contents } };
}
type Contents = Readonly<
  Record<string, { encoding?: object; readonly schema: { readonly properties: Record<string, { format?: string }> } }>
>;

/** A proxy that refuses what is not as the provider describes it, with 422, and answers that are not, with 500. */
interface Prism {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the proxy before `upstream`; `folder` takes the description it works by. */
async function startPrism(upstream: string, folder: string): Promise<Prism> {
  const description = join(folder, 'messages.json');
  writeFileSync(description, JSON.stringify(describeMessages()));
  const settings = ['--errors', '--host', '127.0.0.1', '--port', '0'];
  const child = spawn(process.execPath, [join(PACKAGES, PROXY), 'proxy', description, upstream, ...settings], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = () => {
    child.kill();
    return ended;
  };
  for await (const line of createInterface(child.stdout)) {
    const url = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1];
    // What it says later is dropped, or it would wait for a reader.
    if (url !== undefined) child.stdout.resume();
    if (url !== undefined) return { url, close };
  }
  throw new Error('The proxy ended before it listened.');
}

/** The provider's description of messages, with the two gaps of the README filled. */
function describeMessages(): object {
  const whole: Description = JSON.parse(readFileSync(join(PACKAGES, DESCRIPTION), 'utf8'));
  const { [MESSAGES]: list, [MESSAGE]: one } = whole.paths;
  const form = list?.post?.requestBody.content['application/x-www-form-urlencoded'];
  const page = list?.get?.responses['200']?.content['application/json'];
  if (!form || !page || !one) throw new Error('The description does not describe messages.');
  form.encoding = { ...form.encoding, MediaUrl: { style: 'form', explode: true } };
  for (const property of Object.values(page.schema.properties)) {
    if (property.format === 'uri') property.format = 'uri-reference';
  }
  return { ...whole, paths: { [MESSAGES]: list, [MESSAGE]: one } };
}

const NOON = '2026-11-20T12:00:00Z';
const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-'));
let sandbox: Sandbox;
let prism: Prism;

beforeAll(async () => {
  sandbox = await startSandbox({ stateFile: ':memory:', clock: fakeClock(NOON), seed: 1, strict: false });
  prism = await startPrism(sandbox.url, folder);
});
afterAll(async () => {
  await prism?.close();
  await sandbox?.close();
  rmSync(folder, { recursive: true });
});

/** Our client, the proxy, the sandbox. */
function client() {
  const { to } = sandbox.credentials.messages;
  return { connection: { ...connectToSandbox(sandbox), url: prism.url }, to };
}

it.each([
  ['a short text', 'a'],
  ['a text with many kinds of characters', 'Budget “Öko” & co: 10 → 12 €\n100 % + "x" = 🎒; a=b&c'],
  ['the longest text', '€'.repeat(BODY_LENGTH_MAX)],
])('C1, C2, C3: passes %s and the answer', async (_, body) => {
  const { connection, to } = client();
  const sent = await sendMessage(connection, { to, body });
  expect(sent).toMatchObject({ providerId: expect.stringMatching(/^SM/), status: 'queued' });
  expect(sandbox.messages().at(-1)).toMatchObject({ sid: sent.providerId, to, body });
});

it('C3, C4: passes media and the address for delivery reports', async () => {
  const { connection, to } = client();
  const media = await stubServer((_, response) => response.writeHead(200, { 'content-type': 'image/jpeg' }).end());
  const mediaUrl = `${media.url}/chart.jpg?size=2&kind=a,b`;
  const statusCallback = 'https://alerts.example.com/webhooks/messages';
  await sendMessage(connection, { to, body: 'a', mediaUrl, statusCallback });
  expect(sandbox.messages().at(-1)).toMatchObject({ mediaUrl, mediaAttached: true });
});

it('C4: passes the address of media that the channel would drop as text', async () => {
  const { connection, to } = client();
  const media = await stubServer((_, response) => response.writeHead(200, { 'content-type': 'text/calendar' }).end());
  const mediaUrl = `${media.url}/meeting.ics`;
  await sendMessage({ ...connection, media: 'link' }, { to, body: 'a', mediaUrl });
  expect(sandbox.messages().at(-1)).toMatchObject({ mediaUrl: undefined, body: `a\n${mediaUrl}` });
});

it.each([
  ['a wrong password', { password: 'another' }, {}, 401],
  ['another account', { accountId: `AC${'0'.repeat(32)}` }, {}, 404],
  ['an opted-out phone', {}, { to: 'whatsapp:+15550100011' }, 400],
  ['a rate-limited phone', {}, { to: 'whatsapp:+15550100014' }, 429],
])('C2: passes a refusal unchanged from the sandbox: %s', async (_, changes, other, httpStatus) => {
  const { connection, to } = client();
  const sending = sendMessage({ ...connection, ...changes }, { to, body: 'a', ...other });
  expect(await failureOf(sending)).toMatchObject({ httpStatus, outcome: 'not_processed' });
});

it('passes a list, page after page, and a single message', async () => {
  const { connection, to } = client();
  const { providerId = '' } = await sendMessage(connection, { to, body: 'the oldest of many\nRef pk-7K3QX2AB' });
  for (let index = 0; index < 100; index++)
    await sendMessage(connectToSandbox(sandbox), { to, body: `newer ${index}` });
  const wanted = { to, sinceMs: Date.parse(NOON) };
  const found = await findMessage(connection, { ...wanted, reference: 'pk-7K3QX2AB' });
  expect(found?.providerId).toBe(providerId);
  expect(await findMessage(connection, { ...wanted, reference: 'pk-AAAABBBB' })).toBeUndefined();
  expect(await fetchMessage(connection, providerId)).toMatchObject({ providerId });
  expect(await listMessages(connection, 20)).toBe(20);
});

it('blocks a wrong request, so that passing is evidence', async () => {
  const { connection, to } = client();
  const post = (account: string, form: Record<string, string>) =>
    fetch(`${prism.url}/2010-04-01/Accounts/${account}/Messages.json`, {
      method: 'POST',
      headers: { authorization: 'Basic YTpi', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form),
    });
  const { accountId } = connection;
  const before = sandbox.requests.length;
  const answers = [
    await post(accountId, { Body: 'a' }),
    await post('AC1', { To: to, Body: 'a' }),
    await post(accountId, { To: to, Body: 'a', Attempt: 'first' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
  expect(
    await failureOf(findMessage({ ...connection, accountId: 'AC1' }, { to, reference: 'a', sinceMs: 0 })),
  ).toMatchObject({ httpStatus: 422 });
  expect(sandbox.requests.length).toBe(before);
});
