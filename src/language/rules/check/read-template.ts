import { type Diagnostic, finding, type Span, spanAt } from '../../../domain/diagnostic.ts';
import { parseValue } from '../language/parse-expression.ts';
import type { TemplatePart } from '../rule.ts';
import { checkWholeValue } from './check-expression.ts';
import type { Found, Scope } from './checking.ts';

const VALUES_MAX = 20;
const CHARACTERS_MAX = 2_000;

interface TemplateReading extends Found {
  readonly parts: readonly TemplatePart[];
}

/** `{{` and `}}` stand for literal braces. If `scope` is undefined, names are not checked. */
export function readTemplate(text: string, scope: Scope | undefined): TemplateReading {
  const { pieces, diagnostics } = cut(text);
  const parts: TemplatePart[] = [];
  const found = [...diagnostics];
  let amountAt: Span | undefined;
  let usesOwnDays = false;
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      parts.push(piece);
      continue;
    }
    // Blanks replace the text before the value, so that spans refer to the whole text.
    const blanks = text.slice(0, piece.start).replace(/[^\r\n]/g, ' ');
    const parsed = parseValue(blanks + text.slice(piece.start, piece.end));
    if (parsed.kind === 'refused') found.push(...parsed.diagnostics);
    else if (scope) {
      const check = checkWholeValue(parsed.tree, scope, text);
      found.push(...check.diagnostics);
      amountAt ??= check.amountAt;
      usesOwnDays ||= check.usesOwnDays;
      const money = check.type.kind === 'number' && check.type.moneyPower === 1;
      if (check.tree) parts.push({ kind: 'value', value: check.tree, money });
    }
  }
  return { parts, diagnostics: found, amountAt, usesOwnDays };
}

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'braces'; readonly start: number; readonly end: number };

function cut(text: string): { pieces: Piece[]; diagnostics: Diagnostic[] } {
  const refuse = (start: number, end: number, message: string, hint?: string) =>
    finding('BAD_TEMPLATE', spanAt(text, start, end), message, hint);
  if (text.length > CHARACTERS_MAX) {
    const message = `The text has ${text.length} characters, expected at most ${CHARACTERS_MAX}.`;
    return { pieces: [], diagnostics: [refuse(0, text.length, message)] };
  }
  const pieces: Piece[] = [];
  const diagnostics: Diagnostic[] = [];
  let plain = '';
  const endPlain = () => {
    if (plain !== '') pieces.push({ kind: 'text', text: plain });
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    const sign = text.charAt(at);
    if ((sign === '{' || sign === '}') && text.charAt(at + 1) === sign) {
      plain += sign;
      at += 2;
    } else if (sign === '}') {
      diagnostics.push(refuse(at, at + 1, 'This closing brace has no opening brace.', 'Write }} to show a brace.'));
      at += 1;
    } else if (sign === '{') {
      const end = closingBrace(text, at + 1);
      if (end === undefined) {
        const message = 'This opening brace has no closing brace.';
        diagnostics.push(refuse(at, text.length, message, 'Write {{ to show a brace.'));
        break;
      }
      endPlain();
      if (text.slice(at + 1, end).trim() === '') {
        const message = 'Found empty braces, expected a value such as {cost / clicks}.';
        diagnostics.push(refuse(at, end + 1, message, 'Write {{}} to show the braces.'));
      } else pieces.push({ kind: 'braces', start: at + 1, end });
      at = end + 1;
    } else {
      plain += sign;
      at += 1;
    }
  }
  endPlain();
  const values = pieces.filter(({ kind }) => kind === 'braces').length;
  if (values > VALUES_MAX) {
    const message = `The text has ${values} values, expected at most ${VALUES_MAX}.`;
    return { pieces: [], diagnostics: [...diagnostics, refuse(0, text.length, message)] };
  }
  return { pieces, diagnostics };
}

function closingBrace(text: string, from: number): number | undefined {
  let quote: string | undefined;
  for (let at = from; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (quote !== undefined) {
      if (sign === '\\') at += 1;
      else if (sign === quote) quote = undefined;
    } else if (sign === '}') return at;
    else if (sign === "'" || sign === '"') quote = sign;
    else if (sign === '{') return undefined;
  }
  return undefined;
}
