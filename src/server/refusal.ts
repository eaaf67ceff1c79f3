import type { FastifyReply } from 'fastify';
import type { Log } from '../domain/ports.ts';
import { loggedPath } from '../html/pages.ts';

/** Why a request is not taken. The reason is logged and answered: it holds nothing of what was sent. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly statusCode: number;

  constructor(statusCode: number, reason: string) {
    super(reason);
    this.statusCode = statusCode;
  }
}

/** Answers with the reason, and leaves a line in the log without anything of the query, the headers or the body. */
export function refuse(reply: FastifyReply, log: Log, { statusCode, message }: Refusal): FastifyReply {
  const { method, url } = reply.request;
  const [path = ''] = url.split('?');
  // The rest of the body is not waited for.
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  log.warn(`Refused ${method} ${loggedPath(path)} with ${statusCode}: ${message}.`);
  return reply.code(statusCode).send({ error: message });
}
