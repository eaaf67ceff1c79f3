import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pageWorkerSource } from '../../../src/commands/serve/page-worker-source.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import { tokensInFile, tokensPath } from '../../../src/dashboard/server/access-tokens.ts';
import { startServer } from '../../../src/dashboard/server/start-server.ts';
import type { PageSource } from '../../../src/dashboard/status/page-source.ts';
import { pagesOfThisThread } from '../../../src/dashboard/status/page-work.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { picturePath } from '../../../src/domain/pages.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import { signPath } from '../../../src/services/http/signed-path.ts';
import { serveInProcess } from '../../commands/serve/serve-in-process.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { partsOf } from '../../support/mail-parts.ts';
import { forgetfulServer, mailServer, reply } from '../../support/mail-server.ts';
import { createProduct } from '../../support/product.ts';
import { endless, stubServer } from '../../support/stub-server.ts';
import { toldLog } from '../../support/told-log.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { APPLY, createWorld, NOON, type World } from '../../support/world.ts';

const ON = `${APPLY}alerts: { pictures: true }\nmessages: { retry: { attempts: 1, first_delay_ms: 1000 } }\n`;
const toOnly = (address: string) => `${APPLY}alerts:
  pictures: true
  recipients: { anna: { ${address} } }
  digest_at: never
`;
const toMail = (port: number) => `${toOnly('email: anna@example.com')}email:
  url: "smtp://127.0.0.1:${port}"
  from: pacekeeper@example.org
  retry: { attempts: 2, first_delay_ms: 1000 }
`;
const toSlack = (url: string) => `${toOnly('slack: default')}slack:
  webhooks: "${url}/services/T0/verysecret"
  retry: { attempts: 2, first_delay_ms: 1000 }
`;
/** The page thread as the build makes it. */
const BUILT = new URL('../../../dist/page-worker.js', import.meta.url);
const PNG = '89504e470d0a1a0a';
const PNG_TYPE = { 'content-type': 'image/png' };
const PATH = picturePath(customerId(TRIMMED.customerId));

interface Served {
  readonly world: World;
  readonly key: string;
  /** What the server wrote to its log. */
  readonly log: readonly string[];
  readonly address: string;
  get(path: string, method?: string): Promise<Response>;
  close(): Promise<void>;
}

/** A folder with published numbers, and a `pacekeeper serve` over it that the settings name. */
async function served(config = ON, source: Partial<PageSource> | 'built' = {}): Promise<Served> {
  const world = await createWorld({ config, queries: TRIM_QUERIES, rules: TRIM_RULES });
  const { dataDir, clock } = world;
  await world.extract();
  const settings = await readSettings(
    world.folder,
    { dataDir },
    { ...world.storeEnv, PACEKEEPER_TARGET: 'sandbox', PACEKEEPER_NOW: NOON },
  );
  const key = world.sandbox.credentials.messages.password;
  const pages =
    source === 'built' ? pageWorkerSource(BUILT, settings) : { ...pagesOfThisThread({ settings, clock }), ...source };
  onTestFinished(() => pages.close());
  const log: string[] = [];
  const line = (text: string) => void log.push(text);
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    secrets: {},
    keep: async () => undefined,
    countWaiting: async () => 0,
    log: toldLog({ info: line, warn: line }),
    pages: {
      source: pages,
      tokens: tokensInFile(tokensPath(dataDir)),
      nowMs: () => clock.now(),
      pictureKey: settings.alerts.pictures ? key : undefined,
      pause: async () => undefined,
      runAct: async () => ({ exitCode: null, text: '' }),
    },
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= server.close());
  onTestFinished(close);
  await world.reconfigure(`${config}serve: { public_url: "${server.address}" }\n`);
  const get = (path: string, method = 'GET') => fetch(server.address + path, { method });
  return { world, key, log, address: server.address, get, close };
}

async function sent(world: World) {
  await world.sandbox.settled();
  return world.sandbox.messages();
}

const rows = (world: World) => world.rows('state', 'SELECT state FROM outbox ORDER BY id');
const warned = (world: World) => world.log.filter((line) => /picture/.test(line));

describe('an alert', () => {
  it('C4: brings the month of its account as a PNG that the service fetches', async () => {
    const { world, get, address } = await served(ON, 'built');
    const result = await world.report();
    expect(result.failures).toEqual([]);
    const [message, ...others] = await sent(world);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ status: 'delivered', mediaAttached: true });
    expect(message?.body).toMatch(/^Budget changed: Generisch/);
    const url = message?.mediaUrl ?? '';
    expect(url).toMatch(/\/pictures\/4081725530\/month\.png\?until=\d{10}&proof=[\w-]{43}$/);
    const answer = await get(url.slice(address.length));
    expect(answer.headers.get('content-type')).toBe('image/png');
    const png = Buffer.from(await answer.arrayBuffer());
    expect(png.subarray(0, 8).toString('hex')).toBe(PNG);
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([860, 422]);
    expect(png.length).toBeLessThan(200_000);
  });

  it('has no picture by default', async () => {
    const { world, key, get } = await served(APPLY);
    await world.report();
    expect(await sent(world)).toMatchObject([{ mediaUrl: undefined }]);
    expect((await get(signPath(PATH, key, world.clock.now()))).status).toBe(404);
  });
});

describe('the text of an alert goes out without the picture', () => {
  const plain = [{ mediaUrl: undefined, status: 'delivered' }];

  it('if the server is not reachable, which is asked once', async () => {
    const { world, close } = await served();
    await close();
    const result = await world.report();
    expect(result.failures).toEqual([]);
    expect(await sent(world)).toMatchObject(plain);
    expect(warned(world)).toEqual([expect.stringMatching(/^An alert goes out without its picture: .*month\.png/)]);
  });

  it('if SERVE_PUBLIC_URL is not set', async () => {
    const { world } = await served();
    await world.reconfigure(ON);
    expect((await world.report()).failures).toEqual([]);
    expect(await sent(world)).toMatchObject(plain);
    expect(warned(world)).toEqual(['Alerts go out without pictures: SERVE_PUBLIC_URL is not set.']);
  });

  it('if the picture cannot be made, or the account has none', async () => {
    const failing = await served(ON, { picture: () => Promise.reject(new Error('the disk is full')) });
    expect((await failing.world.report()).failures).toEqual([]);
    expect(await sent(failing.world)).toMatchObject(plain);
    expect(failing.log).toContain('Making a picture failed: the disk is full');
    const none = await served(ON, { picture: async () => undefined });
    await none.world.report();
    expect(await sent(none.world)).toMatchObject(plain);
  });

  it.each([21620, 21610])('once, if the service refuses the message with code %s', async (code) => {
    const { world } = await served();
    const bodies: URLSearchParams[] = [];
    world.fault = ({ kind, body: text }) => {
      if (kind !== 'message') return undefined;
      bodies.push(new URLSearchParams(text));
      const body = JSON.stringify({ code, message: 'No.', status: 400 });
      return bodies.length === 1 ? { kind: 'status', status: 400, body } : undefined;
    };
    const result = await world.report();
    expect(result.failures).toEqual([]);
    expect(bodies.map((body) => body.has('MediaUrl'))).toEqual([true, false]);
    expect(await sent(world)).toMatchObject(plain);
    world.fault = undefined;
    await world.report();
    expect(await sent(world)).toHaveLength(1);
  });
});

describe('a message with a picture', () => {
  it.each<[sentence: string, fault: Fault]>([
    ['accepted, but not answered', { kind: 'reset_after' }],
    ['accepted without an id', { kind: 'replace', body: '' }],
  ])('is never sent twice if it was %s', async (_, fault) => {
    const { world } = await served();
    let left = 1;
    world.fault = ({ kind }) => (kind === 'message' && left-- > 0 ? fault : undefined);
    await world.report();
    await world.report();
    expect(await sent(world)).toMatchObject([{ mediaAttached: true }]);
  });

  it('is repeated once, without it, if the service could not fetch the picture', async () => {
    const { world } = await served();
    const provider = await stubServer(({ method }, response) =>
      response.writeHead(method === 'HEAD' ? 200 : 404, { 'content-type': 'image/png' }).end(),
    );
    await world.reconfigure(`${ON}serve: { public_url: "${provider.url}" }\n`);
    await world.report();
    expect(await sent(world)).toMatchObject([{ status: 'undelivered', errorCode: 63019, mediaAttached: false }]);

    world.clock.set('2026-11-20T12:31:00Z');
    expect((await world.report()).failures).toEqual([]);
    const [first, second, ...more] = await sent(world);
    expect(more).toEqual([]);
    expect(second).toMatchObject({ mediaUrl: undefined, status: 'delivered' });
    const words = (body = '') => body.replace(/Ref pk-\w+$/, '');
    expect(words(second?.body)).toBe(words(first?.body));
    expect(second?.body).not.toBe(first?.body);

    world.clock.set('2026-11-20T13:31:00Z');
    expect((await world.report()).failures).toEqual([]);
    expect(await sent(world)).toHaveLength(2);
    expect(rows(world)).toEqual([{ state: 'delivered' }]);
  });

  it('is lost like any other if the repeated text fails, too', async () => {
    const { world } = await served();
    const provider = await stubServer(({ method }, response) =>
      response.writeHead(method === 'HEAD' ? 200 : 404, { 'content-type': 'image/png' }).end(),
    );
    await world.reconfigure(`${ON}serve: { public_url: "${provider.url}" }\n`);
    await world.report();
    await sent(world);
    world.sandbox.setPhone(world.sandbox.credentials.messages.to, 'undelivered', 'messages');
    world.clock.set('2026-11-20T12:31:00Z');
    await world.report();
    world.clock.set('2026-11-20T13:31:00Z');
    const { failures } = await world.report();
    expect(failures.join()).toMatch(/ALERT NOT DELIVERED/);
    expect(await sent(world)).toHaveLength(2);
  });
});

describe('a mail', () => {
  const isShownIn = (source: string) => partsOf(source).has('image/png');
  const wordsIn = (source: string) => partsOf(source).get('text/plain')?.bytes.toString() ?? '';

  it.each<[sentence: string, picture: (response: ServerResponse) => void, warning: RegExp]>([
    ['is missing', (to) => to.writeHead(404).end(), /could not be read: HTTP 404/],
    ['is too large', (to) => to.writeHead(200, PNG_TYPE).end(Buffer.alloc(200_001)), /has more than 200000 bytes/],
    ['never ends', (to) => endless(to.writeHead(200, PNG_TYPE), 'x'.repeat(9_999)), /has more than 200000 bytes/],
    [
      'is cut off',
      (to) => to.writeHead(200, { ...PNG_TYPE, 'content-length': 9 }).write('x', () => to.destroy()),
      /could not be checked/,
    ],
    ['is a page', (to) => to.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), /text\/html, expected image/],
    ['is elsewhere', (to) => to.writeHead(302, { location: 'https://example.com' }).end(), /redirects: HTTP 302/],
  ])('goes out without a picture that %s', async (_, picture, warning) => {
    const mail = await mailServer();
    const { world } = await served(toMail(mail.port));
    const { url } = await stubServer((_request, response) => picture(response));
    await world.reconfigure(`${toMail(mail.port)}serve: { public_url: "${url}" }\n`);
    expect((await world.report()).failures).toEqual([]);
    expect(mail.mails.map(({ source }) => isShownIn(source))).toEqual([false]);
    expect(
      partsOf(mail.mails[0]?.source ?? '')
        .get('text/html')
        ?.bytes.toString(),
    ).not.toContain('<img');
    expect(warned(world)).toEqual([expect.stringMatching(/^An alert goes out without its picture: .*month\.png/)]);
    expect(warned(world)[0]).toMatch(warning);
    expect(world.log.join('\n')).not.toContain('proof=');
  });

  it('goes out without it if the server is not reachable', async () => {
    const mail = await mailServer();
    const { world, close } = await served(toMail(mail.port));
    await close();
    expect((await world.report()).failures).toEqual([]);
    expect(mail.mails.map(({ source }) => isShownIn(source))).toEqual([false]);
    expect(warned(world)).toHaveLength(1);
  });

  it('goes out without it, at once, if the mail server refuses it with the picture', async () => {
    const refused: string[] = [];
    const mail = await mailServer({
      onData(stream, _session, done) {
        let source = '';
        stream.on('data', (bytes: Buffer) => {
          source += bytes;
        });
        stream.on('end', () => {
          refused.push(source);
          done(isShownIn(source) ? reply(552, 'too large') : null);
        });
      },
    });
    const { world } = await served(toMail(mail.port));
    expect((await world.report()).failures).toEqual([]);
    await world.report();
    expect(refused.map(isShownIn)).toEqual([true, false]);
    expect(rows(world)).toEqual([{ state: 'accepted' }]);
  });

  it('whose answer is lost comes once more at most, says so, and then has no picture', async () => {
    const mail = await forgetfulServer(1);
    const { world } = await served(toMail(mail.port));
    await world.report();
    await world.report();
    expect(mail.sources.map(isShownIn)).toEqual([true, false]);
    expect(mail.sources.map((source) => wordsIn(source).startsWith('Sent again'))).toEqual([false, true]);
  });

  it('has the month of its account inside, above its button, and no address of the picture', async () => {
    const mail = await mailServer();
    const { world } = await served(toMail(mail.port));
    expect((await world.report()).failures).toEqual([]);
    expect(warned(world)).toEqual([]);
    expect(mail.mails).toHaveLength(1);
    const parts = partsOf(mail.mails[0]?.source ?? '');
    const { head, bytes } = parts.get('image/png') ?? { head: '', bytes: Buffer.alloc(0) };
    expect(bytes.subarray(0, 8).toString('hex')).toBe(PNG);
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([860, 422]);
    const [, id] = /^content-id: <(month\.pk-\w{8}@pacekeeper)>/im.exec(head) ?? [];
    expect(head).toMatch(/^content-disposition: inline/im);
    const page = parts.get('text/html')?.bytes.toString() ?? '';
    expect(page).toMatch(
      new RegExp(
        `<img src="cid:${id}" width="640" alt="The month of Alpenkontor Outdoor GmbH so far: [^"]+">\\s+<a href`,
      ),
    );
    expect(await htmlFindings(page)).toEqual([]);
    expect(wordsIn(mail.mails[0]?.source ?? '')).toMatch(/^Budget changed: Generisch/);
    for (const { bytes: text } of parts.values()) expect(text.toString()).not.toMatch(/month\.png|proof|until=/);
  });

  it('has a picture of exactly 200,000 bytes', async () => {
    const mail = await mailServer();
    const { world } = await served(toMail(mail.port), { picture: async () => new Uint8Array(200_000) });
    await world.report();
    expect(partsOf(mail.mails[0]?.source ?? '').get('image/png')?.bytes).toHaveLength(200_000);
  });

  it('needs no messaging interface: SERVE_PICTURE_KEY signs the addresses', async () => {
    const mail = await mailServer();
    const product = await createProduct({ config: toMail(mail.port).replace(APPLY, '') });
    const none = ['URL', 'ACCOUNT_ID', 'USERNAME', 'PASSWORD', 'FROM', 'TO'].map((name) => [`MESSAGES_${name}`, '']);
    const env = { ...product.env(), ...Object.fromEntries(none) };
    await product.run(['extract'], { env });
    const key = { SERVE_PICTURE_KEY: 'k'.repeat(32) };
    const serving = await serveInProcess(product.folder, { ...env, ...key });
    const at = { ...env, SERVE_PUBLIC_URL: serving.ready.address };
    const run = await product.run(['report'], { env: { ...at, ...key } });
    expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('picture')]);
    expect(mail.mails.map(({ source }) => isShownIn(source))).toEqual([true]);
    const keyless = await product.run(['alerts', 'deliver'], { env: at });
    expect(keyless.stderr).toContain('Alerts go out without pictures: SERVE_PICTURE_KEY is not set.');
    const short = await product.run(['report'], { env: { ...at, SERVE_PICTURE_KEY: 'too short, secret' } });
    expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('expected 32 random characters or more')]);
    expect(short.stderr).not.toContain('too short');
  });
});

describe('Slack', () => {
  /** Fetches each picture before it answers, as Slack does. */
  async function slackServer(
    answer: (response: ServerResponse, image: string | undefined) => void = (to) => to.end('ok'),
  ) {
    const asked: { readonly text: string; readonly blocks: readonly Record<string, string>[] }[] = [];
    const { url } = await stubServer(async ({ body }, response) => {
      const message = JSON.parse(body);
      asked.push(message);
      const image = message.blocks.find(({ type }: { readonly type: string }) => type === 'image')?.image_url;
      const type = image && (await fetch(image)).headers.get('content-type');
      if (type === undefined || type === 'image/png') answer(response, image);
      else response.writeHead(400).end('invalid_blocks');
    });
    const types = () => asked.map(({ blocks }) => blocks.map(({ type }) => type));
    return { config: toSlack(url), asked, types };
  }

  it('gets the text without the picture, once, if it refuses the picture', async () => {
    const slack = await slackServer((to, image) =>
      image === undefined ? to.end('ok') : to.writeHead(400).end('invalid_blocks'),
    );
    const { world } = await served(slack.config);
    expect((await world.report()).failures).toEqual([]);
    await world.report();
    expect(slack.types()).toEqual([
      ['section', 'image', 'actions'],
      ['section', 'actions'],
    ]);
    expect(slack.asked[0]?.text).toBe(slack.asked[1]?.text);
    expect(rows(world)).toEqual([{ state: 'accepted' }]);
  });

  it('that refuses the message without the picture, too, gets no third one', async () => {
    const slack = await slackServer((to) => to.writeHead(400).end('invalid_blocks'));
    const { world } = await served(slack.config);
    const { failures } = await world.report();
    await world.report();
    expect(failures.join()).toMatch(/ALERT NOT DELIVERED/);
    expect(slack.asked).toHaveLength(2);
  });

  it('that repeats the address of the picture in a refusal shows it to nobody', async () => {
    const slack = await slackServer((to, image) => to.writeHead(429).end(`too many: ${image}`));
    const { world } = await served(slack.config.replaceAll('attempts: 2', 'attempts: 1'));
    const { messages } = await world.report();
    const kept = JSON.stringify([world.rows('state', 'SELECT text, response, error FROM message'), messages]);
    expect(kept.match(/proof=.{6}/g)).toEqual(['proof=[redac', 'proof=[redac']);
    expect(world.log.join('\n')).not.toContain('proof=');
  });

  it('gets the text alone if the server is not reachable', async () => {
    const slack = await slackServer();
    const { world, close } = await served(slack.config);
    await close();
    await world.report();
    expect(slack.types()).toEqual([['section', 'actions']]);
    expect(warned(world)).toHaveLength(1);
  });

  it('whose answer is lost gets the text once more at most, which says so and has no picture', async () => {
    let left = 1;
    const slack = await slackServer((to) => (left-- > 0 ? to.destroy() : to.end('ok')));
    const { world } = await served(slack.config);
    await world.report();
    await world.report();
    expect(slack.types().map((types) => types.includes('image'))).toEqual([true, false]);
    expect(slack.asked.map(({ text }) => text.startsWith('Sent again'))).toEqual([false, true]);
  });

  it('shows the month of the account between the text and the button', async () => {
    const slack = await slackServer();
    const { world } = await served(slack.config);
    expect((await world.report()).failures).toEqual([]);
    expect(slack.types()).toEqual([['section', 'image', 'actions']]);
    expect(slack.asked[0]?.blocks[1]).toEqual({
      type: 'image',
      image_url: expect.stringMatching(/\/pictures\/4081725530\/month\.png\?until=\d{10}&proof=[\w-]{43}$/),
      alt_text: expect.stringMatching(/^The month of Alpenkontor Outdoor GmbH so far: /),
    });
  });
});

describe('the address of a picture', () => {
  it('works until it expires, for its own account, and says nothing else', async () => {
    const { world, key, get, log } = await served();
    const path = signPath(PATH, key, world.clock.now());
    const [, query = ''] = path.split('?');
    expect((await get(path)).status).toBe(200);
    const head = await get(path, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1000);
    expect(head.headers.get('cache-control')).toBe('no-store');

    const wrong = [
      PATH,
      `${PATH}?`,
      `/pictures/1234567890/month.png?${query}`,
      `${PATH}?${query}&x=1`,
      `${PATH}?x=1&${query}`,
      `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`,
      `${PATH}?${query.replace(/until=\d/, 'until=9')}`,
      signPath(PATH, `${key}.`, world.clock.now()),
      signPath(PATH, key, world.clock.now() + 60_000),
      signPath(PATH, key, world.clock.now() - 60 * 60_000),
      signPath('/pictures/0/month.png', key, world.clock.now()),
      signPath('/pictures/99999999999999999999/month.png', key, world.clock.now()),
      signPath(picturePath(customerId('1234567890')), key, world.clock.now()),
      `${PATH}?until=1e9&proof=${'A'.repeat(43)}`,
      `${PATH}?${'a'.repeat(5000)}`,
    ];
    for (const one of wrong) expect([one, (await get(one)).status]).toEqual([one, 404]);
    expect((await get(path, 'POST')).status).toBe(405);

    world.clock.set('2026-11-20T12:59:59Z');
    expect((await get(path)).status).toBe(200);
    world.clock.set('2026-11-20T13:00:00Z');
    expect((await get(path)).status).toBe(404);
    expect(log.join('\n')).toContain('Refused GET /pictures/:customer/month.png with 404');
    for (const secret of [key, query, '4081725530']) expect(log.join('\n')).not.toContain(secret);
  });

  it('is fetched at most 20 times a minute', async () => {
    const { world, key, get } = await served(ON, { picture: async () => new Uint8Array(8) });
    const path = signPath(PATH, key, world.clock.now());
    const statuses: number[] = [];
    for (let one = 0; one < 21; one++) statuses.push((await get(path, 'HEAD')).status);
    expect([statuses.indexOf(429), statuses.length]).toEqual([20, 21]);
    expect((await get(signPath(PATH, key, world.clock.now() - 1000))).status).toBe(200);
  });

  it('is not in the log or the state file, and holds no secret', async () => {
    const { world, key } = await served();
    await world.report();
    const url = (await sent(world))[0]?.mediaUrl ?? '';
    expect(url).not.toContain(key);
    const proof = url.slice(url.indexOf('proof='));
    expect(world.log.join('\n')).not.toContain(proof);
    const kept = JSON.stringify(world.rows('state', 'SELECT text, response, error, recipient FROM message'));
    expect(kept).not.toContain(proof);
  });
});
