import { distance } from 'fastest-levenshtein';
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type * as z from 'zod';
import { type Diagnostic, finding, type Span, spanAt } from '../../domain/diagnostic.ts';
import { beyondBounds, PARSING, type Quoting, SIZE_MAX } from './parsing.ts';

interface Sentence {
  readonly message: string;
  readonly hint?: string;
}

const NOT_YAML: Sentence = {
  message: 'Invalid YAML.',
  hint: 'Put values with special characters in quotes.',
};
const KEY_TWICE: Sentence = { message: 'This key appears twice in its group.' };

/** By the library's code or message, because some of its codes are too general. */
const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['BAD_DQ_ESCAPE', 'Unknown escape after this backslash. Write it twice, or put the value in single quotes.'],
  ['Implicit map keys need to be followed by map values', 'Found a key without a colon, expected "key: value".'],
  ['Missing closing "quote', 'A text begins with " but does not end with it.'],
  ["Missing closing 'quote", "A text begins with ' but does not end with it."],
  ['MULTIPLE_DOCS', 'Found a second YAML document, expected one.'],
  ['TAB_AS_INDENT', 'Found a tab as indentation, expected spaces.'],
]);

/** Other messages of the library may repeat the text, which may contain a secret. */
const FIXED_MESSAGES: ReadonlySet<string> = new Set(
  (
    'ALIAS_PROPS BAD_ALIAS BAD_INDENT BLOCK_AS_IMPLICIT_KEY BLOCK_IN_FLOW KEY_OVER_1024_CHARS MISSING_CHAR ' +
    'MULTILINE_IMPLICIT_KEY MULTIPLE_ANCHORS MULTIPLE_TAGS'
  ).split(' '),
);

function sentenceFor({ code, message }: YAMLError): Sentence {
  const sentence = SENTENCES.get(message) ?? SENTENCES.get(code);
  if (sentence !== undefined) return { message: sentence };
  return FIXED_MESSAGES.has(code) ? { message: `${message}.` } : NOT_YAML;
}

type Path = readonly (string | number)[];

const gathered = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();

/** Cached, because searching the list for each key would take quadratic time. */
function pairsOf(map: YAMLMap): ReadonlyMap<unknown, Pair> {
  const known = gathered.get(map);
  if (known) return known;
  const pairs = new Map<unknown, Pair>();
  for (const pair of map.items) {
    if (isScalar(pair.key) && !pairs.has(pair.key.value)) pairs.set(pair.key.value, pair);
  }
  gathered.set(map, pairs);
  return pairs;
}

/** Returns undefined if the path does not exist or leads through an alias. */
export function nodeAt(document: Document, path: Path): Node | undefined {
  let node: unknown = document.contents;
  for (const part of path) {
    if (isMap(node)) node = pairsOf(node).get(part)?.value;
    else if (isSeq(node) && typeof part === 'number') node = node.items[part];
    else return undefined;
  }
  return isNode(node) ? node : undefined;
}

export function keyAt(map: Node | undefined, key: string | number | undefined): Node | undefined {
  const pair = isMap(map) ? pairsOf(map).get(key) : undefined;
  return isNode(pair?.key) ? pair.key : undefined;
}

function repeatedKeys(document: Document): Node[] {
  const repeated: Node[] = [];
  visit(document, {
    Map(_, map) {
      const pairs = pairsOf(map);
      for (const pair of map.items) {
        if (isScalar(pair.key) && pairs.get(pair.key.value) !== pair) repeated.push(pair.key);
      }
    },
  });
  return repeated.sort((one, other) => (one.range?.[0] ?? 0) - (other.range?.[0] ?? 0));
}

const BLOCK_HEADER = /^[|>][-+0-9]*[^\r\n]*(?:\r\n|\r|\n)/;

/** Returns a function from an offset in the value to an offset in the source. Undefined if the scalar has escapes. */
function placeInScalar(node: unknown, source: string): ((offset: number) => number) | undefined {
  if (!isScalar(node) || !node.range || typeof node.value !== 'string') return undefined;
  const { value, range } = node;
  const whole = source.slice(range[0], range[1]);
  const header = BLOCK_HEADER.exec(whole)?.[0].length ?? 0;
  const quoted = /^(["'])[\s\S]*\1$/.test(whole) && whole.length > 1 ? 1 : 0;
  const written = whole.slice(header + quoted, whole.length - quoted);
  if (withoutBlanks(written) !== withoutBlanks(value)) return undefined;
  const start = range[0] + header + quoted;
  const places = placesOf(written);
  return (offset) => {
    const before = withoutBlanks(value.slice(0, Math.max(0, offset))).length;
    const isBlank = /^\s?$/.test(value.charAt(offset));
    const at = isBlank ? (places[before - 1] ?? -1) + 1 : (places[before] ?? written.length);
    return start + at;
  };
}

const withoutBlanks = (text: string): string => text.replace(/\s/g, '');

function placesOf(text: string): number[] {
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) if (!/\s/.test(text.charAt(at))) places.push(at);
  return places;
}

export interface YamlPlaces {
  /** If the value is missing, returns the span of the nearest group, or the start of the file. */
  spanOf(path: Path): Span;
  has(path: Path): boolean;
  keySpanOf(path: Path): Span;
  /** `start` and `end` are offsets in the value; `end` is exclusive. For a scalar with escapes, returns the whole scalar. */
  stretchOf(path: Path, start: number, end: number): Span;
}

export type HintFor = (path: Path, found: unknown) => string | undefined;

/** A broken file could have a finding every few characters. */
const FINDINGS_MAX = 100;

type Refused = { readonly kind: 'refused'; readonly diagnostics: readonly Diagnostic[] };

export type YamlReading<Value> = { readonly kind: 'ok'; readonly value: Value; readonly places: YamlPlaces } | Refused;

export interface OpenYaml {
  readonly kind: 'ok';
  readonly tree: unknown;
  readonly places: YamlPlaces;
  findings(issues: readonly z.core.$ZodIssue[]): Diagnostic[];
}

/** Scalars stay text until the schema reads them, so that no amount becomes a float. `quoting` hides secrets. */
export function readYaml<Schema extends z.ZodType>(
  source: string,
  schema: Schema,
  quoting?: Quoting,
  hintFor?: HintFor,
): YamlReading<z.output<Schema>> {
  const opened = openYaml(source, quoting, hintFor);
  if (opened.kind === 'refused') return opened;
  // By default, zod compiles the schema first, which is slow for a single file.
  const parsed = schema.safeParse(opened.tree, { jitless: true });
  if (parsed.success) return { kind: 'ok', value: parsed.data, places: opened.places };
  return { kind: 'refused', diagnostics: opened.findings(parsed.error.issues) };
}

export function openYaml(source: string, quoting?: Quoting, hintFor?: HintFor): OpenYaml | Refused {
  if (source.length > SIZE_MAX) {
    const diagnostic = finding('TOO_LARGE', spanAt(source, 0, 0), `The file has more than ${SIZE_MAX} characters.`);
    return { kind: 'refused', diagnostics: [diagnostic] };
  }
  const beyond = beyondBounds(source);
  if (beyond) {
    const diagnostic = finding('BAD_YAML', spanAt(source, beyond.offset, beyond.offset), beyond.message);
    return { kind: 'refused', diagnostics: [diagnostic] };
  }
  const document = parseDocument(source, PARSING);
  const mistakes = mistakesOf(document, source);
  if (mistakes.length > 0) return { kind: 'refused', diagnostics: mistakes };
  const places = placesIn(document, source);
  let plain: unknown;
  try {
    // Limits aliases, because nested anchors could fill the memory.
    plain = document.toJS({ maxAliasCount: 50 }) ?? {};
  } catch {
    return { kind: 'refused', diagnostics: aliasFindings(document, source) };
  }
  return {
    kind: 'ok',
    tree: plain === '' ? {} : plain,
    places,
    findings(issues) {
      const words = quotable(document, source, quoting, hintFor);
      const diagnostics = issues.flatMap((issue) => issueFindings(issue, plain, places, words));
      return diagnostics.sort((a, b) => a.span.start.offset - b.span.start.offset);
    },
  };
}

/** Sorted by position, because the library reports some errors late. */
function mistakesOf(document: Document, source: string): Diagnostic[] {
  const mistakes = [
    ...document.errors.map((error) => ({ pos: error.pos, ...sentenceFor(error) })),
    ...repeatedKeys(document).map(({ range }) => ({ pos: range ?? [0, 0], ...KEY_TWICE })),
  ].sort((one, other) => one.pos[0] - other.pos[0]);
  return mistakes
    .slice(0, FINDINGS_MAX)
    .map(({ pos: [start, end], message, hint }) => finding('BAD_YAML', spanAt(source, start, end), message, hint));
}

/** The library's message would repeat the alias, which may be a secret. */
function aliasFindings(document: Document, source: string): Diagnostic[] {
  const anchors = new Set<string>();
  const lost: Diagnostic[] = [];
  visit(document, {
    Node(_, node) {
      if ('anchor' in node && typeof node.anchor === 'string') anchors.add(node.anchor);
    },
    Alias(_, alias) {
      if (anchors.has(alias.source)) return;
      const [start, end] = alias.range ?? [0, 0];
      const hint = 'Put text that begins with * in quotes.';
      lost.push(finding('BAD_YAML', spanAt(source, start, end), 'This alias has no anchor before it.', hint));
    },
  });
  if (lost.length > 0) return lost;
  return [
    finding(
      'BAD_YAML',
      spanAt(source, 0, 0),
      'The aliases of this file refer to themselves, or expand to too much text.',
    ),
  ];
}

/** Undefined for a value with several lines or escapes, because `quoting` judges one-line texts. */
function writtenOnOneLine(node: unknown, source: string): string | undefined {
  if (!isScalar(node) || !node.range || typeof node.value !== 'string' || /[\r\n]/.test(node.value)) return undefined;
  const written = source.slice(node.range[0], node.range[1]);
  const { value } = node;
  return [value, `"${value}"`, `'${value}'`].includes(written) ? value : undefined;
}

type Quotable = ReturnType<typeof quotable>;

function quotable(document: Document, source: string, quoting: Quoting | undefined, hintFor: HintFor | undefined) {
  /** Returns undefined if messages must not name the key. */
  const key = (path: Path) =>
    quoting && typeof path.at(-1) === 'string' && !quoting.key(path) ? undefined : String(path.at(-1));
  return {
    key,
    path: (path: Path) => `"${path.map((_, depth) => key(path.slice(0, depth + 1)) ?? '…').join('.')}"`,
    value(path: Path, found: unknown) {
      if (typeof found !== 'string') return Array.isArray(found) ? 'a list' : 'a group of settings';
      if (!quoting) return JSON.stringify(found);
      const written = writtenOnOneLine(nodeAt(document, path), source);
      return written !== undefined && quoting.value(path, written) ? JSON.stringify(found) : 'text';
    },
    hint: (path: Path) => (quoting ? quoting.hint(path) : hintFor?.(path, undefined)),
    valueHint: (path: Path, found: unknown) =>
      quoting ? (typeof found === 'string' ? quoting.valueHint?.(path, found) : undefined) : hintFor?.(path, found),
  };
}

function issueFindings(issue: z.core.$ZodIssue, root: unknown, places: YamlPlaces, words: Quotable): Diagnostic[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((unknown) => {
      const at = [...path, unknown];
      const key = words.key(at);
      const message = key === undefined ? 'Unknown setting.' : `Unknown setting "${key}".`;
      return finding('UNKNOWN_KEY', places.keySpanOf(at), message, words.hint(at));
    });
  }
  if (issue.code === 'invalid_key') {
    const key = words.key(path);
    const found = key === undefined ? 'a key' : `the key "${key}"`;
    const expected = issue.issues.map(expectation).join(', ');
    const message = `Found ${found} in ${words.path(path.slice(0, -1))}, expected ${expected}.`;
    return [finding('BAD_KEY', places.keySpanOf(path), message)];
  }
  const { written, found } = follow(path, root);
  const name = words.path(written);
  if (found === undefined && issue.code !== 'custom') {
    return [finding('MISSING_KEY', places.spanOf(written), `${name} is missing, expected ${expectation(issue)}.`)];
  }
  const of = written.length === 0 ? '' : ` for ${name}`;
  const message = `Found ${words.value(written, found)}${of}, expected ${expectation(issue)}.`;
  return [
    finding('BAD_VALUE', places.spanOf(written), message, words.valueHint(written, found) ?? choiceHint(issue, found)),
  ];
}

function choiceHint(issue: z.core.$ZodIssue, found: unknown): string | undefined {
  if (issue.code !== 'invalid_value' || typeof found !== 'string') return undefined;
  const nearest = misspelt(found, issue.values.map(String), ({ length }) => (length < 4 ? 1 : 2));
  return nearest && `Did you mean ${nearest}?`;
}

/** The most similar of the names, regardless of capitals. */
export function misspelt(
  text: string,
  names: readonly string[],
  editsMax: (name: string) => number,
): string | undefined {
  return names
    .map((name) => ({ name, edits: distance(text.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= editsMax(name))
    .sort((one, other) => one.edits - other.edits)[0]?.name;
}

/** A single value can become a list, so the path may have an index although the file has no list. */
function follow(path: Path, root: unknown): { written: (string | number)[]; found: unknown } {
  let found = root;
  for (const [depth, part] of path.entries()) {
    if (typeof part === 'number' && !Array.isArray(found)) return { written: path.slice(0, depth), found };
    if (typeof found !== 'object' || found === null) return { written: [...path], found: undefined };
    found = (found as Record<string | number, unknown>)[part];
  }
  return { written: [...path], found };
}

/** Only zod's built-in types need words here, because our schemas have their own messages. */
export function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`;
  // biome-ignore lint/plugin: zod says only in its message whether the text is its own.
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) {
    const words: Readonly<Record<string, string>> = {
      string: 'text',
      object: 'a group of settings',
      record: 'a group of settings',
      array: 'a list',
    };
    return words[issue.expected] ?? issue.expected;
  }
  return issue.message;
}

function placesIn(document: Document, source: string): YamlPlaces {
  const spanOf = (path: Path): Span => {
    const range = nodeAt(document, path)?.range;
    if (range) return spanAt(source, range[0], range[1]);
    return path.length === 0 ? spanAt(source, 0, 0) : spanOf(path.slice(0, -1));
  };
  return {
    spanOf,
    has: (path) => nodeAt(document, path) !== undefined,
    keySpanOf(path) {
      const range = keyAt(nodeAt(document, path.slice(0, -1)), path.at(-1))?.range;
      return range ? spanAt(source, range[0], range[1]) : spanOf(path);
    },
    stretchOf(path, start, end) {
      const at = placeInScalar(nodeAt(document, path), source);
      return at ? spanAt(source, at(start), Math.max(at(start), at(end - 1) + 1)) : spanOf(path);
    },
  };
}
