import { describe, expect, it } from 'vitest';
import { TooManyQueries } from '../../src/dashboard/explore/explore-source.ts';
import type { LinkOrder } from '../../src/dashboard/links/link-reading.ts';
import { statusServer } from './status-server.ts';

const asked: LinkOrder[] = [];
const ended: string[] = [];
let isRevoked = false;
let isBroken = false;
const server = await statusServer({
  source: {
    readLink: async (order) => {
      asked.push(order);
      if (isBroken) throw new Error(`The database is away. ${order.query}`);
      if (isRevoked) return { kind: 'refused', status: 410, problem: 'This link was revoked' };
      return { kind: 'read', id: '1', sql: order.file, format: 'csv', etag: undefined };
    },
  },
  linkRows: {
    look: async () => ({ kind: 'refused', problems: [] }),
    download: async (sql) => {
      if (sql === 'busy.csv') throw new TooManyQueries('20 queries are already waiting.');
      return (async function* () {
        try {
          yield Buffer.from('"x"\r\n');
          if (sql === 'revoked.csv') isRevoked = true;
          server.clock.set(new Date(server.clock.now() + 2000).toISOString());
          yield Buffer.from('1\r\n');
        } finally {
          ended.push(sql);
        }
      })();
    },
    close: () => undefined,
  },
});

let links = 0;
const read = (file: string, init?: RequestInit) => {
  links += 1;
  return server.send(`/tables/${file}?key=rl_${links}`, init);
};

describe('the route of read links', () => {
  it('asks with the digest of the key, and sends all parts of a valid link', async () => {
    asked.length = 0;
    const { status, body, headers } = await read('valid.csv');
    expect([status, body, headers.get('etag')]).toEqual([200, '"x"\r\n1\r\n', null]);
    expect(asked.map(({ digest }) => digest)).toEqual([asked[0]?.digest, asked[0]?.digest]);
    expect(asked[0]?.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('breaks off when the link is revoked in the middle, and ends the query', async () => {
    await expect(read('revoked.csv')).rejects.toThrow();
    isRevoked = false;
    expect(ended).toContain('revoked.csv');
  });

  it('runs no query for HEAD', async () => {
    const before = ended.length;
    expect((await read('valid.csv', { method: 'HEAD' })).status).toBe(200);
    expect(ended).toHaveLength(before);
  });

  it('answers 503 while other queries wait, or if the records cannot be read', async () => {
    expect((await read('busy.csv')).status).toBe(503);
    isBroken = true;
    const { status, body } = await read('valid.csv');
    isBroken = false;
    expect([status, body]).toEqual([503, '{"error":"the link cannot be read now. Try again in a minute"}']);
    const [words] = server.log.filter((line) => line.startsWith('Reading a link failed'));
    expect(words).toMatch(/The database is away\. key=rl_…$/);
  });

  it('needs no token, but its page does', async () => {
    expect((await read('valid.csv')).status).toBe(200);
    expect((await server.send('/links')).status).toBe(404);
  });
});
