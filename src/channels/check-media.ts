import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { ApiError } from '../domain/errors.ts';
import { classifyStatus } from '../services/http/classify-failure.ts';
import { type HttpAnswer, isSuccess, readBytes } from '../services/http/http-client.ts';
import { bareHost, isLoopbackAddress, isPrivateAddress } from '../services/http/private-address.ts';
import type { ConnectionTools, MediaVerdict } from './channel.ts';

/** `url` is the address of the interface. */
type MediaConnection = Pick<ConnectionTools, 'http' | 'redact'> & { readonly url: string };

export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveName: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/** Implements requirement C4. Throws `ApiError` for a forbidden or unreachable address. */
export async function checkMedia(
  connection: MediaConnection,
  mediaUrl: string,
  resolve: Resolve = resolveName,
): Promise<MediaVerdict> {
  const url = URL.canParse(mediaUrl) ? new URL(mediaUrl) : undefined;
  if (!url) throw refused('Invalid media address.', 'Write one such as https://www.example.com/chart.png.');
  const name = nameOf(connection, url);
  const addresses = await publicAddresses(connection, url, name, resolve);
  const { status, headers } = await ask(name, () => headersOf(connection, url, addresses));
  refuseStatus(status, name);
  const because = judgeMedia(name, headers['content-type'] ?? '', headers['content-length']);
  return because === undefined ? { kind: 'attached' } : { kind: 'dropped', because };
}

/** The limit of `pacekeeper serve`. */
const PNG_BYTES_MAX = 200_000;

/** For a mail: mail programs load no remote pictures, and the address expires. Only pacekeeper has to reach the address. */
export async function fetchPicture(connection: MediaConnection, pictureUrl: string): Promise<MediaVerdict> {
  const name = nameOf(connection, new URL(pictureUrl));
  const { status, headers, png } = await ask(name, async () => {
    const answer = await connection.http.send({ method: 'GET', url: pictureUrl, headers: { accept: 'image/png' } });
    return { ...answer, png: await readBytes(answer, PNG_BYTES_MAX + 1) };
  });
  refuseStatus(status, name);
  const type = typeOf(headers['content-type'] ?? '');
  if (type !== 'image/png') return { kind: 'dropped', because: `${name} is ${shown(type)}, expected image/png.` };
  if (png.length <= PNG_BYTES_MAX) return { kind: 'attached', png };
  return { kind: 'dropped', because: `${name} has more than ${PNG_BYTES_MAX} bytes.` };
}

/** Without the query, which has the signature. */
function nameOf({ redact }: MediaConnection, { origin, pathname }: URL): string {
  return redact(`${origin}${pathname}`);
}

function refuseStatus(status: number, name: string): void {
  if (status >= 300 && status < 400) {
    throw refused(
      `The media address ${name} redirects: HTTP ${status}.`,
      'Write the final address, after the redirect.',
    );
  }
  if (isSuccess({ status })) return;
  const { transient } = classifyStatus(status);
  const next = transient ? undefined : 'Make the address public. The provider must be able to reach it.';
  throw unreachable(`The media at ${name} could not be read: HTTP ${status}.`, transient, next);
}

/** Throws for a private address. Only a rehearsal on this machine may use loopback addresses. */
async function publicAddresses(
  connection: MediaConnection,
  url: URL,
  name: string,
  resolve: Resolve,
): Promise<readonly string[]> {
  const rehearsed = isRehearsal(connection) && isOnLoopback(bareHost(url));
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rehearsed)) {
    throw refused(`The media address ${name} does not begin with https://.`, 'Write an https address.');
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(
      `The media address at ${url.host} contains a user or a password.`,
      'Write the address without user and password.',
    );
  }
  const host = bareHost(url);
  const addresses = isIP(host) ? [host] : await resolve(host).catch((cause: unknown) => notResolved(name, cause));
  const allowed = (address: string) => !isPrivateAddress(address) || (rehearsed && isLoopbackAddress(address));
  if (addresses.length > 0 && addresses.every(allowed)) return addresses;
  throw refused(
    `The media address ${name} is on this machine or a private network. No provider can reach it.`,
    'Write a public address.',
  );
}

function isRehearsal({ url }: MediaConnection): boolean {
  return isOnLoopback(bareHost(new URL(url)));
}

function isOnLoopback(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}

async function headersOf(
  { http }: MediaConnection,
  url: URL,
  addresses: readonly string[],
): Promise<Pick<HttpAnswer, 'status' | 'headers'>> {
  const asked = async (method: 'HEAD' | 'GET') => {
    const answer = await http.send({ method, url: url.href, headers: { accept: '*/*' }, addresses });
    answer.discard();
    return answer;
  };
  const answer = await asked('HEAD');
  // Some services do not support HEAD.
  return answer.status === 405 || answer.status === 501 ? asked('GET') : answer;
}

async function ask<Answer>(name: string, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw unreachable(`The media at ${name} could not be checked: ${error.message}`, error.transient, undefined, error);
  }
}

function notResolved(name: string, cause: unknown): never {
  throw unreachable(`The media address ${name} has an unknown host.`, true, 'Check its spelling.', cause);
}

function refused(message: string, nextStep: string): ApiError {
  return new ApiError(message, { status: 'MEDIA_REFUSED', outcome: 'not_processed', transient: false, nextStep });
}

/** The outcome is `not_processed`, because the message itself was never sent. */
function unreachable(message: string, transient: boolean, nextStep?: string, cause?: unknown): ApiError {
  return new ApiError(message, { status: 'MEDIA_UNREACHABLE', outcome: 'not_processed', transient, nextStep, cause });
}

const ATTACHED = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'audio/ogg',
  'audio/amr',
  'audio/3gpp',
  'audio/aac',
  'audio/mpeg',
  'video/mp4',
  'application/pdf',
  'application/msword',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/vcard',
  'text/x-vcard',
]);

/** The provider's limits are in MB. Here, 1 MB is 1,000,000 bytes, the smaller meaning. */
const BYTES_MAX = 16_000_000;
const IMAGE_BYTES_MAX = 5_000_000;

function judgeMedia(name: string, contentType: string, contentLength: string | undefined): string | undefined {
  const type = typeOf(contentType);
  if (type === '') return `${name} has no content type. The channel drops such files and reports no error.`;
  if (!ATTACHED.has(type))
    return `${name} is ${shown(type)}. The channel drops this type, sends only the text and reports no error.`;
  const bytesMax = type.startsWith('image/') ? IMAGE_BYTES_MAX : BYTES_MAX;
  const bytes = /^\d+$/.test(contentLength ?? '') ? Number(contentLength) : 0;
  if (bytes <= bytesMax) return undefined;
  return `${name} has ${bytes} bytes. The channel drops ${type} files of more than ${bytesMax} bytes.`;
}

function typeOf(contentType: string): string {
  return contentType.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The header comes from outside, so only a well-formed type is shown. */
function shown(type: string): string {
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : 'of an invalid content type';
}
