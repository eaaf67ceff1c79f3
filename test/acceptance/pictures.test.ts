import { createHmac } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { picturePath } from '../../src/html/pages.ts';
import { customerId } from '../../src/domain/ids.ts';
import { signPath } from '../../src/http/signed-path.ts';
import { pagesOfThisThread } from '../../src/pages/status/page-work.ts';
import type { PageSource } from '../../src/pages/status/page-source.ts';
import { tokensPath } from '../../src/server/access-tokens.ts';
import { startServer } from '../../src/server/start-server.ts';
import { stubServer } from '../support/stub-server.ts';
import { toldLog } from '../support/told-log.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../support/trim-rule.ts';
import { APPLY, createWorld, type World } from '../support/world.ts';

const ON = `${APPLY}alerts: { pictures: true }\nmessages: { retry: { attempts: 1, first_delay_ms: 1000 } }\n`;
const PNG = '89504e470d0a1a0a';
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
async function served(config = ON, source: Partial<PageSource> = {}): Promise<Served> {
  const world = await createWorld({ config, queries: TRIM_QUERIES, rules: TRIM_RULES });
  const { dataDir, clock } = world;
  await world.extract();
  const settings = await readSettings(world.folder, { dataDir }, { PACEKEEPER_TARGET: 'sandbox' });
  const key = world.sandbox.credentials.messages.password;
  const log: string[] = [];
  const line = (text: string) => void log.push(text);
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    secrets: { graphApp: undefined, graphVerify: undefined, messages: undefined },
    keep: async () => undefined,
    countWaiting: () => 0,
    log: toldLog({ info: line, warn: line }),
    pages: {
      source: { ...pagesOfThisThread({ settings, clock }), ...source },
      tokensPath: tokensPath(dataDir),
      nowMs: () => clock.now(),
      pictureKey: settings.alerts.pictures ? key : undefined,
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
    const { world, get, address } = await served();
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
