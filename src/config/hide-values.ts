import { type Place, placeOf } from '../language/settings/declare.ts';
import type { Quoting } from '../language/yaml/parsing.ts';
import { misspelt } from '../language/yaml/read-yaml.ts';
import { placeAt } from './setting-tree.ts';
import { settingsSchema } from './settings.ts';

/** Suggests a name only for a similar key, because any other key is possibly a secret. */
function nearestTo(key: string, names: readonly string[]): string | undefined {
  const nearest = misspelt(key, names, ({ length }) => (length < 6 ? 1 : 2));
  return nearest ?? names.find((name) => name.split('_').includes(key));
}

function namesBelow(place: Place): string[] {
  if (place.kind === 'setting') return [];
  if (place.kind !== 'group') return namesBelow(placeOf(place.of));
  return Object.entries(place.keys).flatMap(([key, inside]) => [key, ...namesBelow(placeOf(inside))]);
}

/** Matches words, paths, numbers, times and versions. Any other text could be a secret. */
const HARMLESS =
  /^(?:[A-Za-z_/+.:-]{0,32}|[\d()., +-]{1,32}|\d{1,2}:\d{1,2}|[A-Za-z]?\d{1,2}(?:\.\d{1,2})?|\d{1,2}[A-Za-z]|[\d:TZ.+-]{1,32})$/;

export const isHarmless = (text: string) => HARMLESS.test(text);
/** Schedules are not secret, so errors show values of schedules up to this length. */
const SCHEDULED_LENGTH_MAX = 60;
const NOTHING = /^\s*(?:~|null)?\s*$/i;

const WORDS: ReadonlySet<string> = new Set(namesBelow(placeOf(settingsSchema)));

const isShown = (place: Place) => place.kind === 'setting' && (place.facts.secrecy ?? 'shown') === 'shown';

/** Messages repeat only known or similar keys, and harmless values of settings without secrets. */
export const SETTINGS_QUOTING: Quoting = {
  key(path) {
    const key = path.at(-1);
    const above = placeAt(path.slice(0, -1));
    if (typeof key !== 'string' || above === undefined) return false;
    if (above.kind === 'group')
      return WORDS.has(key) || key === 'operations_per_day' || nearestTo(key, Object.keys(above.keys)) !== undefined;
    if (above.kind === 'each') return above.shown.test(key);
    return above.kind === 'setting' && above.facts.named?.test(key) === true;
  },
  value(path, text) {
    const place = placeAt(path);
    if (place !== undefined && path[0] === 'schedule') return text.length <= SCHEDULED_LENGTH_MAX;
    return place !== undefined && (NOTHING.test(text) || (isShown(place) && isHarmless(text)));
  },
  hint(path) {
    if (path.join('.') === 'extract.operations_per_day') return 'Write the number as ads.access: 15000 instead.';
    const above = placeAt(path.slice(0, -1));
    if (above?.kind !== 'group') return undefined;
    const names = Object.keys(above.keys);
    const nearest = nearestTo(String(path.at(-1)), names);
    return nearest === undefined ? `Settings here are ${names.join(', ')}.` : `Did you mean ${nearest}?`;
  },
  valueHint(path, text) {
    if (path.at(-1) !== 'time_zone') return undefined;
    const nearest = misspelt(text, Intl.supportedValuesOf('timeZone'), () => 2);
    return nearest && `Did you mean ${nearest}?`;
  },
};

const KEY = /(^|[{,])[ \t]*(?:- +)?["']?([\w-]+)["']?[ \t]*:(?=[ \t\r\n]|$)/gm;

/** Shows only the names of settings, because any other text could be a secret. Lines and columns stay the same. */
export function hideValues(source: string): string {
  let shown = '';
  let end = 0;
  for (const { 0: whole, 2: key = '', index } of source.matchAll(KEY)) {
    if (!WORDS.has(key)) continue;
    shown += masked(source.slice(end, index)) + whole;
    end = index + whole.length;
  }
  return shown + masked(source.slice(end));
}

const masked = (text: string) => text.replace(/[^ \t\r\n]/g, '•');
