import { createToken, type IToken, Lexer, type TokenType } from 'chevrotain';
import { LEXER_OPTIONS, QUERY_TOKENS } from '../syntax/tokens.ts';

const inLine = (name: string, pattern: RegExp): TokenType => createToken({ name, pattern, line_breaks: false });

/** Matches `{name}`, `'{name}'` and `"{name}"`. */
export const Macro = inLine('Macro', /\{[a-zA-Z_][\w-]*\}|'\{[a-zA-Z_][\w-]*\}'|"\{[a-zA-Z_][\w-]*\}"/);
/** Matches `${today()-7}`, with or without quotes. */
export const Computed = inLine('Computed', /\$\{[^{}\r\n]*\}|'\$\{[^{}\r\n]*\}'|"\$\{[^{}\r\n]*\}"/);
/** Matches `:YYYYMMDD-7`, with or without quotes. */
export const DayMacro = inLine('DayMacro', /:YYYYMMDD(?:-\d+)?|':YYYYMMDD(?:-\d+)?'|":YYYYMMDD(?:-\d+)?"/);
export const Part = inLine('Part', /:\$?[a-zA-Z_][\w.]*/);
export const PartOfName = inLine('PartOfName', /~\d{1,3}(?!\d)/);
export const Arithmetic = inLine('Arithmetic', /[-+*/]/);
/** Without this token, the lexer would skip unknown signs, which changes computations. */
const Other = inLine('Other', /[!$%&:?@[\\\]^`{|}~]/);

const lexer = new Lexer([Macro, Computed, DayMacro, Part, PartOfName, ...QUERY_TOKENS, Arithmetic, Other], {
  ...LEXER_OPTIONS,
  skipValidations: true,
});

export function dialectTokens(source: string): readonly IToken[] {
  return lexer.tokenize(source).tokens;
}
