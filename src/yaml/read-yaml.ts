import { type Document, isMap, isScalar, type Node, parseDocument, type YAMLError } from 'yaml';
import type * as z from 'zod';
import { type Diagnostic, type Span, spanAt } from '../domain/diagnostic.ts';

/** Where values stand in the text, so that a later check can point at them. */
export interface YamlPlaces {
  /** The value at the path; where there is none the nearest group around it; the file's start otherwise. */
  spanOf(path: readonly (string | number)[]): Span;
  /** The key that the path ends in. */
  keySpanOf(path: readonly (string | number)[]): Span;
  /** Whether the scalar is written plainly on one line, so that offsets in its value are offsets in the text. */
  isPlain(path: readonly (string | number)[]): boolean;
}

export type YamlReading<Value> =
  | { readonly kind: 'ok'; readonly value: Value; readonly places: YamlPlaces }
  | { readonly kind: 'refused'; readonly diagnostics: readonly Diagnostic[] };

const SIZE_MAX = 1024 * 1024;

/**
 * Reads a YAML text by a schema; every finding of the text at once. All scalars are read as the text that was written
 * (`5`, `2.50`, `yes`): the schema decides what they mean, so no amount passes through a float and no customer id loses
 * digits.
 */
export function readYaml<Schema extends z.ZodType>(source: string, schema: Schema): YamlReading<z.output<Schema>> {
  if (source.length > SIZE_MAX) {
    const diagnostic = finding('TOO_LARGE', spanAt(source, 0, 0), `The file has more than ${SIZE_MAX} characters.`);
    return { kind: 'refused', diagnostics: [diagnostic] };
  }
  const document = parseDocument(source, { schema: 'failsafe', prettyErrors: false, logLevel: 'error' });
  if (document.errors.length > 0) {
    return { kind: 'refused', diagnostics: document.errors.map((error) => syntaxFinding(error, source)) };
  }
  const places = placesIn(document, source);
  let plain: unknown;
  try {
    // Aliases are counted, so a file of nested anchors cannot fill the memory.
    plain = document.toJS({ maxAliasCount: 50 }) ?? {};
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'refused', diagnostics: [finding('BAD_YAML', spanAt(source, 0, 0), `${message}.`)] };
  }
  // A file is read once: writing a reader for its schema, as zod does otherwise, takes longer than the reading.
  const parsed = schema.safeParse(plain === '' ? {} : plain, { jitless: true });
  if (parsed.success) return { kind: 'ok', value: parsed.data, places };
  const diagnostics = parsed.error.issues.flatMap((issue) => issueFindings(issue, plain, places));
  diagnostics.sort((a, b) => a.span.start.offset - b.span.start.offset);
  return { kind: 'refused', diagnostics };
}

function finding(code: string, span: Span, message: string, hint?: string): Diagnostic {
  return { code, severity: 'error', span, message, ...(hint === undefined ? {} : { hint }) };
}

function syntaxFinding(error: YAMLError, source: string): Diagnostic {
  const [start, end] = error.pos;
  return finding('BAD_YAML', spanAt(source, start, end), `${error.message.split('\n')[0]?.replace(/[.:]$/, '')}.`);
}

function issueFindings(issue: z.core.$ZodIssue, root: unknown, places: YamlPlaces): Diagnostic[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) =>
      finding('UNKNOWN_KEY', places.keySpanOf([...path, key]), `There is no setting "${key}" here.`),
    );
  }
  if (issue.code === 'invalid_key') {
    const expected = issue.issues.map(expectation).join(', ');
    const message = `Found the key "${path.at(-1)}" in "${path.slice(0, -1).join('.')}", expected ${expected}.`;
    return [finding('BAD_KEY', places.keySpanOf(path), message)];
  }
  const { written, found } = follow(path, root);
  const name = written.join('.');
  if (found === undefined && issue.code !== 'custom') {
    return [finding('MISSING_KEY', places.spanOf(written), `"${name}" is missing, expected ${expectation(issue)}.`)];
  }
  const shown =
    typeof found === 'string' ? JSON.stringify(found) : Array.isArray(found) ? 'a list' : 'a group of settings';
  const of = name === '' ? '' : ` for "${name}"`;
  return [finding('BAD_VALUE', places.spanOf(written), `Found ${shown}${of}, expected ${expectation(issue)}.`)];
}

/** The value at the path. A single value that is taken for a list of one has no index in the text. */
function follow(path: readonly (string | number)[], root: unknown): { written: (string | number)[]; found: unknown } {
  let found = root;
  for (const [depth, part] of path.entries()) {
    if (typeof part === 'number' && !Array.isArray(found)) return { written: path.slice(0, depth), found };
    if (typeof found !== 'object' || found === null) return { written: [...path], found: undefined };
    found = (found as Record<string | number, unknown>)[part];
  }
  return { written: [...path], found };
}

/** Schemas say what they expect in their own message; for the built-in kinds it is said here. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`;
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
  const nodeAt = (path: readonly (string | number)[]): Node | undefined => {
    if (path.length === 0) return (document.contents as Node | null) ?? undefined;
    const node = document.getIn(path, true);
    return node !== null && typeof node === 'object' ? (node as Node) : undefined;
  };
  const spanOf = (path: readonly (string | number)[]): Span => {
    const range = nodeAt(path)?.range;
    if (range) return spanAt(source, range[0], range[1]);
    return path.length === 0 ? spanAt(source, 0, 0) : spanOf(path.slice(0, -1));
  };
  return {
    spanOf,
    keySpanOf(path) {
      const range = keyRange(nodeAt(path.slice(0, -1)), path.at(-1));
      return range ? spanAt(source, range[0], range[1]) : spanOf(path);
    },
    isPlain(path) {
      const node = nodeAt(path);
      return isScalar(node) && node.range != null && source.slice(node.range[0], node.range[1]) === node.value;
    },
  };
}

function keyRange(map: Node | undefined, key: string | number | undefined): Node['range'] {
  const pair = isMap(map) ? map.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
  return isScalar(pair?.key) ? pair.key.range : undefined;
}
