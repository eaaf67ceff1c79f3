import { createToken, type TokenType } from 'chevrotain';
import { WEEKDAYS } from '../../../domain/civil-date.ts';
import * as gaql from '../../gaql/syntax/tokens.ts';

export const ColumnName = createToken({ name: 'ColumnName', pattern: /[a-zA-Z_][a-zA-Z0-9_]*/ });
/** A number without a sign: in `clicks -5`, the minus is an operator. */
export const UnsignedNumber = createToken({ name: 'UnsignedNumber', pattern: /\d+(?:\.\d+)?/ });
export const Percent = createToken({ name: 'Percent', pattern: '%' });
export const Times = createToken({ name: 'Times', pattern: '*' });
export const DividedBy = createToken({ name: 'DividedBy', pattern: '/' });
export const Plus = createToken({ name: 'Plus', pattern: '+' });
export const Minus = createToken({ name: 'Minus', pattern: '-' });

/** Whole words only: `order_count` does not start with OR. */
const word = ({ name }: TokenType): TokenType => createToken({ name, pattern: new RegExp(`${name}\\b`, 'i') });
export const AndWord = word(gaql.And);
export const OrWord = word(gaql.Or);
export const NotWord = word(gaql.Not);
export const BetweenWord = word(gaql.Between);
export const InWord = word(gaql.In);
export const LikeWord = word(gaql.Like);
export const IsWord = word(gaql.Is);
export const NullWord = word(gaql.Null);

/** A keyword only at some positions. Elsewhere the word can be the name of a column. */
const softWord = (name: string, pattern: RegExp): TokenType => createToken({ name, pattern, categories: ColumnName });
export const OverWord = softWord('over', /over\b/i);
export const OnWord = softWord('on', /on\b/i);
export const SameWord = softWord('same', /same\b/i);
export const PreviousWord = softWord('previous', /previous\b/i);
export const MonthWord = softWord('month', /month\b/i);
export const ToWord = softWord('to', /to\b/i);
export const DateWord = softWord('date', /date\b/i);
export const UntilWord = softWord('until', /until\b/i);
export const NowWord = softWord('now', /now\b/i);
export const NamedDay = softWord('named_day', /(?:yesterday|today)\b/i);
export const DayName = softWord('day_name', new RegExp(`(?:${WEEKDAYS.join('|')})\\b`, 'i'));
/** Never the name of a column, because SQL reserves the word. */
export const ElseWord = createToken({ name: 'else', pattern: /else\b/i });
export const WeekdayWord = softWord('weekday', /weekday\b/i);
export const DaysWord = softWord('days', /days?\b/i);
export const WeeksWord = softWord('weeks', /weeks?\b/i);
export const IncreaseWord = softWord('increase', /increase\b/i);
export const DecreaseWord = softWord('decrease', /decrease\b/i);
export const SetWord = softWord('set', /set\b/i);
export const BudgetWord = softWord('budget', /budget\b/i);
export const PaceWord = softWord('pace', /pace\b/i);
export const PerWord = softWord('per', /per\b/i);
export const FromWord = softWord('from', /from\b/i);
export const ByWord = softWord('by', /by\b/i);

/** Operators of other languages, so that the message can name the right operator. */
const ForeignSign = createToken({ name: 'ForeignSign', pattern: /&&|\|\||!(?!=)/ });

export const { StringLiteral, UnterminatedString, LeftParen, RightParen, Comma, ComparisonOperator } = gaql;

const JOINTS = [AndWord, OrWord, NotWord, BetweenWord, InWord, LikeWord, IsWord, NullWord];
const DAY_WORDS = [
  OverWord,
  OnWord,
  SameWord,
  PreviousWord,
  MonthWord,
  ToWord,
  DateWord,
  UntilWord,
  NowWord,
  NamedDay,
  DayName,
  WeekdayWord,
];
const UNITS = [DaysWord, WeeksWord];
const CHANGE_WORDS = [IncreaseWord, DecreaseWord, SetWord, PaceWord, PerWord, FromWord, BudgetWord, ByWord, ElseWord];
const SIGNS = [LeftParen, RightParen, Comma, Times, DividedBy, Plus, Minus];

/** Order matters: keywords before names, longer operators before shorter ones. */
export const EXPRESSION_TOKENS: TokenType[] = [
  gaql.WhiteSpace,
  ...JOINTS,
  ...DAY_WORDS,
  ...UNITS,
  ...CHANGE_WORDS,
  ColumnName,
  gaql.ForeignOperator,
  ComparisonOperator,
  ForeignSign,
  UnsignedNumber,
  Percent,
  StringLiteral,
  UnterminatedString,
  ...SIGNS,
];
