import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handleInbox, handleInboxBeside } from '../../../src/engine/answers/handle-inbox.ts';
import { ANNA, type ReplyWorld, replyWorld } from './reply-world.ts';

const message = ({ product }: ReplyWorld) => product.rows('SELECT state, status, error_code FROM message')[0];

async function report(world: ReplyWorld, status: string, payload: object = {}): Promise<void> {
  const [sent] = world.product.rows('SELECT provider_id FROM message');
  const providerId = String(sent?.provider_id);
  const told = { kind: 'status', providerId, status, sender: undefined, text: undefined } as const;
  await world.keep({ ...told, dedupeKey: `messages:status:${providerId}:${status}`, payload: JSON.stringify(payload) });
}

describe('handling the inbox', () => {
  it('moves a message’s state only forward, whatever the order of its reports', async () => {
    const world = await replyWorld();
    for (const status of ['sent', 'delivered', 'queued', 'read', 'sending']) await report(world, status);
    expect(await world.inApp(handleInboxBeside)).toMatchObject({ handled: 5, failures: [], later: false });
    expect(message(world)).toMatchObject({ state: 'delivered', status: 'read' });
    expect(await world.inbox.countWaiting()).toBe(0);
  });

  it('records the code of a failed message, and requests a delivery', async () => {
    const world = await replyWorld();
    await report(world, 'undelivered', { ErrorCode: '63016' });
    expect(await world.inApp(handleInboxBeside)).toMatchObject({ handled: 1, toDeliver: true });
    expect(message(world)).toEqual({ state: 'failed', status: 'undelivered', error_code: '63016' });
  });

  it('records the code and the reference of area A’s report', async () => {
    const world = await replyWorld();
    const [sent] = world.product.rows('SELECT reference FROM message');
    world.product.execute("UPDATE message SET channel = 'graph', provider_id = NULL");
    const status = { errors: [{ code: 131026 }], biz_opaque_callback_data: `pk-${sent?.reference}` };
    const about = { kind: 'status', channel: 'graph', providerId: 'wamid.X', status: 'failed' } as const;
    await world.keep({ ...about, dedupeKey: 'graph:status:wamid.X:failed', payload: JSON.stringify({ status }) });
    expect(await world.inApp(handleInboxBeside)).toMatchObject({ handled: 1, toDeliver: true });
    expect(message(world)).toEqual({ state: 'failed', status: 'failed', error_code: '131026' });
  });

  it('keeps a report of an unknown message for ten minutes', async () => {
    const world = await replyWorld();
    world.product.execute(
      "UPDATE message SET state = 'unknown', may_be_out = 1, provider_id = NULL, accepted_at = NULL",
    );
    await world.keep({
      kind: 'status',
      providerId: 'SMearly',
      status: 'sent',
      dedupeKey: 'messages:status:SMearly:sent',
    });
    expect(await world.inApp(handleInboxBeside)).toMatchObject({
      handled: 0,
      failures: [],
      later: true,
      waits: [expect.stringMatching(/^One delivery report waits .*, until 2026-11-20 12:10:00 UTC at the latest\.$/)],
    });
    expect(await world.inbox.countWaiting()).toBe(1);
    world.product.execute("UPDATE message SET state = 'accepted', provider_id = 'SMearly', status = NULL");
    expect(await world.inApp(handleInboxBeside)).toMatchObject({ handled: 1, later: false });
    expect(message(world)).toMatchObject({ status: 'sent' });
    await world.keep({
      kind: 'status',
      providerId: 'SMnever',
      status: 'sent',
      dedupeKey: 'messages:status:SMnever:sent',
    });
    world.at('2026-11-20T12:10:01Z');
    expect(await world.inApp(handleInboxBeside)).toMatchObject({ handled: 1, later: false });
  });

  it('recognises another sender’s report at once while no response is outstanding', async () => {
    const world = await replyWorld();
    await world.keep({
      kind: 'status',
      providerId: 'SMother',
      status: 'sent',
      dedupeKey: 'messages:status:SMother:sent',
    });
    expect(await world.inApp(handleInboxBeside)).toMatchObject({ handled: 1, later: false, waits: [] });
    expect(await world.inbox.countWaiting()).toBe(0);
  });

  it('A11: keeps unknown events in the inbox, and says so once', async () => {
    const world = await replyWorld();
    await world.keep({ kind: 'other', dedupeKey: 'graph:other:1', channel: 'graph', payload: '{"object":"page"}' });
    await world.handle();
    expect(await world.handle()).toMatchObject({ handled: 0 });
    expect(world.log).toEqual(['Unknown event received by graph. It is kept as webhook_event 1.']);
  });

  it('leaves decisions to the process with the run lock', async () => {
    const world = await replyWorld();
    await world.receive([ANNA, `YES ${world.code}`], [ANNA, 'Good morning']);
    expect(await world.inApp(handleInboxBeside)).toMatchObject({ handled: 1, decisions: 1 });
    expect(world.product.sends()).toEqual([]);
    expect(await world.inbox.countWaiting()).toBe(1);
  });

  it('reports and keeps an event that failed, and continues with the rest', async () => {
    const world = await replyWorld();
    await world.keep({ kind: 'status', providerId: 'SM1', status: 'sent', dedupeKey: 'broken', payload: 'no JSON' });
    await world.receive([ANNA, `NO ${world.code}`]);
    const { handled, failures } = await world.inApp(handleInbox);
    expect([handled, failures]).toEqual([1, [expect.stringMatching(/^webhook_event 1 could not be/)]]);
    expect((await world.inbox.waiting()).map(({ dedupeKey }) => dedupeKey)).toEqual(['broken']);
  });

  it('is one failure of the run if the inbox is damaged; the run does everything else', async () => {
    const world = await replyWorld();
    await world.inbox.close();
    const path = join(world.product.folder, 'data', 'inbox.sqlite');
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
    writeFileSync(path, 'no database'.repeat(1000));
    const { code, value } = await world.product.json(['report']);
    expect([code, value.failures]).toEqual([
      1,
      [expect.stringMatching(/^Received messages were not handled and still wait: .*inbox\.sqlite cannot/)],
    ]);
    expect(value.failures[0]).toContain('Or move it away to start an empty inbox: unhandled messages are lost');
    expect(value.failures[0]).not.toContain('budget changes');
    expect(value.slices.length).toBeGreaterThan(0);
    expect(world.product.rows('SELECT state FROM run ORDER BY id')).toEqual([{ state: 'done' }, { state: 'failed' }]);
  });

  it('creates no inbox if nothing ever arrived', async () => {
    const world = await replyWorld();
    await world.inbox.close();
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(world.product.folder, 'data', `inbox.sqlite${end}`), { force: true });
    expect(await world.inApp(handleInbox)).toMatchObject({ handled: 0, failures: [] });
  });
});
