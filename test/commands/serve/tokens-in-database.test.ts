import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTokensInDatabase } from '../../../src/commands/serve/tokens-in-database.ts';
import { addToken, matchToken } from '../../../src/dashboard/server/access-tokens.ts';
import { describePostgres, freshDatabase } from '../../support/postgres-server.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NOON = '2026-11-20T12:00:00Z';
const LATER = '2026-11-20T13:00:00Z';
const NAMES = ['name', 'role'] as const;

describePostgres('tokens in a database', () => {
  it('are the same for every pod, at once, and only as digests', async () => {
    const url = await freshDatabase();
    const one = await openTokensInDatabase(url, join(tempDir(), 'none.json'));
    const other = await openTokensInDatabase(url, join(tempDir(), 'none.json'));
    const token = await one.add({ name: 'anna', role: 'approver' }, NOON);
    expect(one.place).toBe(other.place);
    expect(matchToken(await other.read(), token)).toMatchObject({ name: 'anna', role: 'approver', createdAt: NOON });
    await expect(other.add({ name: 'anna', role: 'viewer' }, NOON)).rejects.toThrow('Token anna exists already.');
    expect(JSON.stringify(await other.read())).not.toContain(token);
    await other.revoke('anna', LATER);
    expect(await one.read()).toEqual([]);
    await expect(one.revoke('anna', LATER)).rejects.toThrow('No such token. Existing tokens: none.');
    const again = await one.add({ name: 'anna', role: 'viewer' }, LATER);
    expect([matchToken(await other.read(), token), matchToken(await other.read(), again)?.role]).toEqual([
      undefined,
      'viewer',
    ]);
    await Promise.all([one.close(), other.close()]);
  });

  it('include those of a file once, which a later start neither doubles nor brings back', async () => {
    const url = await freshDatabase();
    const file = join(tempDir(), 'serve-tokens.json');
    const anna = addToken(file, { name: 'anna', role: 'admin' }, NOON);
    const ben = addToken(file, { name: 'ben', role: 'viewer' }, LATER);
    const text = readFileSync(file, 'utf8');
    const first = await openTokensInDatabase(url, file);
    expect((await first.read()).map((token) => NAMES.map((key) => token[key]))).toEqual([
      ['anna', 'admin'],
      ['ben', 'viewer'],
    ]);
    await first.revoke('anna', LATER);
    await first.close();
    const second = await openTokensInDatabase(url, file);
    const tokens = await second.read();
    expect([matchToken(tokens, anna), matchToken(tokens, ben)?.name, tokens.length]).toEqual([undefined, 'ben', 1]);
    expect(readFileSync(file, 'utf8')).toBe(text);
    await second.close();
  });
});
