import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import ts from 'typescript';

/**
 * The source with a counter at every place where its flow divides: functions, branches, cases, loops, and the right sides
 * of `&&`, `||` and `??`. No line is added. `next` gives the number of the next place.
 */
function instrument(file: string, source: string, next: () => number): string {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.ESNext);
  const pieces: { readonly at: number; readonly text: string }[] = [];
  const count = (): string => `passed[${next()}]++`;
  const put = (at: number, text: string) => pieces.push({ at, text });
  const wrap = (node: ts.Node) => {
    put(node.getStart(tree), `(${count()},`);
    put(node.end, ')');
  };
  const enter = (node: ts.Statement) => {
    if (ts.isBlock(node)) return;
    put(node.getStart(tree), `{${count()};`);
    put(node.end, '}');
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isBlock(node)) put(node.getStart(tree) + 1, `${count()};`);
    if (ts.isCaseOrDefaultClause(node) && node.statements[0]) put(node.statements[0].getStart(tree), `${count()};`);
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) wrap(node.body);
    if (ts.isConditionalExpression(node)) for (const side of [node.whenTrue, node.whenFalse]) wrap(side);
    if (ts.isBinaryExpression(node) && DIVIDING.has(node.operatorToken.kind)) wrap(node.right);
    if (ts.isIfStatement(node)) {
      enter(node.thenStatement);
      if (node.elseStatement && !ts.isIfStatement(node.elseStatement)) enter(node.elseStatement);
    }
    if (ts.isIterationStatement(node, false)) enter(node.statement);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  // Of what is put at one place, that of the outer node was noted first: it opens first, and closes last.
  const opens = (text: string) => text !== ')' && text !== '}';
  let result = '';
  let from = 0;
  const ordered = pieces.map((piece, order) => ({ ...piece, order }));
  ordered.sort((one, other) => {
    if (one.at !== other.at) return one.at - other.at;
    if (opens(one.text) !== opens(other.text)) return opens(one.text) ? 1 : -1;
    return opens(one.text) ? one.order - other.order : other.order - one.order;
  });
  for (const { at, text } of ordered) {
    result += source.slice(from, at) + text;
    from = at;
  }
  return result + source.slice(from);
}

const DIVIDING: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

const SOURCES = /[\\/]src[\\/].*\.ts$/;

/** Builds the fuzzer into dist/fuzz; the program under test with a counter at every place where its flow divides. */
let places = 0;
const common = { bundle: true, platform: 'node', target: 'node22.14', format: 'esm', packages: 'external' } as const;
await build({
  ...common,
  entryPoints: ['test/fuzz/run.ts'],
  outdir: 'dist/fuzz',
  logLevel: 'warning',
  sourcemap: true,
});
await build({
  ...common,
  entryPoints: ['test/fuzz/worker.ts'],
  outdir: 'dist/fuzz',
  logLevel: 'warning',
  sourcemap: true,
  // Large enough for the program, whose places are counted while it is built.
  banner: { js: 'globalThis.passed = new Uint8Array(1 << 16);' },
  plugins: [
    {
      name: 'count-places',
      setup({ onLoad }) {
        onLoad({ filter: SOURCES }, ({ path }) => {
          const contents = instrument(path, readFileSync(path, 'utf8'), () => places++);
          return { contents, loader: 'ts' };
        });
      },
    },
  ],
});
if (places > 1 << 16) throw new RangeError(`The program has ${places} places, more than there are counters.`);
