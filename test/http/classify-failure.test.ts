import { describe, expect, it } from 'vitest';
import { classifyStatus, classifyTransport, transportFailure } from '../../src/http/classify-failure.ts';

const SERVICE = { host: 'ads.example.com', proxy: undefined };

const PERMANENT = { outcome: 'not_processed', transient: false };
const REFUSED_FOR_NOW = { outcome: 'not_processed', transient: true };
const UNCERTAIN = { outcome: 'unknown', transient: true };
const GIVE_UP = { outcome: 'unknown', transient: false };

describe('what a status says about the request', () => {
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
    ['an operation that is not there proves nothing', 501, GIVE_UP],
    ['a gateway may have passed the request on', 502, UNCERTAIN],
    ['an unavailable service may have begun', 503, UNCERTAIN],
    ['a gateway that waited in vain has passed it on', 504, UNCERTAIN],
    ['an unrecognised server error means give up', 520, GIVE_UP],
    ['a success that is read as a failure proves nothing', 200, GIVE_UP],
    ['a number that is no status proves nothing', 0, GIVE_UP],
    ['nor does a remote-procedure code', 14, GIVE_UP],
  ])('%s: %i', (_, status, classification) => {
    expect(classifyStatus(status)).toEqual(classification);
  });
});

describe('what the end of a connection says about the request', () => {
  it.each([
    ['nothing listens there', 'ECONNREFUSED', REFUSED_FOR_NOW],
    ['the name does not resolve', 'ENOTFOUND', REFUSED_FOR_NOW],
    ['the name does not resolve at the moment', 'EAI_AGAIN', REFUSED_FOR_NOW],
    ['there is no way to the host', 'EHOSTUNREACH', REFUSED_FOR_NOW],
    ['there is no way to the network', 'ENETUNREACH', REFUSED_FOR_NOW],
    ['the connection did not stand in time', 'UND_ERR_CONNECT_TIMEOUT', REFUSED_FOR_NOW],
    ['the address is none', 'ERR_INVALID_URL', PERMANENT],
    ['the request is none', 'UND_ERR_INVALID_ARG', PERMANENT],
    ['the certificate is for another name', 'ERR_TLS_CERT_ALTNAME_INVALID', PERMANENT],
    ['the certificate has expired', 'CERT_HAS_EXPIRED', PERMANENT],
    ['the certificate is self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT', PERMANENT],
    ['the issuer is unknown', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', PERMANENT],
    ['the connection was reset', 'ECONNRESET', UNCERTAIN],
    ['the other side was gone while we wrote', 'EPIPE', UNCERTAIN],
    ['the network lost it', 'ETIMEDOUT', UNCERTAIN],
    ['the connection was closed', 'UND_ERR_SOCKET', UNCERTAIN],
    ['no headers in time', 'UND_ERR_HEADERS_TIMEOUT', UNCERTAIN],
    ['the body stalled', 'UND_ERR_BODY_TIMEOUT', UNCERTAIN],
    ['the body is shorter than announced', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', UNCERTAIN],
    ['the compressed body is cut off', 'Z_BUF_ERROR', UNCERTAIN],
    ['the compressed body is damaged', 'Z_DATA_ERROR', UNCERTAIN],
    ['an unrecognised code means give up, and nothing is proven', 'ESOMETHING', GIVE_UP],
    ['so does none', 'UNKNOWN', GIVE_UP],
  ])('%s: %s', (_, code, classification) => {
    expect(classifyTransport(code)).toEqual(classification);
  });

  it.each([
    ['while it was made proves that nothing was sent', 'connect', REFUSED_FOR_NOW],
    ['while its name was looked up, too', 'getaddrinfo', REFUSED_FOR_NOW],
    ['while the answer was read does not', 'read', UNCERTAIN],
    ['while the request was written does not', 'write', UNCERTAIN],
  ])('a host that became unreachable on a connection %s', (_, syscall, classification) => {
    const cause = Object.assign(new Error('unreachable'), { code: 'EHOSTUNREACH', syscall });
    expect(transportFailure(cause, SERVICE)).toMatchObject(classification);
  });

  it('a network that lost the connection while it was made proves that nothing was sent', () => {
    expect(classifyTransport('ETIMEDOUT', 'connect')).toEqual(REFUSED_FOR_NOW);
    expect(classifyTransport('ETIMEDOUT', 'read')).toEqual(UNCERTAIN);
  });
});

describe('a failure of the connection as an error', () => {
  const coded = (code: string, message = 'as the library says it') => Object.assign(new Error(message), { code });

  it('says who failed and how, and keeps the cause', () => {
    const cause = coded('ECONNREFUSED');
    const error = transportFailure(cause, SERVICE);
    expect(error.message).toMatchInlineSnapshot(
      `"ads.example.com gave no complete answer: nothing listens there (ECONNREFUSED)."`,
    );
    expect(error.nextStep).toMatchInlineSnapshot(`"Check the address in the settings."`);
    expect(error).toMatchObject({ status: 'ECONNREFUSED', cause, httpStatus: undefined });
  });

  it('takes the library’s words for a code it has none for', () => {
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

  it('repeats a page of the library’s words in part', () => {
    const names = Object.assign(new Error('name '.repeat(10_000)), { code: 'ESOMETHING' });
    const { message } = transportFailure(names, SERVICE);
    expect(message.length).toBeLessThan(600);
    expect(message).toMatch(/name… \(ESOMETHING\)\.$/);
  });

  it('looks into the failures of several addresses of one host', () => {
    const cause = new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]);
    expect(transportFailure(cause, SERVICE)).toMatchObject({ status: 'ECONNREFUSED', ...REFUSED_FOR_NOW });
  });
});
