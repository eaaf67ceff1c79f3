import { describe, expect, it } from 'vitest';
import { ANNA, APPROVERS, BERTA, replyWorld } from './reply-world.ts';

const TOO_MANY = { kind: 'status', status: 429, body: '{}' } as const;
const ONE_TRY = `${APPROVERS}messages: { retry: { attempts: 1 } }\n`;
const ONCE = ['serve', '--once'];

describe('an answer that the interface did not accept', () => {
  it('is sent by the next pass even if nothing has arrived since', async () => {
    const world = await replyWorld();
    const { product } = world;
    product.reconfigure('approve', ONE_TRY);
    product.fault = ({ kind }) => (kind === 'message' ? TOO_MANY : undefined);
    await world.receive([ANNA, `YES ${world.code}`]);
    const pending = () => product.rows("SELECT recipient FROM outbox WHERE state = 'pending'");
    expect((await product.run(ONCE)).code).toBe(1);
    expect(await world.inbox.countWaiting()).toBe(0);
    expect(pending()).toContainEqual({ recipient: ANNA });
    expect((await product.run(ONCE)).code).toBe(1);
    product.fault = undefined;
    expect((await product.run(ONCE)).code).toBe(0);
    expect(pending()).toEqual([]);
    const requests = product.sandbox.requests.length;
    expect((await product.run(ONCE)).code).toBe(0);
    expect(product.sandbox.requests).toHaveLength(requests);
  });

  it('is tried for a day and then waits for the next report', async () => {
    const world = await replyWorld();
    const { product } = world;
    product.reconfigure('approve', ONE_TRY);
    product.fault = ({ kind }) => (kind === 'message' ? TOO_MANY : undefined);
    await world.receive([ANNA, `NO ${world.code}`]);
    await product.run(ONCE);
    product.at('2026-11-21T11:59:00Z');
    expect((await product.run(ONCE)).code).toBe(1);
    product.at('2026-11-21T12:00:01Z');
    expect((await product.run(ONCE)).code).toBe(0);
  });

  it('does not delay other decisions if its sending crashes, and is sent later', async () => {
    const world = await replyWorld();
    const { product } = world;
    product.execute(
      "CREATE TRIGGER broken BEFORE INSERT ON message BEGIN SELECT RAISE(ABORT, 'the message table is broken'); END",
    );
    await world.receive([BERTA, 'yes'], [ANNA, `NO ${world.code}`]);
    const { code, stderr } = await product.run(ONCE);
    expect([code, world.replies().map(({ outcome }) => outcome)]).toEqual([1, ['not_understood', 'declined']]);
    expect(stderr).toContain('Cannot deliver messages now, trying again later: ');
    product.execute('DROP TRIGGER broken');
    expect((await product.run(ONCE)).code).toBe(0);
    expect(product.rows("SELECT recipient FROM outbox WHERE reason = 'reply' AND state = 'accepted'")).toHaveLength(2);
  });

  it('is sent by area A from the number that received the message, even in a later pass', async () => {
    const world = await replyWorld();
    const { product } = world;
    const { businessAccountId, accessToken, phoneNumberId } = product.sandbox.credentials.graph;
    const metadata = { display_phone_number: '15550100001' };
    const payload = JSON.stringify({ entry_id: businessAccountId, metadata, message: {} });
    const about = { channel: 'graph', sender: '4915112345678', text: `NO ${world.code}`, payload } as const;
    await world.keep({ ...about, dedupeKey: 'graph:message:wamid.A' });
    const env = { GRAPH_URL: product.sandbox.url, GRAPH_ACCESS_TOKEN: accessToken };
    product.reconfigure('approve', `${APPROVERS}graph: { retry: { attempts: 1 } }\n`);
    product.fault = ({ path }) => (path.endsWith('/messages') ? TOO_MANY : undefined);
    expect((await product.run(ONCE, { env })).code).toBe(1);
    product.fault = undefined;
    expect((await product.run(ONCE, { env })).code).toBe(0);
    expect(product.sandbox.requests.at(-1)?.path).toContain(phoneNumberId);
  });
});

describe('a report that a message failed', () => {
  it('passes the message to the next channel in later passes until it is accepted', async () => {
    const world = await replyWorld();
    const { product } = world;
    const [sent] = product.rows('SELECT provider_id FROM message');
    const providerId = String(sent?.provider_id);
    const status = { kind: 'status', providerId, status: 'failed', sender: undefined, text: undefined } as const;
    await world.keep({ ...status, dedupeKey: 'messages:status:failed' });
    const { accessToken, phoneNumberId } = product.sandbox.credentials.graph;
    const env = {
      GRAPH_URL: product.sandbox.url,
      GRAPH_ACCESS_TOKEN: accessToken,
      GRAPH_PHONE_NUMBER_ID: phoneNumberId,
    };
    product.reconfigure('approve', `${APPROVERS}graph: { retry: { attempts: 1 } }\n`);
    product.fault = ({ path }) => (path.endsWith('/messages') ? TOO_MANY : undefined);
    expect((await product.run(ONCE, { env })).code).toBe(1);
    expect((await product.run(ONCE, { env })).code).toBe(1);
    product.fault = undefined;
    expect((await product.run(ONCE, { env })).code).toBe(0);
    expect(product.rows('SELECT channel, state FROM outbox ORDER BY id')).toEqual([
      { channel: 'messages', state: 'failed' },
      { channel: 'graph', state: 'accepted' },
    ]);
  });
});
