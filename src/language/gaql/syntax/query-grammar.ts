import { CstParser, type TokenType } from 'chevrotain';
import { syntaxMessages } from './syntax-messages.ts';
import * as t from './tokens.ts';

/** Accepts some mistakes, such as a missing comma, because `build-tree.ts` reports them more clearly. */
export class QueryGrammar extends CstParser {
  /** Only a test validates the grammar, because validation is slow. */
  constructor({ skipValidations }: { readonly skipValidations: boolean }) {
    super(t.QUERY_TOKENS, { recoveryEnabled: true, errorMessageProvider: syntaxMessages, skipValidations });
    this.performSelfAnalysis();
  }

  /** True if the previous token is a name, so that a `(` would begin a function call. */
  private readonly isAfterName = (): boolean => {
    const { tokenType } = this.LA(0);
    return tokenType === t.Name || tokenType.CATEGORIES?.includes(t.Name) === true;
  };

  private oneOf(...types: readonly TokenType[]): void {
    this.OR(types.map((type) => ({ ALT: () => this.CONSUME(type) })));
  }

  readonly query = this.RULE('query', () => {
    this.SUBRULE(this.selectClause);
    this.SUBRULE(this.fromClause);
    this.OPTION1(() => this.SUBRULE(this.whereClause));
    this.OPTION2(() => this.SUBRULE(this.orderByClause));
    this.OPTION3(() => this.SUBRULE(this.limitClause));
    this.OPTION4(() => this.SUBRULE(this.parametersClause));
    this.OPTION5(() => this.CONSUME(t.Semicolon));
  });

  private readonly selectClause = this.RULE('selectClause', () => {
    this.CONSUME(t.Select);
    this.SUBRULE1(this.selected);
    this.MANY(() => {
      this.OPTION(() => this.CONSUME(t.Comma));
      this.SUBRULE2(this.selected);
    });
  });

  private readonly selected = this.RULE('selected', () => {
    this.SUBRULE(this.field);
    this.OPTION1({ GATE: this.isAfterName, DEF: () => this.SUBRULE(this.list) });
    this.OPTION2(() => this.SUBRULE(this.alias));
  });

  private readonly alias = this.RULE('alias', () => {
    this.CONSUME(t.As);
    this.CONSUME(t.Name);
  });

  private readonly field = this.RULE('field', () => {
    this.CONSUME(t.Name);
  });

  private readonly fromClause = this.RULE('fromClause', () => {
    this.CONSUME(t.From);
    this.CONSUME(t.Name);
  });

  private readonly whereClause = this.RULE('whereClause', () => {
    this.CONSUME(t.Where);
    this.SUBRULE1(this.condition);
    this.MANY(() => {
      this.OPTION(() => this.oneOf(t.And, t.Or));
      this.SUBRULE2(this.condition);
    });
  });

  private readonly condition = this.RULE('condition', () => {
    this.SUBRULE(this.field);
    this.OPTION({ GATE: this.isAfterName, DEF: () => this.SUBRULE(this.list) });
    this.OR([
      { ALT: () => this.SUBRULE(this.comparison) },
      { ALT: () => this.SUBRULE(this.between) },
      { ALT: () => this.SUBRULE(this.nullTest) },
      { ALT: () => this.SUBRULE(this.foreign) },
    ]);
  });

  private readonly comparison = this.RULE('comparison', () => {
    this.OPTION1(() => this.CONSUME(t.Not));
    this.OR1([
      { ALT: () => this.oneOf(t.ComparisonOperator, t.During, t.In, t.Like, t.RegexpMatch) },
      { ALT: () => this.SUBRULE(this.contains) },
    ]);
    this.SUBRULE(this.operand);
  });

  private readonly contains = this.RULE('contains', () => {
    this.CONSUME(t.Contains);
    this.OPTION(() => this.oneOf(t.Any, t.All, t.None));
  });

  private readonly between = this.RULE('between', () => {
    this.OPTION(() => this.CONSUME(t.Not));
    this.CONSUME(t.Between);
    this.SUBRULE1(this.bound);
    this.CONSUME(t.And);
    this.SUBRULE2(this.bound);
  });

  private readonly nullTest = this.RULE('nullTest', () => {
    this.CONSUME(t.Is);
    this.OPTION(() => this.CONSUME(t.Not));
    this.CONSUME(t.Null);
  });

  /** A misspelt operator, or an operator of another language, with its operand. */
  private readonly foreign = this.RULE('foreign', () => {
    this.OPTION1(() => this.CONSUME(t.Not));
    this.OR([{ ALT: () => this.CONSUME1(t.Name) }, { ALT: () => this.CONSUME(t.ForeignOperator) }]);
    this.OPTION2(() => this.CONSUME2(t.Name));
    this.OPTION3(() => this.SUBRULE(this.operand));
  });

  private readonly operand = this.RULE('operand', () => {
    this.OR([{ ALT: () => this.SUBRULE(this.list) }, { ALT: () => this.SUBRULE(this.value) }]);
  });

  /** The same as `operand`, with a different error message. */
  private readonly bound = this.RULE('bound', () => {
    this.OR([{ ALT: () => this.SUBRULE(this.list) }, { ALT: () => this.SUBRULE(this.value) }]);
  });

  private readonly list = this.RULE('list', () => {
    this.CONSUME(t.LeftParen);
    this.SUBRULE(this.items);
    this.CONSUME(t.RightParen);
  });

  /** Not part of `list`, because error recovery could then overflow the stack. */
  private readonly items = this.RULE('items', () => {
    this.MANY(() => this.OR([{ ALT: () => this.CONSUME(t.Comma) }, { ALT: () => this.SUBRULE(this.value) }]));
  });

  private readonly value = this.RULE('value', () => {
    this.oneOf(...t.STRINGS, ...t.NUMBERS, t.Name);
  });

  private readonly orderByClause = this.RULE('orderByClause', () => {
    this.CONSUME(t.Order);
    this.CONSUME(t.By);
    this.SUBRULE1(this.ordering);
    this.MANY(() => {
      this.CONSUME(t.Comma);
      this.SUBRULE2(this.ordering);
    });
  });

  private readonly ordering = this.RULE('ordering', () => {
    this.SUBRULE(this.field);
    this.OPTION(() => this.oneOf(t.Asc, t.Desc));
  });

  private readonly limitClause = this.RULE('limitClause', () => {
    this.CONSUME(t.Limit);
    this.SUBRULE(this.rowCount);
  });

  /** The same as `value`, with a different error message. */
  private readonly rowCount = this.RULE('rowCount', () => {
    this.OR([{ ALT: () => this.SUBRULE(this.value) }]);
  });

  private readonly parametersClause = this.RULE('parametersClause', () => {
    this.CONSUME(t.Parameters);
    this.SUBRULE1(this.parameter);
    this.MANY(() => {
      this.CONSUME(t.Comma);
      this.SUBRULE2(this.parameter);
    });
  });

  private readonly parameter = this.RULE('parameter', () => {
    this.CONSUME(t.Name);
    this.CONSUME(t.ComparisonOperator);
    this.SUBRULE(this.value);
  });
}

export const queryGrammar = new QueryGrammar({ skipValidations: true });
