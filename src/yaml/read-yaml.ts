import { type Document, isMap, isScalar, LineCounter, type Node, parseDocument, type YAMLError } from 'yaml';
import type { z } from 'zod';
import { type Diagnostic, type Span, spanAt } from '../domain/diagnostic.ts';

/** Where values stand in the text, so that a later check can point at them. */
export interface YamlPlaces {
  /** The value at the path; its key when the path ends in one that has no value; the file's start otherwise. */
  spanOf(path: readonly (string | number)[]): Span;
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
  const document = parseDocument(source, { schema: 'failsafe', lineCounter: new LineCounter(), prettyErrors: false });
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
  const parsed = schema.safeParse(plain === '' ? {} : plain);
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
      finding('UNKNOWN_KEY', places.spanOf([...path, key]), `There is no setting "${key}" here.`),
    );
  }
  const found = path.reduce<unknown>(
    (value, part) => (value as Record<string | number, unknown> | undefined)?.[part],
    root,
  );
  const name = path.join('.');
  if (found === undefined && issue.code !== 'custom') {
    return [finding('MISSING_KEY', places.spanOf(path), `"${name}" is missing, expected ${expectation(issue)}.`)];
  }
  const shown =
    typeof found === 'string' ? JSON.stringify(found) : Array.isArray(found) ? 'a list' : 'a group of settings';
  return [finding('BAD_VALUE', places.spanOf(path), `Found ${shown} for "${name}", expected ${expectation(issue)}.`)];
}

/** Schemas say what they expect in their own message; for the built-in kinds it is said here. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_type') {
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
  return {
    spanOf(path) {
      const range = nodeAt(path)?.range ?? keyRange(nodeAt(path.slice(0, -1)), path.at(-1));
      return range ? spanAt(source, range[0], range[1]) : spanAt(source, 0, 0);
    },
    isPlain(path) {
      const node = nodeAt(path);
      return isScalar(node) && node.range != null && source.slice(node.range[0], node.range[1]) === node.value;
    },
  };
}

function keyRange(
  map: Node | undefined,
  key: string | number | undefined,
): readonly [number, number, ...number[]] | undefined {
  if (!isMap(map)) return undefined;
  const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key);
  return isScalar(pair?.key) ? (pair.key.range ?? undefined) : (map.range ?? undefined);
}
