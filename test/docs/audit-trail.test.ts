import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '../../src/storage/records/schema.ts';
import { eventfulState, tamper } from '../support/audit.ts';

const DOCUMENT = readFileSync('docs/audit-trail.md', 'utf8');
const [, hashed = ''] = /"(SELECT hash, [^"]+)"/.exec(DOCUMENT) ?? [];
const [, links = ''] = /```sql\n(.*?)\n```/s.exec(DOCUMENT) ?? [];

describe('docs/audit-trail.md', () => {
  it('describes how anyone can recompute the hashes', async () => {
    const { connection } = await eventfulState();
    const rows = connection.prepare(hashed).raw().all() as [hash: string, hashed: string][];
    expect(rows).toHaveLength(18);
    expect(rows.map(([, text]) => createHash('sha256').update(text).digest('hex'))).toEqual(rows.map(([hash]) => hash));
  });

  it('describes how anyone can follow the links', async () => {
    const state = await eventfulState();
    const broken = () => state.connection.prepare(links).pluck().all();
    expect(broken()).toEqual([]);
    tamper(
      state,
      'DELETE FROM budget_event WHERE id IN (1, 6)',
      `UPDATE budget_event SET hash = '${'a'.repeat(64)}' WHERE id = 9`,
    );
    expect(broken()).toEqual([2n, 7n, 10n]);
  });

  it('names every kind of event', () => {
    expect(EVENT_KINDS.filter((kind) => !DOCUMENT.includes(`\`${kind}\``))).toEqual([]);
  });
});
