import { smallestUnit } from '../../domain/micros.ts';
import { hashOf, uniform } from '../market/random.ts';
import { isJsonObject } from '../read-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { AdsCall, AdsService } from '../service.ts';
import { adsError } from './ads-errors.ts';

const FORMS = ['{}', '{} online', 'buy {}', 'best {}', '{} price', 'cheap {}'];
const COMPETITION = ['LOW', 'MEDIUM', 'HIGH'] as const;

/** Requirement B6. The same keywords and seed always give the same ideas. */
export function keywordIdeas(service: AdsService, call: AdsCall): Reply {
  const seed = call.body.keywordSeed;
  const keywords = isJsonObject(seed) ? seed.keywords : undefined;
  const texts = Array.isArray(keywords)
    ? keywords.filter((text) => typeof text === 'string' && text.trim() !== '')
    : [];
  if (!Array.isArray(keywords) || texts.length === 0 || texts.length < keywords.length) {
    return adsError('INVALID_ARGUMENT', 'Expected keywordSeed.keywords, an array of at least one non-empty text.');
  }
  // The specification does not show the fields of the answer.
  if (service.strict) return jsonReply(200, {});
  const ideas = new Set(
    texts.flatMap((text) => FORMS.map((form) => form.replace('{}', () => text.trim().toLowerCase()))),
  );
  const unitMicros = Number(smallestUnit(call.account.currency) ?? 10_000n);
  const results = [...ideas].map((text) => ({ text, keywordIdeaMetrics: metricsOf(text, service.seed, unitMicros) }));
  return jsonReply(200, { results }, { 'request-id': call.requestId });
}

function metricsOf(text: string, seed: number, unitMicros: number): object {
  const draw = (number: number) => uniform(hashOf(text), seed, number);
  const lowUnits = 10 + Math.floor(draw(2) * 90);
  const highUnits = lowUnits + 10 + Math.floor(draw(3) * 200);
  return {
    avgMonthlySearches: String(10 * Math.floor(1 + draw(0) ** 3 * 9_999)),
    competition: COMPETITION[Math.floor(draw(1) * COMPETITION.length)] ?? 'LOW',
    lowTopOfPageBidMicros: String(lowUnits * unitMicros),
    highTopOfPageBidMicros: String(highUnits * unitMicros),
  };
}
