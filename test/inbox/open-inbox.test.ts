import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepTogether } from '../../src/inbox/keep-together.ts';
import { type ArrivedEvent, HANDLED_KEPT_MAX, type Inbox, openInbox } from '../../src/inbox/open-inbox.ts';
import { fakeClock } from '../support/fake-time.ts';
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

function freshInbox(path = join(tempDir(), 'data', 'inbox.sqlite')) {
  const clock = fakeClock(NOON);
  const inbox = openInbox(path, clock);
  onTestFinished(() => inbox.close());
  return { path, clock, inbox };
}

const keys = (inbox: Inbox) => inbox.waiting().map(({ dedupeKey }) => dedupeKey);

describe('inbox.sqlite', () => {
  it('is created with its folder, readable only by its owner, in WAL mode', () => {
    const { path } = freshInbox();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const file = new Database(path, { readonly: true });
    onTestFinished(() => void file.close());
    expect(file.pragma('journal_mode', { simple: true })).toBe('wal');
  });

  it('keeps each event once, from any process, and counts the new ones', () => {
    const { path, inbox } = freshInbox();
    const beside = freshInbox(path).inbox;
    expect(inbox.keep([someEvent('a'), someEvent('b'), someEvent('a')])).toBe(2);
    expect(beside.keep([someEvent('b'), someEvent('c')])).toBe(1);
    expect(keys(inbox)).toEqual(['a', 'b', 'c']);
  });

  it('does not accept a handled event again', () => {
    const { inbox } = freshInbox();
    inbox.keep([someEvent('a')]);
    inbox.done(inbox.waiting()[0]?.id ?? 0n, 'approved');
    expect(inbox.keep([someEvent('a')])).toBe(0);
    expect([inbox.countWaiting(), inbox.waiting()]).toEqual([0, []]);
  });

  it('forgets events 30 days after handling, and never waiting events', () => {
    const { inbox, clock, path } = freshInbox();
    inbox.keep([someEvent('waits'), someEvent('old'), someEvent('new')]);
    const [waits, old, fresh] = inbox.waiting();
    inbox.done(old?.id ?? 0n, 'approved');
    clock.set('2026-12-21T12:00:01Z');
    inbox.done(fresh?.id ?? 0n, 'approved');
    const file = new Database(path, { readonly: true });
    onTestFinished(() => void file.close());
    expect(file.prepare('SELECT dedupe_key FROM webhook_event ORDER BY id').pluck().all()).toEqual(['waits', 'new']);
    expect(inbox.waiting()).toEqual([waits]);
  });

  it('limits the number of remembered handled events', () => {
    const { inbox, path } = freshInbox();
    inbox.keep([someEvent('first'), someEvent('second')]);
    for (const { id } of inbox.waiting()) inbox.done(id, 'approved');
    const file = new Database(path);
    onTestFinished(() => void file.close());
    file.exec(`UPDATE sqlite_sequence SET seq = ${HANDLED_KEPT_MAX + 1}`);
    inbox.keep([someEvent('far later')]);
    inbox.done(inbox.waiting()[0]?.id ?? 0n, 'approved');
    expect(file.prepare('SELECT dedupe_key FROM webhook_event').pluck().all()).toEqual(['far later']);
  });

  it('is refused with a next step if it is not a database', () => {
    const path = join(tempDir(), 'inbox.sqlite');
    writeFileSync(path, 'not a database, and long enough to be read as a header of one'.repeat(20));
    expect(() => openInbox(path, fakeClock(NOON))).toThrow(/cannot be used as a database/);
  });

  it('is refused and left unchanged if a newer version wrote it', () => {
    const { inbox, path } = freshInbox();
    inbox.close();
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
    const keep = (events: readonly ArrivedEvent[]) => {
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
