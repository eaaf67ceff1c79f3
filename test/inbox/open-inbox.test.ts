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
  it('is created with its folder, for its owner only, and waits for the disk', () => {
    const { path } = freshInbox();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const file = new Database(path, { readonly: true });
    onTestFinished(() => void file.close());
    expect(file.pragma('journal_mode', { simple: true })).toBe('wal');
  });

  it('keeps each thing once, whichever process keeps it, and says how many are new', () => {
    const { path, inbox } = freshInbox();
    const beside = freshInbox(path).inbox;
    expect(inbox.keep([someEvent('a'), someEvent('b'), someEvent('a')])).toBe(2);
    expect(beside.keep([someEvent('b'), someEvent('c')])).toBe(1);
    expect(keys(inbox)).toEqual(['a', 'b', 'c']);
  });

  it('does not take again what was handled', () => {
    const { inbox } = freshInbox();
    inbox.keep([someEvent('a')]);
    inbox.done(inbox.waiting()[0]?.id ?? 0n, 'approved');
    expect(inbox.keep([someEvent('a')])).toBe(0);
    expect([inbox.countWaiting(), inbox.waiting()]).toEqual([0, []]);
  });

  it('forgets what was handled 30 days ago, and never what waits', () => {
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

  it('remembers no more than its number of handled things, however fast they come', () => {
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

  it('that is no database is refused with a next step', () => {
    const path = join(tempDir(), 'inbox.sqlite');
    writeFileSync(path, 'not a database, and long enough to be read as a header of one'.repeat(20));
    expect(() => openInbox(path, fakeClock(NOON))).toThrow(/cannot be used as a database/);
  });

  it('that a newer version wrote is refused and left alone', () => {
    const { inbox, path } = freshInbox();
    inbox.close();
    const file = new Database(path);
    onTestFinished(() => void file.close());
    file.pragma('user_version = 2');
    expect(() => openInbox(path, fakeClock(NOON))).toThrow(`${path} was written by a newer version of pacekeeper.`);
    expect(file.pragma('user_version', { simple: true })).toBe(2);
  });
});

describe('keeping together', () => {
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

  it('is one transaction for what arrives at the same time, and the next begins with what arrives after it', async () => {
    const { calls, told, keep } = recording();
    await Promise.all([keep([someEvent('a')]), keep([someEvent('b'), someEvent('c')])]);
    await keep([someEvent('d')]);
    expect([calls, told]).toEqual([
      [['a', 'b', 'c'], ['d']],
      ['told', 'told'],
    ]);
  });

  it('says nothing of what was known already', async () => {
    const { told, keep } = recording();
    await keep([someEvent('known')]);
    expect(told).toEqual([]);
  });

  it('loses nothing to another request’s event: where all cannot be kept each is tried alone', async () => {
    const { keep } = recording((events) => events.some(({ dedupeKey }) => dedupeKey === 'bad'));
    const results = await Promise.allSettled([
      keep([someEvent('a')]),
      keep([someEvent('bad')]),
      keep([someEvent('c')]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
