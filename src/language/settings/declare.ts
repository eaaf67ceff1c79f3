import * as z from 'zod';

/** Errors repeat only `shown` values. `config show` masks a `number` and never prints a `secret`. */
export type Secrecy = 'shown' | 'text' | 'address' | 'number' | 'secret';

export interface Facts {
  /** Names of environment variables. The first variable with a value is used. */
  readonly env?: readonly string[];
  /** Separates several values in the environment variable. */
  readonly separator?: ',' | ';';
  readonly environmentOnly?: true;
  readonly secrecy?: Secrecy;
  /** If set, the setting can also be a map whose keys match this pattern. */
  readonly named?: RegExp;
  /** True for a setting of a live service that the sandbox also uses. */
  readonly bothTargets?: true;
  /** A path in the file is relative to the file's folder, in the environment to the working folder. */
  readonly isPath?: true;
  readonly required?: true;
  readonly default?: unknown;
  /** The default in words, as Markdown. */
  readonly without?: string;
}

type Shape = Readonly<Record<string, z.ZodType>>;

export type Place =
  | { readonly kind: 'setting'; readonly meaning: string; readonly facts: Facts }
  | { readonly kind: 'group'; readonly keys: Shape }
  | { readonly kind: 'list'; readonly of: z.ZodType }
  /** A map whose keys the user chooses. A key that does not match `shown` is possibly a secret. */
  | { readonly kind: 'each'; readonly name: string; readonly shown: RegExp; readonly of: z.ZodType };

/** `place` is `unknown`, because the compiler would need minutes for {@link Place}. */
const PLACES = z.registry<{ readonly place: unknown }>();

function put(schema: z.ZodType, place: Place): void {
  PLACES.add(schema, { place });
}

export function placeOf(schema: z.ZodType): Place {
  const place = PLACES.get(schema)?.place as Place | undefined;
  if (place === undefined)
    throw new Error('Undeclared schema: expected one made by setting(), group(), list() or each().');
  return place;
}

type Declared<Value, Given extends Facts> = Given extends { readonly default: unknown } | { readonly required: true }
  ? z.ZodType<Value>
  : z.ZodType<Value | undefined>;

/** `meaning` is Markdown. */
export function setting<Value, const Given extends Facts = Record<never, never>>(
  schema: z.ZodType<Value>,
  meaning: string,
  facts?: Given & { readonly default?: NoInfer<Value> },
): Declared<Value, Given> {
  const given: Facts = facts ?? {};
  const own = orWithout(plain(schema), given);
  if (PLACES.has(own)) throw new Error(`Two settings share one schema ("${meaning}"), expected one schema each.`);
  put(own, { kind: 'setting', meaning, facts: given });
  return own as unknown as Declared<Value, Given>;
}

function orWithout(schema: z.ZodType, { default: value, required }: Facts): z.ZodType {
  if (value !== undefined) return schema.default(value);
  return required ? schema : schema.optional();
}

const plain = (schema: unknown) => schema as z.ZodType;

type CamelCase<Key extends string> = Key extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Key;

type InCode<Keys extends Shape, Kept> = {
  readonly [Key in keyof Keys & string as Key extends Kept ? Key : CamelCase<Key>]: z.output<Keys[Key]>;
};

const camelCase = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Keys in code have no underscores, except those in `kept`, which are names. */
export function group<const Keys extends Shape, Kept extends string = never>(
  keys: Keys,
  as?: undefined,
  kept?: readonly Kept[],
): z.ZodType<InCode<Keys, Kept>>;
export function group<const Keys extends Shape, Output, Kept extends string = never>(
  keys: Keys,
  as: (found: InCode<Keys, Kept>) => Output,
  kept?: readonly Kept[],
): z.ZodType<Output>;
export function group(
  keys: Shape,
  as = (found: Readonly<Record<string, unknown>>): unknown => found,
  kept: readonly string[] = [],
): z.ZodType {
  const names = Object.keys(keys).map((key) => [key, kept.includes(key) ? key : camelCase(key)] as const);
  const inCode = (found: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.map(([key, name]) => [name, found[key]]));
  const found = z.strictObject(keys).transform((value): unknown => as(inCode(value)));
  const schema: z.ZodType = found.prefault({});
  put(schema, { kind: 'group', keys });
  return schema;
}

export function list<Group>(of: z.ZodType<Group>): z.ZodType<readonly Group[]> {
  const schema = plain(z.array(plain(of)).default([]));
  put(schema, { kind: 'list', of: plain(of) });
  return schema as z.ZodType<readonly Group[]>;
}

export function each<Key extends string, Value>(
  name: string,
  { key, shown }: { readonly key: z.ZodType<Key>; readonly shown: RegExp },
  of: z.ZodType<Value>,
): z.ZodType<ReadonlyMap<Key, Value>> {
  const keys = plain(key) as z.ZodType<string, string>;
  const found = z.record(keys, plain(of)).transform((value): unknown => new Map(Object.entries(value)));
  const schema = plain(found.prefault({}));
  put(schema, { kind: 'each', name, shown, of: plain(of) });
  return schema as z.ZodType<ReadonlyMap<Key, Value>>;
}

export interface Section<Keys extends Shape = Shape> {
  readonly title: string;
  readonly before: readonly string[];
  readonly keys: Keys;
  readonly isOfAreas: boolean;
  readonly live: boolean;
}

export function section<const Keys extends Shape>(
  title: string,
  about: { readonly before?: readonly string[]; readonly live?: boolean; readonly isOfAreas?: boolean },
  keys: Keys,
): Section<Keys> {
  return { title, before: about.before ?? [], keys, isOfAreas: about.isOfAreas ?? true, live: about.live ?? false };
}
