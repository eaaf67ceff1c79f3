import type { FastifyRequest } from 'fastify';

/**
 * Whether a form was sent by a page of ours, as the browser says. Browsers tell it by `Sec-Fetch-Site` where the connection is
 * safe, and by `Origin` with every form; who tells neither is no browser, and has no form of ours.
 */
export function isFromOurPage(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return false;
  const from = hostOf(origin);
  return from !== undefined && [request.host, publicUrl === undefined ? undefined : hostOf(publicUrl)].includes(from);
}

/** Host and port; undefined for what is no address, such as `null`. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
