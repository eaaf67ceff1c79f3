import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpClient, type HttpTimeouts, readText } from '../../src/services/http/http-client.ts';
import { forwardProxy, LOOPBACK_CERTIFICATE, LOOPBACK_KEY } from '../support/forward-proxy.ts';
import { stubServer } from '../support/stub-server.ts';
import { failureOf } from './test-client.ts';

const TINY = { connectMs: 60, headersMs: 60, bodyIdleMs: 60 };
const BASIC = `Basic ${Buffer.from('agent:pass word/1').toString('base64')}`;
const withUser = (url: string) => url.replace('//', '//agent:pass%20word%2F1@');

function clientThrough(proxy: { http?: string; https?: string; bypass?: string }, timeouts?: HttpTimeouts) {
  const settings = { http: proxy.http, https: proxy.https, bypass: proxy.bypass ?? '' };
  const http = createHttpClient(timeouts, { proxy: settings });
  onTestFinished(() => http.close());
  return http;
}

/** A service that can only be reached encrypted. */
async function encryptedService(): Promise<string> {
  const server = createServer({ key: LOOPBACK_KEY, cert: LOOPBACK_CERTIFICATE }, (_, response) => response.end('{}'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const post = (url: string) =>
  ({ method: 'POST', url: `${url}/v25/a:b?c=d`, headers: { 'x-a': '1' }, body: '{}' }) as const;

describe('through a proxy, http', () => {
  it('is forwarded: the proxy sees the whole address and its credentials; the service does not see them', async () => {
    const service = await stubServer((_, response) => response.end('schön'));
    const proxy = await forwardProxy();
    const http = clientThrough({ http: withUser(proxy.url) });
    for (let round = 0; round < 2; round++) {
      const answer = await http.send(post(service.url));
      expect([answer.status, await readText(answer, 100)]).toEqual([200, 'schön']);
    }
    expect(proxy.requests[0]).toMatchObject({ method: 'POST', target: `${service.url}/v25/a:b?c=d` });
    expect(proxy.requests.map(({ headers }) => headers['proxy-authorization'])).toEqual([BASIC, BASIC]);
    expect(service.requests).toMatchObject([
      { method: 'POST', path: '/v25/a:b?c=d', body: '{}', headers: { 'x-a': '1', 'content-length': '2' } },
      { method: 'POST' },
    ]);
    expect(service.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('carries no credentials to a proxy without credentials', async () => {
    const service = await stubServer((_, response) => response.end());
    const proxy = await forwardProxy();
    await clientThrough({ http: proxy.url }).send(post(service.url));
    expect(proxy.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('goes directly for NO_PROXY, or with a proxy only for https', async () => {
    const service = await stubServer((_, response) => response.end());
    const proxy = await forwardProxy();
    await clientThrough({ http: proxy.url, bypass: '127.0.0.1' }).send(post(service.url));
    await clientThrough({ https: proxy.url }).send(post(service.url));
    expect(service.requests).toHaveLength(2);
    expect(proxy.requests).toEqual([]);
  });

  it('with invalid proxy credentials is not an answer of the service', async () => {
    const service = await stubServer((_, response) => response.end());
    const proxy = await forwardProxy(407);
    const error = await failureOf(clientThrough({ http: withUser(proxy.url) }).send(post(service.url)));
    expect(error).toMatchObject({ status: 'PROXY_REFUSED', outcome: 'not_processed', transient: false });
    expect(error.message).toContain(`The proxy 127.0.0.1:${proxy.port} refused the request`);
    expect(error.nextStep).toMatch(/^Proxy authentication required\. Set HTTPS_PROXY or HTTP_PROXY to http:/);
    expect(`${error.message}${error.nextStep}`).not.toMatch(/agent|pass word/);
    expect(service.requests).toEqual([]);
  });

  it('ends if the proxy or the service behind it is silent', async () => {
    const silent = await stubServer(() => undefined);
    const proxies = [await forwardProxy('silence'), await forwardProxy()];
    const asked = proxies.map((proxy) => clientThrough({ http: proxy.url }, TINY).send(post(silent.url)));
    for (const error of await Promise.all(asked.map(failureOf))) {
      expect(error).toMatchObject({ status: 'UND_ERR_HEADERS_TIMEOUT', transient: true });
    }
  });

  it('ends if the answer stalls behind the proxy', async () => {
    const service = await stubServer((_, response) => void response.writeHead(200).write('['));
    const proxy = await forwardProxy();
    const answer = await clientThrough({ http: proxy.url }, TINY).send(post(service.url));
    expect(await failureOf(readText(answer, 100))).toMatchObject({ status: 'UND_ERR_BODY_TIMEOUT' });
  });

  it('fails with the proxy’s address if no server accepts connections there', async () => {
    const service = await stubServer((_, response) => response.end());
    const http = clientThrough({ http: 'http://agent:secret-1@127.0.0.1:1' });
    const error = await failureOf(http.send(post(service.url)));
    expect(error).toMatchObject({ status: 'ECONNREFUSED', outcome: 'not_processed', transient: true });
    expect(error.message).toMatch(/\(through the proxy 127\.0\.0\.1:1\) gave no complete answer: no server accepts/);
    expect(error.nextStep).toBe('Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.');
    expect(service.requests).toEqual([]);
  });
});

describe('through a proxy, https', () => {
  it('is tunnelled: the proxy sees only the host, and the service’s certificate is checked', async () => {
    const url = await encryptedService();
    const proxy = await forwardProxy();
    const error = await failureOf(clientThrough({ https: withUser(proxy.url) }).send(post(url)));
    expect(proxy.requests).toMatchObject([
      { method: 'CONNECT', target: new URL(url).host, headers: { 'proxy-authorization': BASIC } },
    ]);
    expect(error).toMatchObject({ status: 'DEPTH_ZERO_SELF_SIGNED_CERT', outcome: 'not_processed', transient: false });
  });

  it.each([
    [407, false],
    [403, false],
    [502, true],
    [503, true],
  ])('without a tunnel, refused with %d, was surely not processed', async (status, transient) => {
    const proxy = await forwardProxy(status);
    const error = await failureOf(clientThrough({ https: withUser(proxy.url) }).send(post('https://ads.example.com')));
    expect(error).toMatchObject({ status: 'PROXY_REFUSED', outcome: 'not_processed', transient });
    expect(error.message).toBe(
      `The proxy 127.0.0.1:${proxy.port} refused the request to ads.example.com: it answered HTTP ${status}.`,
    );
  });

  it('ends if the proxy never opens the tunnel', async () => {
    const proxy = await forwardProxy('silence');
    const error = await failureOf(clientThrough({ https: proxy.url }, TINY).send(post('https://ads.example.com')));
    expect(error.status).toMatch(/TIMEOUT/);
    expect(error.transient).toBe(true);
  });

  it('does not go through the proxy for http', async () => {
    const url = await encryptedService();
    const proxy = await forwardProxy();
    await failureOf(clientThrough({ http: proxy.url }).send(post(url)));
    expect(proxy.requests).toEqual([]);
  });
});
