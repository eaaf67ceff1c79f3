import { describe, expect, it } from 'vitest';
import { classifyStatus, classifyTransport, transportFailure } from '../../src/services/http/classify-failure.ts';

const SERVICE = { host: 'ads.example.com', proxy: undefined };

const PERMANENT = { outcome: 'not_processed', transient: false };
const REFUSED_FOR_NOW = { outcome: 'not_processed', transient: true };
const UNCERTAIN = { outcome: 'unknown', transient: true };
const GIVE_UP = { outcome: 'unknown', transient: false };

describe('classification by status', () => {
  it.each([
    ['a redirect was not followed', 302, PERMANENT],
    ['a wrong request stays wrong', 400, PERMANENT],
    ['wrong credentials stay wrong', 401, PERMANENT],
    ['a missing permission stays missing', 403, PERMANENT],
    ['a wrong path stays wrong', 404, PERMANENT],
    ['a request that took too long to arrive may have arrived', 408, UNCERTAIN],
    ['a conflict is a refusal', 409, PERMANENT],
    ['a missing content length is a refusal', 411, PERMANENT],
    ['too many requests were not processed', 429, REFUSED_FOR_NOW],
    ['a server error may come after the work', 500, UNCERTAIN],
    ['a missing operation proves nothing', 501, GIVE_UP],
    ['a gateway may have passed the request on', 502, UNCERTAIN],
    ['an unavailable service may have begun', 503, UNCERTAIN],
    ['a gateway timeout has passed the request on', 504, UNCERTAIN],
    ['an unrecognised server error means give up', 520, GIVE_UP],
    ['a success that is read as a failure proves nothing', 200, GIVE_UP],
    ['an invalid status proves nothing', 0, GIVE_UP],
    ['a remote-procedure code proves nothing', 14, GIVE_UP],
  ])('%s: %i', (_, status, classification) => {
    expect(classifyStatus(status)).toEqual(classification);
  });
});

describe('classification by connection failure', () => {
  it.each([
    ['no server accepts connections there', 'ECONNREFUSED', REFUSED_FOR_NOW],
    ['the name does not resolve', 'ENOTFOUND', REFUSED_FOR_NOW],
    ['the name does not resolve at the moment', 'EAI_AGAIN', REFUSED_FOR_NOW],
    ['the host is unreachable', 'EHOSTUNREACH', REFUSED_FOR_NOW],
    ['the network is unreachable', 'ENETUNREACH', REFUSED_FOR_NOW],
    ['the connection timed out', 'UND_ERR_CONNECT_TIMEOUT', REFUSED_FOR_NOW],
    ['the address is invalid', 'ERR_INVALID_URL', PERMANENT],
    ['the request is invalid', 'UND_ERR_INVALID_ARG', PERMANENT],
    ['the certificate is for another name', 'ERR_TLS_CERT_ALTNAME_INVALID', PERMANENT],
    ['the certificate has expired', 'CERT_HAS_EXPIRED', PERMANENT],
    ['the certificate is self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT', PERMANENT],
    ['the issuer is unknown', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', PERMANENT],
    ['the server sends no certificate of its issuer', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', PERMANENT],
    ['the connection was reset', 'ECONNRESET', UNCERTAIN],
    ['the other side closed while we wrote', 'EPIPE', UNCERTAIN],
    ['the network lost the connection', 'ETIMEDOUT', UNCERTAIN],
    ['the connection was closed', 'UND_ERR_SOCKET', UNCERTAIN],
    ['no headers in time', 'UND_ERR_HEADERS_TIMEOUT', UNCERTAIN],
    ['the body stalled', 'UND_ERR_BODY_TIMEOUT', UNCERTAIN],
    ['the body is shorter than announced', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', UNCERTAIN],
    ['the compressed body is cut off', 'Z_BUF_ERROR', UNCERTAIN],
    ['the compressed body is damaged', 'Z_DATA_ERROR', UNCERTAIN],
    ['an unrecognised code proves nothing', 'ESOMETHING', GIVE_UP],
    ['a missing code proves nothing', 'UNKNOWN', GIVE_UP],
  ])('%s: %s', (_, code, classification) => {
    expect(classifyTransport(code)).toEqual(classification);
  });

  it.each([
    ['during connect proves that nothing was sent', 'connect', REFUSED_FOR_NOW],
    ['during name lookup proves that nothing was sent', 'getaddrinfo', REFUSED_FOR_NOW],
    ['during reading proves nothing', 'read', UNCERTAIN],
    ['during writing proves nothing', 'write', UNCERTAIN],
  ])('a host that became unreachable on a connection %s', (_, syscall, classification) => {
    const cause = Object.assign(new Error('unreachable'), { code: 'EHOSTUNREACH', syscall });
    expect(transportFailure(cause, SERVICE)).toMatchObject(classification);
  });

  it('a timeout during connect proves that nothing was sent', () => {
    expect(classifyTransport('ETIMEDOUT', 'connect')).toEqual(REFUSED_FOR_NOW);
    expect(classifyTransport('ETIMEDOUT', 'read')).toEqual(UNCERTAIN);
  });
});

describe('the error of a connection failure', () => {
  const coded = (code: string, message = 'as the library says it') => Object.assign(new Error(message), { code });

  it('names the host and the reason, and keeps the cause', () => {
    const cause = coded('ECONNREFUSED');
    const error = transportFailure(cause, SERVICE);
    expect(error.message).toMatchInlineSnapshot(
      `"ads.example.com gave no complete answer: no server accepts connections there (ECONNREFUSED)."`,
    );
    expect(error.nextStep).toMatchInlineSnapshot(`"Check the address in the settings."`);
    expect(error).toMatchObject({ status: 'ECONNREFUSED', cause, httpStatus: undefined });
  });

  it('uses the library’s words for unknown codes', () => {
    expect(transportFailure(coded('ESOMETHING'), SERVICE).message).toMatchInlineSnapshot(
      `"ads.example.com gave no complete answer: as the library says it (ESOMETHING)."`,
    );
    expect(transportFailure('a text', SERVICE).message).toMatchInlineSnapshot(
      `"ads.example.com gave no complete answer: a text (UNKNOWN)."`,
    );
    expect(transportFailure(undefined, SERVICE).message).toMatchInlineSnapshot(
      `"ads.example.com gave no complete answer: undefined (UNKNOWN)."`,
    );
  });

  it('cuts the library’s words', () => {
    const names = Object.assign(new Error('name '.repeat(10_000)), { code: 'ESOMETHING' });
    const { message } = transportFailure(names, SERVICE);
    expect(message.length).toBeLessThan(600);
    expect(message).toMatch(/name… \(ESOMETHING\)\.$/);
  });

  it('reads the failures of several addresses of one host', () => {
    const cause = new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]);
    expect(transportFailure(cause, SERVICE)).toMatchObject({ status: 'ECONNREFUSED', ...REFUSED_FOR_NOW });
  });
});
