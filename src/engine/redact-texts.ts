import { alertsOf } from '../config/alert-settings.ts';
import { liveAreas } from '../config/live-areas.ts';
import type { Settings } from '../config/settings.ts';
import { maskNumbers } from '../services/http/mask-numbers.ts';
import { createRedact } from '../services/http/redact.ts';

/** Removes secrets and phone numbers. Finds numbers from the settings even without a plus sign. */
export function redactTexts<Facts>(facts: Facts, settings: Settings): Facts {
  const { redact, done } = redactorOf(settings);
  const texts = new Set<string>();
  collectTexts(facts, texts, done);
  // One call for all texts is faster. The separator prevents matches across two texts.
  const known = [...texts];
  const joined = known.map((text) => text.replaceAll(BETWEEN, '·')).join(BETWEEN);
  const shown = redact(joined).split(BETWEEN);
  if (known.every((text, index) => text === shown[index])) return facts;
  const shownFor = new Map(known.map((text, index) => [text, shown[index] ?? '']));
  return mapTexts(facts, (text) => shownFor.get(text) ?? '', done) as Facts;
}

/** For rows that are shown again and again: they are not searched a second time. */
export function redactRows<Row extends object>(rows: readonly Row[], settings: Settings): readonly Row[] {
  const shown = redactTexts(rows, settings);
  for (const row of shown) redactorOf(settings).done.add(row);
  return shown;
}

interface Redactor {
  redact(text: string): string;
  /** Contain no secret, and never change. */
  readonly done: WeakSet<object>;
}

/** Settings never change. */
const redactors = new WeakMap<Settings, Redactor>();

function redactorOf(settings: Settings): Redactor {
  const known = redactors.get(settings);
  if (known !== undefined) return known;
  const redact = createRedact(settings.secrets);
  const { recipients, approvers } = alertsOf(settings, liveAreas(settings));
  const ofRecipients = recipients.flatMap(({ addresses }) => [...addresses.values()]);
  const numbers = [...new Set([...ofRecipients, ...approvers.map(({ number }) => number)])];
  const made = { redact: (text: string) => maskNumbers(redact(text), numbers), done: new WeakSet<object>() };
  redactors.set(settings, made);
  return made;
}

const BETWEEN = '\u0000';

/** Collects the texts that `mapTexts` changes. */
function collectTexts(value: unknown, texts: Set<string>, done: WeakSet<object>): void {
  if (typeof value === 'string') texts.add(value);
  if (typeof value !== 'object' || value === null || done.has(value)) return;
  if (Array.isArray(value) || value instanceof Set) {
    for (const one of value) collectTexts(one, texts, done);
  } else if (value instanceof Map) {
    for (const [key, one] of value) {
      collectTexts(key, texts, done);
      collectTexts(one, texts, done);
    }
  } else if (isPlain(value)) {
    for (const one of Object.values(value)) collectTexts(one, texts, done);
  }
}

/** Class instances stay unchanged, because they contain no text from people. So do the objects in `done`. */
export function mapTexts(value: unknown, change: (text: string) => string, done?: WeakSet<object>): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null || done?.has(value)) return value;
  const inner = (one: unknown) => mapTexts(one, change, done);
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [inner(key), inner(one)]));
  if (value instanceof Set) return new Set([...value].map(inner));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)]));
}

function isPlain(value: object): boolean {
  const kind = Object.getPrototypeOf(value);
  return kind === Object.prototype || kind === null;
}
