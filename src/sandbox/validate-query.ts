import { adsError } from './ads-errors.ts';
import { readQuery, refuseQuery } from './read-query.ts';
import { jsonReply, type Reply } from './reply.ts';
import type { AdsCall, AdsService } from './service.ts';

/** The paged search, which the sandbox has for `validateOnly` alone: an empty answer says that the query is right. */
export function validateQuery(service: AdsService, call: AdsCall): Reply {
  if (call.body.validateOnly !== true) {
    return adsError('INVALID_ARGUMENT', 'The sandbox pages no answers: use googleAds:searchStream, or validateOnly.');
  }
  const reading = readQuery(service, call);
  if (reading.kind === 'refused') return refuseQuery(call, reading.failures);
  return jsonReply(200, {}, { 'request-id': call.requestId });
}
