import { globSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { isThorough } from '../support/effort.ts';
import { ARGUED, ROOMS_OF_OUTSIDE_TEXT } from './argued-searches.ts';

/** A place in `src` that looks into a text, or compares one with a sentence. */
interface TextSearch {
  /** From `src` on. */
  readonly file: string;
  readonly line: number;
  /** The call on one line, a long one cut. */
  readonly call: string;
}

/** What finds, cuts off or takes apart a part of a text. */
const OF_TEXT: ReadonlySet<string> = new Set([
  'includes',
  'startsWith',
  'endsWith',
  'indexOf',
  'lastIndexOf',
  'search',
  'split',
  'match',
  'matchAll',
  'replace',
  'replaceAll',
]);
const OF_PATTERN: ReadonlySet<string> = new Set(['test', 'exec']);
/** Instants and days are checked with GLOB where tables are made. */
const SQL_SEARCH = /\b(?:LIKE|GLOB|REGEXP)\b(?! '\?{4}-)|\b(?:instr|substr|substring)\(/;
const SQL = /\b(?:SELECT|FROM|WHERE|CASE)\b/;
const SQL_WORDS: ReadonlySet<string> = new Set(['substr', 'instr', 'like', 'glob']);
const SENTENCE = /\p{L} \p{L}/u;
const CALL_LENGTH_MAX = 90;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.es2024.d.ts'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
};

/** All of them, by file and line. What a value is, its type says: `includes` of a list searches no text. */
function textSearches(): readonly TextSearch[] {
  const paths = globSync('src/**/*.ts').toSorted();
  const program = ts.createProgram(paths, OPTIONS);
  const checker = program.getTypeChecker();
  return paths.flatMap((path) => searchesOf(program.getSourceFile(path), checker));
}

function searchesOf(source: ts.SourceFile | undefined, checker: ts.TypeChecker): TextSearch[] {
  if (source === undefined) return [];
  const found: TextSearch[] = [];
  const visit = (node: ts.Node): void => {
    if (isSearch(node, checker)) {
      const line = source.getLineAndCharacterOfPosition(placeOf(node)).line + 1;
      found.push({ file: source.fileName.replace(/^.*?\bsrc\//, ''), line, call: shown(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Of a call in a chain over many lines, its own line. */
function placeOf(node: ts.Node): number {
  const isMethod = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression);
  return isMethod ? node.expression.name.getStart() : node.getStart();
}

/** Of a chain the last call alone: those before it stand for themselves. */
function shown(node: ts.Node): string {
  const text = node.getText();
  const isMethod = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression);
  const receiver = isMethod ? node.expression.expression : undefined;
  const own = receiver && !ts.isIdentifier(receiver) && text.slice(receiver.getText().length).trimStart();
  const isPattern = receiver !== undefined && ts.isRegularExpressionLiteral(receiver);
  const line = (own && !isPattern ? `…${own}` : text).replaceAll(/\s+/g, ' ').replaceAll('${', '{');
  return line.length > CALL_LENGTH_MAX ? `${line.slice(0, CALL_LENGTH_MAX)}…` : line;
}

function isSearch(node: ts.Node, checker: ts.TypeChecker): boolean {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression: receiver } = node.expression;
    if (OF_TEXT.has(name.text)) return isText(checker.getTypeAtLocation(receiver));
    return OF_PATTERN.has(name.text) && checker.getTypeAtLocation(receiver).getSymbol()?.name === 'RegExp';
  }
  if (ts.isBinaryExpression(node)) return isEquality(node) && isSentence(node.right, checker);
  if (ts.isTemplateExpression(node)) return SQL.test(node.getText()) && SQL_SEARCH.test(node.getText());
  return ts.isStringLiteralLike(node) && isSqlSearch(node);
}

function isText(type: ts.Type): boolean {
  const parts = type.isUnion() ? type.types : [type];
  return parts.some(
    (part) => (part.flags & ts.TypeFlags.StringLike) !== 0 || (part.isIntersection() && part.types.some(isText)),
  );
}

const EQUALITIES: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);

const isEquality = ({ operatorToken }: ts.BinaryExpression): boolean => EQUALITIES.has(operatorToken.kind);

/** Of a constant too, wherever it stands: its type is its text. */
function isSentence(side: ts.Expression, checker: ts.TypeChecker): boolean {
  const type = checker.getTypeAtLocation(side);
  return type.isStringLiteral() && SENTENCE.test(type.value);
}

/** A word of SQL where a query builder is given one, or a statement. */
function isSqlSearch({ text, parent }: ts.StringLiteralLike): boolean {
  return ts.isCallExpression(parent) ? SQL_WORDS.has(text) || isStatement(text) : isStatement(text);
}

const isStatement = (text: string): boolean => SQL.test(text) && SQL_SEARCH.test(text);

const isOutside = ({ file }: TextSearch) => Object.hasOwn(ROOMS_OF_OUTSIDE_TEXT, file.split('/')[0] ?? '');

// The types of all of src take seconds to read.
it.runIf(isThorough)('every text search in src has a reason', { timeout: 120_000 }, () => {
  const left = new Map(Object.entries(ARGUED).map(([file, [, ...calls]]) => [file, [...calls]]));
  const found: string[] = [];
  for (const search of textSearches().filter((one) => !isOutside(one))) {
    const calls = left.get(search.file) ?? [];
    const at = calls.indexOf(search.call);
    if (at >= 0) calls.splice(at, 1);
    else {
      found.push(
        `src/${search.file}:${search.line} looks into a text: ${search.call}. A fact is data, with a sentence at the edge. Where it is no sentence of ours, say so in test/house/argued-searches.ts.`,
      );
    }
  }
  expect(found).toEqual([]);
  const gone = [...left].flatMap(([file, calls]) => calls.map((call) => `src/${file}: ${call}`));
  expect(gone, 'argued, and not there any more').toEqual([]);
});
