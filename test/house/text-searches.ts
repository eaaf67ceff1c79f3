import { globSync } from 'node:fs';
import ts from 'typescript';

/** A place in `src` that looks into a text, or compares one with a sentence. */
export interface TextSearch {
  /** From `src` on. */
  readonly file: string;
  readonly line: number;
  /** On one line. */
  readonly code: string;
}

/** What finds, cuts off or takes apart a part of a text. */
const OF_TEXT: ReadonlySet<string> = new Set([
  ...['includes', 'startsWith', 'endsWith', 'indexOf', 'lastIndexOf', 'search'],
  ...['split', 'match', 'matchAll', 'replace', 'replaceAll'],
]);
const OF_PATTERN: ReadonlySet<string> = new Set(['test', 'exec']);
const SQL_SEARCH = /\b(?:NOT )?(?:LIKE|GLOB|REGEXP)\b(?! '\?{4}-)|\b(?:instr|substr|substring|replace)\(/;
const SENTENCE = /\p{L} \p{L}/u;

/** All of them, by file and line. What a value is, its type says: `includes` of a list searches no text. */
export function textSearches(): readonly TextSearch[] {
  const paths = globSync('src/**/*.ts').toSorted();
  const program = ts.createProgram(paths, {
    ...{ target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.NodeNext, lib: ['lib.es2024.d.ts'], types: ['node'] },
    ...{ strict: true, skipLibCheck: true, noEmit: true, allowImportingTsExtensions: true },
  });
  const checker = program.getTypeChecker();
  return paths.flatMap((path) => {
    const source = program.getSourceFile(path);
    return source === undefined ? [] : searchesOf(source, checker);
  });
}

function searchesOf(source: ts.SourceFile, checker: ts.TypeChecker): TextSearch[] {
  const found: TextSearch[] = [];
  const visit = (node: ts.Node): void => {
    if (isSearch(node, checker)) {
      const line = source.getLineAndCharacterOfPosition(endOfReceiver(node)).line + 1;
      found.push({
        file: source.fileName.replace(/^.*?\bsrc\//, ''),
        line,
        code: node.getText().replaceAll(/\s+/g, ' '),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** In a chain of calls over many lines, where its own one is. */
function endOfReceiver(node: ts.Node): number {
  return ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)
    ? node.expression.name.getStart()
    : node.getStart();
}

function isSearch(node: ts.Node, checker: ts.TypeChecker): boolean {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression: receiver } = node.expression;
    if (OF_TEXT.has(name.text)) return isText(checker.getTypeAtLocation(receiver));
    return OF_PATTERN.has(name.text) && checker.getTypeAtLocation(receiver).getSymbol()?.name === 'RegExp';
  }
  if (ts.isBinaryExpression(node))
    return isEquality(node) && [node.left, node.right].some((side) => isSentence(side, checker));
  return ts.isTemplateExpression(node) || ts.isStringLiteralLike(node) ? isSqlSearch(node) : false;
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

function isSqlSearch(node: ts.TemplateExpression | ts.StringLiteralLike): boolean {
  if (ts.isStringLiteralLike(node) && !/\b(?:SELECT|FROM|WHERE|CASE)\b/.test(node.text))
    return node.text === 'substr' || node.text === 'instr';
  return SQL_SEARCH.test(node.getText());
}
