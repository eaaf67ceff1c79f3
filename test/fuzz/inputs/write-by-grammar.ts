import {
  Alternation,
  Alternative,
  type IProduction,
  NonTerminal,
  Option,
  Repetition,
  RepetitionMandatory,
  RepetitionMandatoryWithSeparator,
  RepetitionWithSeparator,
  type Rule,
  Terminal,
  type TokenType,
} from 'chevrotain';
import type { Random } from './random.ts';

/** How a token may be written. */
export type Spell = (token: TokenType, random: Random) => string;

const DEPTH_MAX = 60;
const WORDS_MAX = 300;
const GAPS = ['\n', '  ', '\t', ' -- a comment\n', ' /* b */ ', ''];

/** A text of a rule of the grammar that the parser itself is made of, so that no clause of it can be forgotten here. */
export function writeByGrammar(
  rules: Readonly<Record<string, Rule>>,
  start: string,
  spell: Spell,
  random: Random,
): string {
  const words: string[] = [];
  const write = (production: IProduction, depth: number): void => {
    if (production instanceof Terminal) {
      words.push(spell(production.terminalType, random));
    } else if (production instanceof NonTerminal) {
      const rule = rules[production.nonTerminalName];
      if (rule) all(rule.definition, depth + 1);
    } else if (production instanceof Alternation) {
      all([random.pick(production.definition)], depth);
    } else if (production instanceof Alternative) {
      all(production.definition, depth);
    } else if (production instanceof Option) {
      if (random.oneIn(3)) all(production.definition, depth);
    } else if (
      production instanceof RepetitionWithSeparator ||
      production instanceof RepetitionMandatoryWithSeparator
    ) {
      const least = production instanceof RepetitionMandatoryWithSeparator ? 1 : 0;
      for (let times = timesOf(least), first = true; times > 0; times -= 1, first = false) {
        if (!first) words.push(spell(production.separator, random));
        all(production.definition, depth);
      }
    } else if (production instanceof Repetition || production instanceof RepetitionMandatory) {
      const least = production instanceof RepetitionMandatory ? 1 : 0;
      for (let times = timesOf(least); times > 0; times -= 1) all(production.definition, depth);
    }
  };
  const all = (definition: readonly IProduction[], depth: number) => {
    // A text that breaks off is an input like any other.
    if (depth > DEPTH_MAX || words.length > WORDS_MAX) return;
    for (const part of definition) write(part, depth);
  };
  const timesOf = (least: number) => least + (random.oneIn(2) ? 0 : random.below(4));
  const rule = rules[start];
  if (!rule) throw new RangeError(`The grammar has no rule ${start}.`);
  all(rule.definition, 0);
  return words.map((word) => word + (random.oneIn(12) ? random.pick(GAPS) : ' ')).join('');
}
