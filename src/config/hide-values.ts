import { distance } from 'fastest-levenshtein';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import { maskYaml } from '../yaml/mask-yaml.ts';
import type { Quoting } from '../yaml/quoting.ts';
import type { SettingsFile } from './settings-schema.ts';

/** Whether a setting's value may be shown, or what settings there are below it. */
type Place =
  | 'shown'
  | 'hidden'
  | { readonly kind: 'group'; readonly keys: ReadonlyMap<string, Place> }
  | { readonly kind: 'list'; readonly place: Place }
  /** Keys that the user chooses; one of another form may be a text that slipped here. */
  | { readonly kind: 'each'; readonly key: RegExp; readonly place: Place };

type Path = readonly (string | number)[];

/** Every setting of the group has to be named, so that a new one is not forgotten here. */
function group<Settings>(keys: { readonly [Key in keyof Settings]-?: Place }): Place {
  return { kind: 'group', keys: new Map(Object.entries<Place>(keys)) };
}

const ID = /^[\d() -]{1,32}$/;

const RETRY = group<SettingsFile['ads']['retry']>({ attempts: 'shown', first_delay_ms: 'shown', total_ms: 'shown' });

const SETTINGS = group<SettingsFile>({
  target: 'shown',
  automation: group<SettingsFile['automation']>({ mode: 'shown', changes_per_run: 'shown', approval_hours: 'shown' }),
  params: { kind: 'each', key: /^[\w-]{1,40}$/, place: 'hidden' },
  ads: group<SettingsFile['ads']>({
    url: 'hidden',
    version: 'shown',
    catalogue: 'shown',
    access_token: 'hidden',
    client_id: 'hidden',
    client_secret: 'hidden',
    refresh_token: 'hidden',
    token_url: 'hidden',
    developer_token: 'hidden',
    login_customer_id: 'shown',
    customer_ids: 'shown',
    exclude_customer_ids: 'shown',
    stream_path: 'shown',
    retry: RETRY,
    timeouts: group<SettingsFile['ads']['timeouts']>({
      connect_ms: 'shown',
      headers_ms: 'shown',
      body_idle_ms: 'shown',
    }),
  }),
  messages: group<SettingsFile['messages']>({
    url: 'hidden',
    account_id: 'hidden',
    username: 'hidden',
    password: 'hidden',
    from: 'hidden',
    to: 'hidden',
    media: 'shown',
    retry: RETRY,
  }),
  graph: group<SettingsFile['graph']>({
    url: 'hidden',
    version: 'shown',
    access_token: 'hidden',
    token_in: 'shown',
    // A phone number in place of its id is the likeliest mistake.
    business_account_id: 'hidden',
    phone_number_id: 'hidden',
    user_id: 'hidden',
    app_secret: 'hidden',
    verify_token: 'hidden',
    retry: RETRY,
  }),
  container: group<SettingsFile['container']>({
    url: 'hidden',
    username: 'hidden',
    password: 'hidden',
    token_header: 'shown',
    retry: RETRY,
  }),
  serve: group<SettingsFile['serve']>({ host: 'shown', port: 'shown', public_url: 'hidden', trust_proxy: 'shown' }),
  schedule: {
    kind: 'list',
    place: group<SettingsFile['schedule'][number]>({
      name: 'shown',
      cron: 'shown',
      time_zone: 'shown',
      job: 'shown',
      options: group<SettingsFile['schedule'][number]['options']>({
        query: 'shown',
        customer: 'shown',
        dry_run: 'shown',
        no_extract: 'shown',
        resume: 'shown',
        to: 'shown',
        dir: 'shown',
      }),
    }),
  },
  // Who has the address of a heartbeat can send one.
  heartbeat: group<SettingsFile['heartbeat']>({ url: 'hidden' }),
  log: group<SettingsFile['log']>({ format: 'shown' }),
  alerts: group<SettingsFile['alerts']>({
    recipients: {
      kind: 'each',
      key: /^[a-z][a-z0-9_-]{0,39}$/,
      place: group<SettingsFile['alerts']['recipients'][string]>({
        messages: 'hidden',
        graph: 'hidden',
        time_zone: 'shown',
        quiet_hours: 'shown',
      }),
    },
    routes: {
      kind: 'list',
      place: group<SettingsFile['alerts']['routes'][number]>({
        to: 'hidden',
        severities: 'shown',
        accounts: 'shown',
        rules: 'shown',
      }),
    },
    // Their names as those of recipients; a list of numbers has none.
    approvers: { kind: 'each', key: /^[a-z][a-z0-9_-]{0,39}$/, place: 'hidden' },
    time_zone: 'shown',
    cooldown_minutes: 'shown',
    repeat_hours: 'shown',
    undelivered_minutes: 'shown',
    digest_at: 'shown',
  }),
  sandbox: group<SettingsFile['sandbox']>({
    seed: 'shown',
    strict: 'shown',
    manager: 'shown',
    market: 'shown',
    port: 'shown',
    data_dir: 'shown',
  }),
  extract: group<SettingsFile['extract']>({
    concurrency: 'shown',
    day_closes_at: 'shown',
    settle_days: { kind: 'each', key: /^[a-z][a-z_]{0,39}$/, place: 'shown' },
    operations_per_day: 'shown',
  }),
  accounts: {
    kind: 'each',
    key: ID,
    place: group<SettingsFile['accounts'][CustomerId]>({
      currency: 'shown',
      time_zone: 'shown',
      locale: 'shown',
      daily_total: 'shown',
      daily_exposure: 'shown',
    }),
  },
  budgets: {
    kind: 'each',
    key: ID,
    place: {
      kind: 'each',
      key: ID,
      place: group<SettingsFile['budgets'][CustomerId][BudgetId]>({ amount: 'shown', campaigns: 'shown' }),
    },
  },
});

/** What stands at the path; undefined where there is no setting, and nothing is known of what stands there. */
function placeAt(path: Path): Place | undefined {
  let place: Place | undefined = SETTINGS;
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

/**
 * The setting that a key is meant for, if that is plain: a misspelt name shows no more than a setting's name and two
 * letters, a word of a name not even that. Any other key may be a secret.
 */
function nearestTo(key: string, known: ReadonlyMap<string, Place>): string | undefined {
  const names = [...known.keys()];
  const misspelt = names.find((name) => distance(key.toLowerCase(), name) <= (name.length < 6 ? 1 : 2));
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
const NOTHING = /^\s*(?:~|null)?\s*$/i;

const WORDS: ReadonlySet<string> = new Set(namesBelow(SETTINGS));

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
    return place !== undefined && place !== 'hidden';
  },
  value(path, text) {
    const place = placeAt(path);
    return place !== undefined && (NOTHING.test(text) || (place === 'shown' && HARMLESS.test(text)));
  },
  hint(path) {
    const above = placeAt(path.slice(0, -1));
    if (above === undefined || typeof above === 'string' || above.kind !== 'group') return undefined;
    const nearest = nearestTo(String(path.at(-1)), above.keys);
    if (nearest !== undefined) return `Did you mean ${nearest}?`;
    return `Settings here are ${[...above.keys.keys()].join(', ')}.`;
  },
  words: WORDS,
};

/** The text of `pacekeeper.yaml` as it may be shown beside a finding. See {@link maskYaml}. */
export function hideValues(source: string): string {
  return maskYaml(source, SETTINGS_QUOTING);
}
