import ts from 'typescript';

/** A place in a text that breaks a rule of plain English. */
export interface WordFinding {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  /** The words at this place. */
  readonly words: string;
  /** The words to write there, or how to write the sentence. */
  readonly use: string;
}

/** Words in a sentence, a code span counted as one. */
export const WORDS_MAX = 20;

const OPENING = /^[\s*_"“(]*((?:What|Who|Of|Where|That|Which)\b)/;

/** The wrong words of the project, and the word to use. */
const GLOSSARY: readonly (readonly [wrong: RegExp, use: string])[] = [
  [/\bsettled\b/gi, 'complete, final'],
  [/\bholes?\b/gi, 'gap'],
  [/\bwish(?:e[sd])?\b/gi, 'requested change'],
  [/\bpatience\b/gi, 'retry budget'],
  [/\bbur(?:y|ied|ies)\b/gi, 'mark as lost'],
  [/\b(?:second screen|live page)s?\b/gi, 'status page, dashboard'],
  [/\blooks?\s+only\b/gi, 'read-only'],
  [/\b(?:take|takes|taking|took|taken)\s+back\b/gi, 'undo'],
  [/\bways?\s+back\b/gi, 'undo'],
  [/\bis\s+none\b/gi, 'there is no …'],
  [/\bnone\s+of\s+(?:the|them)\b/gi, 'no …, invalid …'],
  [/\bnot\s+known\s+to\b/gi, 'not confirmed'],
  [/\bnobody\s+(?:knows|is\s+told)\b/gi, 'unknown, not reported'],
  [/\b(?:another|other)\s+question\b/gi, 'query fingerprint, query text'],
  [/\bis\s+told\b/gi, 'shows, reports'],
  [/\bgoes\s+by\b/gi, 'follows, uses'],
  [/\bin\s+its\s+place\b/gi, 'instead'],
];

/** Stands for the end of a paragraph, an item, a heading or a cell. */
const END = '\f';
const SENTENCE = /[^\f]+?(?:[.!?]+["”')\]*_]*(?=[\s\f]|$)|(?=\f|$))/g;

/** The findings in the prose of a Markdown page, or in the comments and messages of a TypeScript file. */
export function wordFindings(path: string, text: string): WordFinding[] {
  const proses = path.endsWith('.md')
    ? [proseOfPage(text)]
    : [withoutSpans(proseOfComments(text)), proseOfMessages(path, text)];
  return proses.flatMap((prose) => findingsIn(prose, text));
}

function findingsIn(prose: string, text: string): WordFinding[] {
  const found: (readonly [offset: number, words: string, use: string])[] = [];
  for (const { 0: sentence, index } of prose.matchAll(SENTENCE)) {
    const start = index + sentence.search(/\S|$/);
    const count = sentence.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
    if (count > WORDS_MAX) found.push([start, `${count} words`, `two sentences of ${WORDS_MAX} words at most`]);
    const opening = OPENING.exec(sentence)?.[1];
    if (opening !== undefined && !/\?\W*$/.test(sentence)) {
      found.push([start, opening, 'the subject as the first word']);
    }
    for (const [wrong, use] of GLOSSARY) {
      for (const match of sentence.matchAll(wrong)) found.push([index + match.index, match[0], use]);
    }
  }
  return found.map(([offset, words, use]) => {
    const before = text.slice(0, offset).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, words: words.replace(/\s+/g, ' '), use };
  });
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
const end = (text: string): string => text.replace(/[^\n]/g, END);

/** Blanks code blocks and generated parts. The length stays, so that places do. */
function proseOfPage(page: string): string {
  const paragraphs = page
    .replace(/^<!-- (.+): (?:generated|measured).*-->$[\s\S]*?^<!-- \1: end -->$/gm, end)
    .replace(/<!--[\s\S]*?-->/g, end)
    .replace(/^( *)(```+).*$[\s\S]*?^\1\2$/gm, end)
    .replace(/\n(?=[ \t]*\n)/g, END);
  return withoutSpans(paragraphs)
    .replace(/^#+ .*\n?/gm, (heading) => heading.replace(/^#+|\n/g, (sign) => END.repeat(sign.length)))
    .replace(/^ *(?:[-*]|\d+\.) /gm, (sign) => END.repeat(sign.length))
    .replace(/^\|.*\|$/gm, (row) => row.replaceAll('|', END))
    .replace(/^>/gm, ' ')
    .replace(/\]\([^)\s]*\)/g, blank)
    .replace(/<\/?[a-z][^>]*>/g, blank);
}

/** Blanks the code and keeps comments on lines of their own, or at the end of one. The length stays. */
function proseOfComments(code: string): string {
  let inBlock = false;
  return code
    .split('\n')
    .map((line) => {
      const isBlock = inBlock || /^\s*\/\*/.test(line);
      if (isBlock) {
        inBlock = !line.includes('*/');
        const bare = line.replace(/^\s*(?:\/\*\*?|\*(?!\/))|\*\/.*$/g, blank);
        return bare.trim() === ''
          ? `${end(line)}${END}`
          : `${bare.replace(/^ *(?:- |@\w+)/, end)}${inBlock ? ' ' : END}`;
      }
      const start = /^\s*\/\/|[;,{}()[\]] \/\/ /.exec(line);
      if (start === null) return `${end(line)}${END}`;
      const from = start.index + start[0].indexOf('//');
      return `${end(line.slice(0, from))}  ${line.slice(from + 2)}${/^\s*\/\//.test(line) ? ' ' : END}`;
    })
    .join('');
}

/** Queries, statements, rules, tables, style sheets, scripts and names, which are not prose. */
const CODE =
  /^'use strict'|^#(?: shellcheck|compdef) |^function __|^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|ATTACH|DETACH|PRAGMA|WITH|WHERE|AND|FROM|JOIN|BEGIN|EXISTS)\b|\bWHEN\b| \| |[{;][a-z-]+:|^[a-z_]+:.*\n|^[^ ]*$/;

/** Blanks all but the texts of string literals and templates. A value in a template is one word. The length stays. */
function proseOfMessages(path: string, code: string): string {
  const kept = [...end(code)];
  const keep = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) kept[at] = code[at] ?? END;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql') return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      if (!CODE.test(node.text)) keep(node.getStart() + 1, node.end - 1);
    } else if (ts.isTemplateExpression(node)) {
      if (CODE.test(node.head.text)) return;
      keep(node.getStart() + 1, node.head.end - 2);
      for (const { expression, literal } of node.templateSpans) {
        kept.fill(' ', expression.pos - 2, literal.getStart() + 1);
        kept[expression.pos] = 'x';
        keep(literal.getStart() + 1, literal.end - (ts.isTemplateTail(literal) ? 1 : 2));
      }
      for (const { expression } of node.templateSpans) visit(expression);
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true));
  return kept
    .join('')
    .replace(/<\/?[a-z][^>]*>/g, end)
    .replace(/(?<![A-Za-z])\\n/g, `${END}${END}`);
}

/** A code span is one word, and holds names. */
const withoutSpans = (prose: string): string =>
  prose.replace(/(`+)[^\f]*?[^`\f]\1(?!`)/g, (span) => 'x'.repeat(span.length));
