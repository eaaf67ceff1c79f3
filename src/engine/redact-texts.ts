import { alertsOf } from '../config/alert-settings.ts';
import { liveAreas } from '../config/live-areas.ts';
import type { Settings } from '../config/settings.ts';
import { maskNumbers } from '../services/http/mask-numbers.ts';
import { createRedact } from '../services/http/redact.ts';

/** Removes secrets and phone numbers. Finds numbers from the settings even without a plus sign. */
export function redactTexts<Facts>(facts: Facts, settings: Settings): Facts {
  const redact = createRedact(settings.secrets);
  const { recipients, approvers } = alertsOf(settings, liveAreas(settings));
  const ofRecipients = recipients.flatMap(({ addresses }) => [...addresses.values()]);
  const numbers = [...new Set([...ofRecipients, ...approvers.map(({ number }) => number)])];
  const texts = new Set<string>();
  mapTexts(facts, (text) => {
    texts.add(text);
    return text;
  });
  // One call for all texts is faster. The separator prevents matches across two texts.
  const known = [...texts];
  const joined = known.map((text) => text.replaceAll(BETWEEN, '·')).join(BETWEEN);
  const shown = maskNumbers(redact(joined), numbers).split(BETWEEN);
  const shownFor = new Map(known.map((text, index) => [text, shown[index] ?? '']));
  return mapTexts(facts, (text) => shownFor.get(text) ?? '') as Facts;
}

const BETWEEN = '\u0000';

/** Class instances stay unchanged, because they contain no text from people. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  const inner = (one: unknown) => mapTexts(one, change);
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [inner(key), inner(one)]));
  if (value instanceof Set) return new Set([...value].map(inner));
  const kind = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)]));
}
