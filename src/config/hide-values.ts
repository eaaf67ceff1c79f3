import { distance } from 'fastest-levenshtein';
import { maskYaml } from '../yaml/mask-yaml.ts';
import type { Quoting } from '../yaml/parsing.ts';
import { type Place, placeOf } from './declared/declare.ts';
import { placeAt } from './setting-tree.ts';
import { settingsSchema } from './settings.ts';

/**
 * The setting that a key is meant for, if that is plain: a misspelt name shows no more than a setting's name and two
 * letters, a word of a name not even that. Any other key may be a secret.
 */
function nearestTo(key: string, names: readonly string[]): string | undefined {
  const misspelt = names
    .map((name) => ({ name, edits: distance(key.toLowerCase(), name) }))
    .filter(({ name, edits }) => edits <= (name.length < 6 ? 1 : 2))
    .sort((one, other) => one.edits - other.edits)[0]?.name;
  return misspelt ?? names.find((name) => name.split('_').includes(key));
}

function namesBelow(place: Place): string[] {
  if (place.kind === 'setting') return [];
  if (place.kind !== 'group') return namesBelow(placeOf(place.of));
  return Object.entries(place.keys).flatMap(([key, inside]) => [key, ...namesBelow(placeOf(inside))]);
}

/**
 * What a setting without secrets looks like: a word or a path, a number or an id, a time of day, a version such as `v25`. Another
 * mixture of letters and digits may be a secret in the wrong place.
 */
const HARMLESS =
  /^(?:[A-Za-z_/+.:-]{0,32}|[\d()., +-]{1,32}|\d{1,2}:\d{1,2}|[A-Za-z]?\d{1,2}(?:\.\d{1,2})?|\d{1,2}[A-Za-z]|[\d:TZ.+-]{1,32})$/;

/** Whether a value of a setting that holds no secret may be repeated. */
export const isHarmless = (text: string) => HARMLESS.test(text);
/** A schedule holds no secret, and its stars and names are what must be seen to be mended. */
const SCHEDULED_LENGTH_MAX = 60;
const NOTHING = /^\s*(?:~|null)?\s*$/i;

const WORDS: ReadonlySet<string> = new Set(namesBelow(placeOf(settingsSchema)));

const isShown = (place: Place) => place.kind === 'setting' && (place.facts.secrecy ?? 'shown') === 'shown';

const isNamed = ({ facts: { named } }: Place & { kind: 'setting' }, key: string) => named?.test(key) ?? false;

/** What messages about `pacekeeper.yaml` may repeat of it: known keys, and values of settings that hold no secret. */
export const SETTINGS_QUOTING: Quoting = {
  key(path) {
    const key = path.at(-1);
    const above = placeAt(path.slice(0, -1));
    if (typeof key !== 'string' || above === undefined) return false;
    if (above.kind === 'group') return WORDS.has(key) || nearestTo(key, Object.keys(above.keys)) !== undefined;
    return above.kind === 'each' ? above.shown.test(key) : above.kind === 'setting' && isNamed(above, key);
  },
  shape(path) {
    const place = placeAt(path);
    return place !== undefined && (place.kind !== 'setting' || place.facts.named !== undefined || isShown(place));
  },
  value(path, text) {
    const place = placeAt(path);
    if (place !== undefined && path[0] === 'schedule') return text.length <= SCHEDULED_LENGTH_MAX;
    return place !== undefined && (NOTHING.test(text) || (isShown(place) && isHarmless(text)));
  },
  hint(path) {
    const above = placeAt(path.slice(0, -1));
    if (above?.kind !== 'group') return undefined;
    const names = Object.keys(above.keys);
    const nearest = nearestTo(String(path.at(-1)), names);
    return nearest === undefined ? `Settings here are ${names.join(', ')}.` : `Did you mean ${nearest}?`;
  },
  valueHint(path, text) {
    if (path.at(-1) !== 'time_zone') return undefined;
    const [nearest] = Intl.supportedValuesOf('timeZone')
      .map((zone) => ({ zone, edits: distance(text.toLowerCase(), zone.toLowerCase()) }))
      .filter(({ edits }) => edits <= 2)
      .sort((one, other) => one.edits - other.edits);
    return nearest && `Did you mean ${nearest.zone}?`;
  },
  words: WORDS,
};

/** The text of `pacekeeper.yaml` as it may be shown beside a finding. See {@link maskYaml}. */
export function hideValues(source: string): string {
  return maskYaml(source, SETTINGS_QUOTING);
}
