import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** Of a server on this machine that tests encrypt to. It signs itself, so no client trusts it; it opens nothing. */
export const LOOPBACK_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0sWzHw3tvXJMp+MF
c8CHBjARhYc+CzvYU9shR8RW7bqhRANCAASGaJ7P2Xt156ywnnb2It98DH+vkyEV
FfzJML0vmgWAkUlpSAf795AH5dYxljzEOwwLNJy7svSQvngXMKxUnYHz
-----END PRIVATE KEY-----`;
export const LOOPBACK_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUL2ALa+QmpTV9j4LX4fmZMP7ul3EwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMTA1MzQ1M1oYDzIxMjYxMDI4
MDUzNDUzWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASGaJ7P2Xt156ywnnb2It98DH+vkyEVFfzJML0vmgWAkUlpSAf795AH
5dYxljzEOwwLNJy7svSQvngXMKxUnYHzo2QwYjAdBgNVHQ4EFgQUq0rHD2xl0Ldc
iNroxzEX9xQpMhQwHwYDVR0jBBgwFoAUq0rHD2xl0LdciNroxzEX9xQpMhQwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IG4n+0kTsMprEjNGDfQFZI1UbCmiDZTgaukYwrNCSEKYAiEAgn5KR0yTglk1EiSo
iKhYSuRWju3l/SXVAftSS0JFGog=
-----END CERTIFICATE-----`;

/** What the proxy was asked, as it saw it. */
export interface ProxyRequest {
  readonly method: string;
  /** A whole address when it is to forward, a host with its port when it is to open a tunnel. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ForwardProxy {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ProxyRequest[];
}

/** Instead of its work: a status, or silence. */
export type Refusal = number | 'silence' | undefined;

/** A forward proxy on loopback that forwards http and tunnels everything else, unless it is told to refuse. */
export async function forwardProxy(refusal?: Refusal): Promise<ForwardProxy> {
  const requests: ProxyRequest[] = [];
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    requests.push({ method, target: url, headers });
    if (refusal === 'silence') return;
    if (refusal !== undefined) {
      response.writeHead(refusal, { 'content-type': 'text/html' }).end('<p>No.</p>');
      return;
    }
    const { 'proxy-authorization': _, ...passed } = headers;
    const outgoing = request(url, { method, headers: passed }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  server.on('connect', ({ method = '', url = '', headers }, client) => {
    requests.push({ method, target: url, headers });
    if (refusal === 'silence') return;
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const [host = '', port = ''] = url.split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    upstream.on('close', () => client.destroy());
  });
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, requests };
}
