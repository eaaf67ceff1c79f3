import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listPhoneNumbers } from '../../../src/channels/graph/phone-numbers.ts';
import { sendText } from '../../../src/channels/graph/send-text.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { stubServer } from '../../support/stub-server.ts';
import { ACCOUNT, APP_SECRET, connectTo, json, SENDER, TOKEN } from './graph-client.ts';

async function requestsWith(overrides: Parameters<typeof connectTo>[1]) {
  const { url, requests } = await stubServer((_, response) => json(response, 200, { data: [] }));
  const graph = connectTo(url, overrides);
  await listPhoneNumbers(graph, ACCOUNT);
  await sendText(graph, { from: SENDER, to: '4915112345678', body: 'x' });
  return requests.map(({ path, headers }) => ({ url: new URL(path, 'http://x'), headers }));
}

describe('the token', () => {
  it('A10: is sent as a bearer and not in the address', async () => {
    for (const { url, headers } of await requestsWith({ tokenIn: 'header' })) {
      expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
      expect(url.search).toBe('');
    }
  });

  it('A10: is sent exactly in the query and not as a bearer', async () => {
    for (const { url, headers } of await requestsWith({ tokenIn: 'query' })) {
      expect(headers).not.toHaveProperty('authorization');
      expect([...url.searchParams]).toEqual([['access_token', TOKEN]]);
    }
  });

  it('is proved with the app secret if set, and the proof is redacted', async () => {
    const redact = createRedact([]);
    const proof = createHmac('sha256', APP_SECRET).update(TOKEN).digest('hex');
    for (const { url } of await requestsWith({ appSecret: APP_SECRET, redact })) {
      expect(url.searchParams.get('appsecret_proof')).toBe(proof);
      expect(url.href).not.toContain(APP_SECRET);
    }
    expect(redact(proof)).toBe('[redacted]');
  });
});

it.each(['v3.3', 'v13.0', 'v14.0', 'v15.0', 'v23.0', 'v100.1'])(
  'A9: the version %s precedes the path',
  async (version) => {
    const [request] = await requestsWith({ version });
    expect(request?.url.pathname).toBe(`/${version}/${ACCOUNT}/phone_numbers`);
  },
);
