import type { FastifyReply } from 'fastify';

const HEADERS: Readonly<Record<string, string>> = {
  // Nothing is loaded, nothing runs, nothing is framed; styles and charts stand in the page itself.
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  // The address of a page is told to nobody else; a form says where it stands, by which it is believed.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
  // Which page it is depends on who asks.
  vary: 'Cookie, Authorization',
};

/** Sends a page with what keeps others from framing, keeping, reading or extending it. */
export function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply.code(status).headers(HEADERS).type('text/html; charset=utf-8').send(html);
}

/** Sends the browser on to a page of ours, by GET. */
export function sendOn(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).headers(HEADERS).header('location', location).send();
}
