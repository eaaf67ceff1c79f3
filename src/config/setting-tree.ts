import { SETTINGS } from './registry/sections.ts';
import type { Setting, ValueKind } from './registry/setting.ts';

/** What may be shown of a value, or what settings there are below a key. */
export type Place =
  | ValueKind
  | { readonly kind: 'group'; readonly keys: ReadonlyMap<string, Place> }
  | { readonly kind: 'list'; readonly place: Place }
  /** Keys that the user chooses; one of another form may be a text that slipped here. */
  | { readonly kind: 'each'; readonly key: RegExp; readonly place: Place };

const PERSON = /^[a-z][a-z0-9_-]{0,39}$/;
const ID = /^[\d() -]{1,32}$/;

/** What keys look like that the user chooses, by what stands for them in the paths of the registry. */
const CHOSEN_KEYS: Readonly<Record<string, RegExp>> = {
  'params.<name>': /^[\w-]{1,40}$/,
  'extract.settle_days.<query>': /^[a-z][a-z_]{0,39}$/,
  'alerts.recipients.<name>': PERSON,
  'accounts.<customer_id>': ID,
  'budgets.<customer_id>': ID,
  'budgets.<customer_id>.<budget_id>': ID,
};

/** A key on the way to a setting: `ads`, `<name>`, or `routes[]`. */
type Step = readonly [key: string, isList: boolean];

function stepsOf(path: string): Step[] {
  return path.split('.').map((key) => (key.endsWith('[]') ? [key.slice(0, -2), true] : [key, false]));
}

type Entry = readonly [steps: readonly Step[], setting: Setting];

/** The settings as they lie in each other, in the order of the registry. */
export const SETTING_TREE = placeOf(
  SETTINGS.flatMap((setting): Entry[] => (setting.path === undefined ? [] : [[stepsOf(setting.path), setting]])),
  '',
);

function placeOf(entries: readonly Entry[], above: string): Place {
  const [first] = entries;
  if (entries.length === 1 && first?.[0].length === 0) {
    const { value, named } = first[1];
    return named ? { kind: 'each', key: PERSON, place: value } : value;
  }
  const keys = new Map<string, Place>();
  for (const [[step]] of entries) {
    const [key, isList] = step ?? ['', false];
    if (keys.has(key)) continue;
    const below = entries.filter(([[one]]) => one?.[0] === key).map(([[, ...rest], setting]): Entry => [rest, setting]);
    const path = `${above}${key}`;
    const place = placeOf(below, `${path}.`);
    const chosen = CHOSEN_KEYS[path];
    if (chosen) return { kind: 'each', key: chosen, place };
    keys.set(key, isList ? { kind: 'list', place } : place);
  }
  return { kind: 'group', keys };
}

/** What stands at the path; undefined where there is no setting, and nothing is known of what stands there. */
export function placeAt(path: readonly (string | number)[]): Place | undefined {
  let place: Place | undefined = SETTING_TREE;
  for (const [depth, part] of path.entries()) {
    if (typeof place === 'string' && typeof part === 'number' && depth === path.length - 1) return place;
    if (place === undefined || typeof place === 'string') return undefined;
    if (place.kind === 'list') {
      if (typeof part !== 'number') return undefined;
      place = place.place;
      continue;
    }
    if (typeof part === 'number') return undefined;
    if (place.kind === 'group') place = place.keys.get(part);
    else place = place.key.test(part) ? place.place : undefined;
  }
  return place;
}
