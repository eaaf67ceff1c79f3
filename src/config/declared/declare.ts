import * as z from 'zod';

/**
 * What may be shown of a value. `shown`: it may be repeated anywhere. The next three are not repeated of a text that has a
 * mistake, where a secret may stand in the wrong place, and are shown by `config show`: `text` as it is, an `address` when it
 * has no user and no query in it, a `number` masked, for it is a telephone number or may be one by mistake. `secret`: never.
 */
export type Secrecy = 'shown' | 'text' | 'address' | 'number' | 'secret';

/** The facts of a setting beside its schema. */
export interface Facts {
  /** Its names in the environment; of several that are set the first one counts. */
  readonly env?: readonly string[];
  /** Divides several values of the environment; the file has a list of them. */
  readonly separator?: ',' | ';';
  /** It has no place in the file. */
  readonly environmentOnly?: true;
  /** `shown` where nothing is said. */
  readonly secrecy?: Secrecy;
  /** In place of one value there may be a map of names like these to values. */
  readonly named?: RegExp;
  /** It belongs to a live service, and holds for the sandbox, too. */
  readonly bothTargets?: true;
  /** A path counts from the folder of the file it stands in; that of the environment from the working folder. */
  readonly isPath?: true;
  /** The group around it cannot be without it. */
  readonly required?: true;
  /** The value without it. */
  readonly default?: unknown;
  /** The same in words, as Markdown, where it is no value: "none" unless said otherwise. */
  readonly without?: string;
}

type Shape = Readonly<Record<string, z.ZodType>>;

/** A key of the settings: a setting, or the settings below it. */
export type Place =
  | { readonly kind: 'setting'; readonly meaning: string; readonly facts: Facts }
  | { readonly kind: 'group'; readonly keys: Shape }
  | { readonly kind: 'list'; readonly of: z.ZodType }
  /** Keys that the user chooses, called `name` on the page; one that is not `shown` may be a text that slipped here. */
  | { readonly kind: 'each'; readonly name: string; readonly shown: RegExp; readonly of: z.ZodType };

/**
 * What each schema of the settings stands for; whatever asks about settings in general walks through it. The compiler would look
 * into all of a registry's type for minutes, so that it is not told that there is a {@link Place}.
 */
const PLACES = z.registry<{ readonly place: unknown }>();

function put(schema: z.ZodType, place: Place): void {
  PLACES.add(schema, { place });
}

export function placeOf(schema: z.ZodType): Place {
  const place = PLACES.get(schema)?.place as Place | undefined;
  if (place === undefined) throw new Error('Found a schema that is no declared setting, expected one in each place.');
  return place;
}

/** The type of a setting: undefined only where it may be left out and has no default. */
type Declared<Value, Given extends Facts> = Given extends { readonly default: unknown } | { readonly required: true }
  ? z.ZodType<Value>
  : z.ZodType<Value | undefined>;

/** One setting: what it is read by, what it means (Markdown; empty where the setting before says it), and its facts. */
export function setting<Value, const Given extends Facts = Record<never, never>>(
  schema: z.ZodType<Value>,
  meaning: string,
  facts?: Given & { readonly default?: NoInfer<Value> },
): Declared<Value, Given> {
  const given: Facts = facts ?? {};
  const own = orWithout(plain(schema), given);
  if (PLACES.has(own)) throw new Error(`Found two settings of one schema ("${meaning}"), expected one for each.`);
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

/** A group as the program knows it: every key, in camel case; undefined for what is not set. */
type InCode<Keys extends Shape> = { readonly [Key in keyof Keys & string as CamelCase<Key>]: z.output<Keys[Key]> };

const camelCase = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Settings below a key, every one of which may be left out unless it is required; an unknown key is refused. */
export function group<const Keys extends Shape>(keys: Keys): z.ZodType<InCode<Keys>>;
export function group<const Keys extends Shape, Output>(
  keys: Keys,
  as: (found: InCode<Keys>) => Output,
): z.ZodType<Output>;
export function group(keys: Shape, as = (found: Readonly<Record<string, unknown>>): unknown => found): z.ZodType {
  const names = Object.keys(keys).map((key) => [key, camelCase(key)] as const);
  const inCode = (found: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.map(([key, name]) => [name, found[key]]));
  const found = z.strictObject(keys).transform((value): unknown => as(inCode(value)));
  const schema: z.ZodType = found.prefault({});
  put(schema, { kind: 'group', keys });
  return schema;
}

/** A list of groups. */
export function list<Group>(of: z.ZodType<Group>): z.ZodType<readonly Group[]> {
  const schema = plain(z.array(plain(of)).default([]));
  put(schema, { kind: 'list', of: plain(of) });
  return schema as z.ZodType<readonly Group[]>;
}

/** One group or setting for each key that the user chooses. */
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

/** Settings that belong together: a section of the configuration page. */
export interface Section<Keys extends Shape = Shape> {
  readonly title: string;
  /** Lines of Markdown before the table. */
  readonly before: readonly string[];
  /** Keys at the top of the file, each a part of the settings. */
  readonly keys: Keys;
  /** Whether its keys are areas that the section is about as a whole. */
  readonly isOfAreas: boolean;
  /** It is used with a live target only. */
  readonly live: boolean;
}

export function section<const Keys extends Shape>(
  title: string,
  about: { readonly before?: readonly string[]; readonly live?: boolean; readonly isOfAreas?: boolean },
  keys: Keys,
): Section<Keys> {
  return { title, before: about.before ?? [], keys, isOfAreas: about.isOfAreas ?? true, live: about.live ?? false };
}
