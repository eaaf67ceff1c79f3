import { distance } from 'fastest-levenshtein';
import { maskYaml } from '../yaml/mask-yaml.ts';
import type { Quoting } from '../yaml/quoting.ts';
import { type Place, placeAt, SETTING_TREE } from './setting-tree.ts';

/**
 * The setting that a key is meant for, if that is plain: a misspelt name shows no more than a setting's name and two
 * letters, a word of a name not even that. Any other key may be a secret.
 */
function nearestTo(key: string, known: ReadonlyMap<string, Place>): string | undefined {
  const names = [...known.keys()];
  const misspelt = names
    .map((name) => ({ name, edits: distance(key.toLowerCase(), name) }))
    .filter(({ name, edits }) => edits <= (name.length < 6 ? 1 : 2))
    .sort((one, other) => one.edits - other.edits)[0]?.name;
  return misspelt ?? names.find((name) => name.split('_').includes(key));
}

function namesBelow(place: Place): string[] {
  if (typeof place === 'string') return [];
  return place.kind !== 'group'
    ? namesBelow(place.place)
    : [...place.keys].flatMap(([key, inside]) => [key, ...namesBelow(inside)]);
}

/**
 * What a setting without secrets looks like: a word or a path, a number or an id, a time of day, a version such as `v25`. Another
 * mixture of letters and digits may be a secret in the wrong place.
 */
const HARMLESS = /^(?:[A-Za-z_/+.:-]{0,32}|[\d()., +-]{1,32}|\d{1,2}:\d{1,2}|[A-Za-z]?\d{1,2}|\d{1,2}[A-Za-z])$/;
/** A schedule holds no secret, and its stars and names are what must be seen to be mended. */
const SCHEDULED_LENGTH_MAX = 60;
const NOTHING = /^\s*(?:~|null)?\s*$/i;

const WORDS: ReadonlySet<string> = new Set(namesBelow(SETTING_TREE));

/** What messages about `pacekeeper.yaml` may repeat of it: known keys, and values of settings that hold no secret. */
export const SETTINGS_QUOTING: Quoting = {
  key(path) {
    const key = path.at(-1);
    const above = placeAt(path.slice(0, -1));
    if (typeof key !== 'string' || above === undefined || typeof above === 'string') return false;
    if (above.kind === 'list') return false;
    if (above.kind === 'each') return above.key.test(key);
    return WORDS.has(key) || nearestTo(key, above.keys) !== undefined;
  },
  shape(path) {
    const place = placeAt(path);
    return place !== undefined && (typeof place !== 'string' || place === 'shown');
  },
  value(path, text) {
    const place = placeAt(path);
    if (place !== undefined && path[0] === 'schedule') return text.length <= SCHEDULED_LENGTH_MAX;
    return place !== undefined && (NOTHING.test(text) || (place === 'shown' && HARMLESS.test(text)));
  },
  hint(path) {
    const above = placeAt(path.slice(0, -1));
    if (above === undefined || typeof above === 'string' || above.kind !== 'group') return undefined;
    const nearest = nearestTo(String(path.at(-1)), above.keys);
    if (nearest !== undefined) return `Did you mean ${nearest}?`;
    return `Settings here are ${[...above.keys.keys()].join(', ')}.`;
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
