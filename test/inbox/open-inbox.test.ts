import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ArrivedEvent } from '../../src/channels/channel.ts';
import { CHANNEL_NAMES } from '../../src/channels/channels.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { engineOf } from '../../src/engine/folder/engine.ts';
import { HANDLED_KEPT_MAX, type Inbox } from '../../src/storage/inbox/inbox.ts';
import { INBOX_TABLES } from '../../src/storage/inbox/inbox-schema.ts';
import { keepTogether } from '../../src/storage/inbox/keep-together.ts';
import { openInbox } from '../../src/storage/inbox/open-inbox.ts';
import { freshStore } from '../support/both-engines.ts';
import { type FakeClock, fakeClock } from '../support/fake-time.ts';
import { describePostgres, freshDatabase, onDatabase, ownPostgres, urlOf } from '../support/postgres-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { NOON } from '../support/world.ts';

function someEvent(key: string, other: Partial<ArrivedEvent> = {}): ArrivedEvent {
  return {
    channel: 'messages',
    kind: 'message',
    dedupeKey: key,
    providerId: key,
    sender: 'whatsapp:+4915112345678',
    status: undefined,
    text: 'YES 7K3Q',
    payload: '{}',
    ...other,
  };
}

function freshInbox(path = join(tempDir(), 'data', 'inbox.sqlite'), clock = fakeClock(NOON)) {
  const inbox = openInbox(path, clock);
  onTestFinished(() => inbox.close());
  return { path, clock, inbox };
}

/** Two inboxes of one folder or database, and what somebody else sees of them. */
interface World {
  readonly clock: FakeClock;
  open(): Promise<Inbox>;
  keys(): Promise<unknown[]>;
  skipIds(): Promise<unknown>;
}

async function onFile(): Promise<World> {
  const { path, clock } = freshInbox();
  const file = new Database(path);
  onTestFinished(() => void file.close());
  return {
    clock,
    open: async () => freshInbox(path, clock).inbox,
    keys: async () => file.prepare('SELECT dedupe_key FROM webhook_event ORDER BY id').pluck().all(),
    skipIds: async () => file.exec(`UPDATE sqlite_sequence SET seq = ${HANDLED_KEPT_MAX + 1}`),
  };
}

async function inboxAt(url: string, clock = fakeClock(NOON)): Promise<Inbox> {
  const settings = await readSettings(tempDir(), {}, { PACEKEEPER_STORE_URL: url });
  const inbox = await (await engineOf(settings)).openInbox(clock);
  onTestFinished(() => inbox.close());
  return inbox;
}

async function onPostgres(): Promise<World> {
  const url = await freshDatabase();
  const clock = fakeClock(NOON);
  return {
    clock,
    open: () => inboxAt(url, clock),
    keys: async () => (await onDatabase(url, 'SELECT dedupe_key FROM pacekeeper.webhook_event ORDER BY id')).flat(),
    skipIds: () => onDatabase(url, `SELECT setval('pacekeeper.webhook_event_id_seq', ${HANDLED_KEPT_MAX + 1})`),
  };
}

const keys = async (inbox: Inbox) => (await inbox.waiting()).map(({ dedupeKey }) => dedupeKey);

function behaves(world: () => Promise<World>): void {
  it('keeps each event once, from any process, and counts the new ones', async () => {
    const { open } = await world();
    const inbox = await open();
    const beside = await open();
    expect(await inbox.keep([someEvent('a'), someEvent('b'), someEvent('a')])).toBe(2);
    expect(await beside.keep([someEvent('b'), someEvent('c')])).toBe(1);
    expect(await keys(inbox)).toEqual(['a', 'b', 'c']);
    const more = Array.from({ length: 1001 }, (_, index) => someEvent(`more ${index}`));
    expect([await beside.keep(more), await inbox.keep(more)]).toEqual([1001, 0]);
    expect(await inbox.countWaiting()).toBe(1004);
  });

  it('gives back what it got, and keeps a text that has a NUL', async () => {
    const inbox = await (await world()).open();
    await inbox.keep([someEvent('a', { text: 'YES\0 7K3Q', providerId: undefined })]);
    const [{ id, ...event } = { id: undefined }] = await inbox.waiting();
    const kept = { ...someEvent('a'), text: 'YES\uFFFD 7K3Q', providerId: undefined };
    expect([id, event]).toEqual([1n, { ...kept, receivedAt: '2026-11-20T12:00:00Z' }]);
    expect((await inbox.newestMessage('messages', 'whatsapp:+4915112345678'))?.id).toBe(1n);
    expect(await inbox.newestMessage('graph', 'whatsapp:+4915112345678')).toBeUndefined();
  });

  it('keeps nothing of events that cannot be kept together', async () => {
    const inbox = await (await world()).open();
    const kind = 'none of the kinds' as 'other';
    await expect(inbox.keep([someEvent('a'), someEvent('b', { kind })])).rejects.toThrow(/constraint/);
    expect(await inbox.countWaiting()).toBe(0);
  });

  it('does not accept a handled event again', async () => {
    const inbox = await (await world()).open();
    await inbox.keep([someEvent('a')]);
    await inbox.done((await inbox.waiting())[0]?.id ?? 0n, 'approved');
    expect(await inbox.keep([someEvent('a')])).toBe(0);
    expect([await inbox.countWaiting(), await inbox.waiting()]).toEqual([0, []]);
  });

  it('forgets events 30 days after handling, and never waiting events', async () => {
    const at = await world();
    const inbox = await at.open();
    await inbox.keep([someEvent('waits'), someEvent('old'), someEvent('new')]);
    const [waits, old, fresh] = await inbox.waiting();
    await inbox.done(old?.id ?? 0n, 'approved');
    at.clock.set('2026-12-21T12:00:01Z');
    await inbox.done(fresh?.id ?? 0n, 'approved');
    expect(await at.keys()).toEqual(['waits', 'new']);
    expect(await inbox.waiting()).toEqual([waits]);
  });

  it('limits the number of remembered handled events', async () => {
    const at = await world();
    const inbox = await at.open();
    await inbox.keep([someEvent('first'), someEvent('second')]);
    for (const { id } of await inbox.waiting()) await inbox.done(id, 'approved');
    await at.skipIds();
    await inbox.keep([someEvent('far later')]);
    await inbox.done((await inbox.waiting())[0]?.id ?? 0n, 'approved');
    expect(await at.keys()).toEqual(['far later']);
  });
}

describe('the inbox in a file', () => behaves(onFile));

describePostgres('the inbox in PostgreSQL', () => {
  behaves(onPostgres);

  it('keeps events while a run writes', async () => {
    const url = await freshDatabase();
    const inbox = await inboxAt(url);
    const { db } = await freshStore(url);
    await db.transaction().execute(async () => expect(await inbox.keep([someEvent('a')])).toBe(1));
  });

  it('refuses events while the server is away, and keeps them when it is back', async () => {
    const server = await ownPostgres();
    const inbox = await inboxAt(urlOf(server, 'postgres'));
    const told: string[] = [];
    const keep = keepTogether(inbox, () => told.push('told'));
    await keep([someEvent('a')]);
    server.stop();
    const away = await Promise.allSettled([keep([someEvent('b')]), keep([someEvent('c')])]);
    expect(away).toEqual(
      Array(2).fill({ status: 'rejected', reason: expect.objectContaining({ code: 'STORE_LOST' }) }),
    );
    server.start();
    await keep([someEvent('b')]);
    expect([await keys(inbox), told]).toEqual([
      ['a', 'b'],
      ['told', 'told'],
    ]);
  });
});

describe('inbox.sqlite', () => {
  it('is created with its folder, readable only by its owner, in WAL mode', () => {
    const { path } = freshInbox();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const file = new Database(path, { readonly: true });
    onTestFinished(() => void file.close());
    expect(file.pragma('journal_mode', { simple: true })).toBe('wal');
  });

  it('is refused with a next step if it is not a database', () => {
    const path = join(tempDir(), 'inbox.sqlite');
    writeFileSync(path, 'not a database, and long enough to be read as a header of one'.repeat(20));
    expect(() => openInbox(path, fakeClock(NOON))).toThrow(/cannot be used as a database/);
  });

  it('is refused and left unchanged if a newer version wrote it', async () => {
    const { inbox, path } = freshInbox();
    await inbox.close();
    const file = new Database(path);
    onTestFinished(() => void file.close());
    file.pragma('user_version = 2');
    expect(() => openInbox(path, fakeClock(NOON))).toThrow(`${path} was written by a newer version of pacekeeper.`);
    expect(file.pragma('user_version', { simple: true })).toBe(2);
  });
});

describe('keeping events together', () => {
  const recording = (refuse: (events: readonly ArrivedEvent[]) => boolean = () => false) => {
    const calls: string[][] = [];
    const told: string[] = [];
    const keep = async (events: readonly ArrivedEvent[]) => {
      calls.push(events.map(({ dedupeKey }) => dedupeKey));
      if (refuse(events)) throw new Error('refused');
      return events.filter(({ dedupeKey }) => dedupeKey !== 'known').length;
    };
    return { calls, told, keep: keepTogether({ keep }, () => void told.push('told')) };
  };

  it('uses one transaction for events that arrive together, and another for later ones', async () => {
    const { calls, told, keep } = recording();
    await Promise.all([keep([someEvent('a')]), keep([someEvent('b'), someEvent('c')])]);
    await keep([someEvent('d')]);
    expect([calls, told]).toEqual([
      [['a', 'b', 'c'], ['d']],
      ['told', 'told'],
    ]);
  });

  it('does not report known events as new', async () => {
    const { told, keep } = recording();
    await keep([someEvent('known')]);
    expect(told).toEqual([]);
  });

  it('tries each event alone if not all can be kept, so that no request loses its events', async () => {
    const { keep } = recording((events) => events.some(({ dedupeKey }) => dedupeKey === 'bad'));
    const results = await Promise.allSettled([
      keep([someEvent('a')]),
      keep([someEvent('bad')]),
      keep([someEvent('c')]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

it('makes a table with a closed list of channels anew, and keeps its events and their numbers', async () => {
  const path = join(tempDir(), 'inbox.sqlite');
  const before = new Database(path);
  before.exec(INBOX_TABLES.replace('channel TEXT NOT NULL', `$& CHECK (channel IN ('messages', 'graph'))`));
  const insert = before.prepare(
    `INSERT INTO webhook_event (channel, kind, dedupe_key, payload, received_at) VALUES ('graph', 'other', ?, '{}', '2026-11-19T12:00:00Z')`,
  );
  for (const key of ['one', 'two', 'gone']) insert.run(key);
  before.exec(`DELETE FROM webhook_event WHERE dedupe_key = 'gone'`);
  before.close();
  const { inbox } = freshInbox(path);
  await inbox.keep([someEvent('three')]);
  expect((await inbox.waiting()).map(({ id, dedupeKey }) => [id, dedupeKey])).toEqual([
    [1n, 'one'],
    [2n, 'two'],
    [4n, 'three'],
  ]);
  const file = new Database(path);
  onTestFinished(() => void file.close());
  expect(file.prepare(`SELECT sql FROM sqlite_schema WHERE sql LIKE '%channel IN%'`).all()).toEqual([]);
});

it('refuses an event of a channel that the program does not have', async () => {
  const { inbox } = freshInbox();
  await expect(inbox.keep([someEvent('one', { channel: 'pigeon' })])).rejects.toThrow(
    `Unknown channel: found pigeon, expected one of ${CHANNEL_NAMES.join(', ')}.`,
  );
  expect(await inbox.countWaiting()).toBe(0);
});
