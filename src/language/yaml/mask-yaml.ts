import { isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { beyondBounds, PARSING, type Quoting, SIZE_MAX } from './parsing.ts';

type Path = readonly (string | number)[];
type Reveal = (start: number, end: number) => void;

/** Replaces every hidden character with a dot. Lines and columns stay the same. */
export function maskYaml(source: string, quoting: Quoting): string {
  const masked = source.replace(/[^ \t\r\n]/g, '•').split('');
  const reveal: Reveal = (start, end) => {
    for (let at = start; at < end; at += 1) masked[at] = source.charAt(at);
  };
  const contents = soundContents(source);
  if (contents === 'damaged') revealWords(source, quoting, reveal);
  else if (contents) revealNode(contents, [], { source, quoting, reveal });
  return masked.join('');
}

function soundContents(source: string): Node | null | 'damaged' {
  if (source.length > SIZE_MAX || beyondBounds(source) !== undefined) return 'damaged';
  const document = parseDocument(source, PARSING);
  return document.errors.length > 0 ? 'damaged' : document.contents;
}

/** Paths of damaged text are unreliable, so only known keys are shown. */
function revealWords(source: string, { words }: Quoting, reveal: Reveal): void {
  for (const found of source.matchAll(/(^|[{,])([ \t]*(?:- +)?["']?)([\w-]+)(["']?[ \t]*:)(?=[ \t\r\n]|$)/gm)) {
    const { 0: whole, 3: key = '', index } = found;
    if (words.has(key)) reveal(index, index + whole.length);
  }
}

interface Showing {
  readonly source: string;
  readonly quoting: Quoting;
  readonly reveal: Reveal;
}

function revealNode(node: Node, path: Path, showing: Showing): void {
  if (isScalar(node)) revealScalar(node, path, showing);
  if (!showing.quoting.shape(path)) return;
  if (isMap(node)) revealMap(node, path, showing);
  if (isSeq(node)) revealSeq(node, path, showing);
}

function revealScalar(node: Node, path: Path, { source, quoting, reveal }: Showing): void {
  const text = writtenOnOneLine(node, source);
  if (node.range && text !== undefined && quoting.value(path, text)) reveal(node.range[0], node.range[1]);
}

/** Undefined for a value with several lines or escapes. */
export function writtenOnOneLine(node: unknown, source: string): string | undefined {
  if (!isScalar(node) || !node.range || typeof node.value !== 'string' || /[\r\n]/.test(node.value)) return undefined;
  const written = source.slice(node.range[0], node.range[1]);
  const { value } = node;
  return [value, `"${value}"`, `'${value}'`].includes(written) ? value : undefined;
}

function revealMap(map: YAMLMap, path: Path, showing: Showing): void {
  const { source, quoting, reveal } = showing;
  revealBrackets(map, reveal);
  for (const [index, pair] of map.items.entries()) {
    const { key, value } = pair as Pair<Node, Node | null>;
    const name = writtenOnOneLine(key, source);
    if (name === undefined || !key.range || !quoting.key([...path, name])) continue;
    const [start, end] = key.range;
    reveal(start, end + (/^[ \t]*:/.exec(source.slice(end, end + 20))?.[0].length ?? 0));
    const before = map.items[index - 1] as Pair<Node, Node | null> | undefined;
    if (before) revealBetween((before.value ?? before.key).range?.[1], start, /^\s*,\s*$/, showing);
    if (value) revealNode(value, [...path, name], showing);
  }
}

function revealSeq(seq: YAMLSeq, path: Path, showing: Showing): void {
  revealBrackets(seq, showing.reveal);
  const between = seq.flow ? /^\s*,\s*$/ : /^\s*-\s+$/;
  let end = seq.flow ? undefined : seq.range?.[0];
  for (const [index, item] of (seq.items as Node[]).entries()) {
    revealBetween(end, item.range?.[0], between, showing);
    revealNode(item, [...path, index], showing);
    end = item.range?.[1];
  }
}

function revealBrackets({ flow, range }: YAMLMap | YAMLSeq, reveal: Reveal): void {
  if (!flow || !range) return;
  reveal(range[0], range[0] + 1);
  reveal(range[1] - 1, range[1]);
}

function revealBetween(
  end: number | undefined,
  start: number | undefined,
  separator: RegExp,
  { source, reveal }: Showing,
): void {
  if (end !== undefined && start !== undefined && separator.test(source.slice(end, start))) reveal(end, start);
}
