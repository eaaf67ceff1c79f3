import { CstParser } from 'chevrotain';
import { syntaxMessages } from './syntax-messages.ts';
import * as t from './tokens.ts';

/**
 * The grammar, clause by clause. It deliberately accepts a little more than the language (a missing comma or AND, an
 * empty list, an unknown word for an operator): `build-tree.ts` refuses those with a message of their own, so one
 * mistake gives one message.
 */
class QueryGrammar extends CstParser {
  constructor() {
    super(t.QUERY_TOKENS, { recoveryEnabled: true, errorMessageProvider: syntaxMessages });
    this.performSelfAnalysis();
  }

  readonly query = this.RULE('query', () => {
    this.SUBRULE(this.selectClause);
    this.SUBRULE(this.fromClause);
    this.OPTION1(() => this.SUBRULE(this.whereClause));
    this.OPTION2(() => this.SUBRULE(this.orderByClause));
    this.OPTION3(() => this.SUBRULE(this.limitClause));
    this.OPTION4(() => this.CONSUME(t.Semicolon));
  });

  private readonly selectClause = this.RULE('selectClause', () => {
    this.CONSUME(t.Select);
    this.SUBRULE1(this.field);
    this.MANY(() => {
      this.OPTION(() => this.CONSUME(t.Comma));
      this.SUBRULE2(this.field);
    });
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
      this.OPTION(() => this.OR([{ ALT: () => this.CONSUME(t.And) }, { ALT: () => this.CONSUME(t.Or) }]));
      this.SUBRULE2(this.condition);
    });
  });

  private readonly condition = this.RULE('condition', () => {
    this.SUBRULE(this.field);
    this.OR([
      { ALT: () => this.SUBRULE(this.comparison) },
      { ALT: () => this.SUBRULE(this.membership) },
      { ALT: () => this.SUBRULE(this.between) },
      { ALT: () => this.SUBRULE(this.during) },
      { ALT: () => this.SUBRULE(this.nullTest) },
      { ALT: () => this.SUBRULE(this.foreign) },
    ]);
  });

  private readonly comparison = this.RULE('comparison', () => {
    this.OR([
      { ALT: () => this.CONSUME(t.ComparisonOperator) },
      { ALT: () => this.CONSUME1(t.Like) },
      {
        ALT: () => {
          this.CONSUME(t.Not);
          this.CONSUME2(t.Like);
        },
      },
    ]);
    this.SUBRULE(this.value);
  });

  private readonly membership = this.RULE('membership', () => {
    this.OPTION1(() => this.CONSUME(t.Not));
    this.CONSUME(t.In);
    this.CONSUME(t.LeftParen);
    this.MANY(() => {
      this.OPTION2(() => this.CONSUME(t.Comma));
      this.SUBRULE(this.value);
    });
    this.CONSUME(t.RightParen);
  });

  private readonly between = this.RULE('between', () => {
    this.CONSUME(t.Between);
    this.SUBRULE1(this.value);
    this.CONSUME(t.And);
    this.SUBRULE2(this.value);
  });

  private readonly during = this.RULE('during', () => {
    this.CONSUME(t.During);
    this.SUBRULE(this.value);
  });

  private readonly nullTest = this.RULE('nullTest', () => {
    this.CONSUME(t.Is);
    this.OPTION(() => this.CONSUME(t.Not));
    this.CONSUME(t.Null);
  });

  /** An operator of another language, or a misspelt one, with what follows it. */
  private readonly foreign = this.RULE('foreign', () => {
    this.OPTION1(() => this.CONSUME(t.Not));
    this.OR([{ ALT: () => this.CONSUME(t.Name) }, { ALT: () => this.CONSUME(t.ForeignOperator) }]);
    this.OPTION2(() => this.SUBRULE1(this.value));
    this.OPTION3(() => {
      this.CONSUME(t.LeftParen);
      this.MANY(() => {
        this.OPTION4(() => this.CONSUME(t.Comma));
        this.SUBRULE2(this.value);
      });
      this.CONSUME(t.RightParen);
    });
  });

  private readonly value = this.RULE('value', () => {
    this.OR([
      { ALT: () => this.CONSUME(t.StringLiteral) },
      { ALT: () => this.CONSUME(t.UnterminatedString) },
      { ALT: () => this.CONSUME(t.UnquotedDate) },
      { ALT: () => this.CONSUME(t.NumberLiteral) },
      { ALT: () => this.CONSUME(t.Name) },
    ]);
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
    this.OPTION(() => this.OR([{ ALT: () => this.CONSUME(t.Asc) }, { ALT: () => this.CONSUME(t.Desc) }]));
  });

  private readonly limitClause = this.RULE('limitClause', () => {
    this.CONSUME(t.Limit);
    this.SUBRULE(this.value);
  });
}

export const queryGrammar = new QueryGrammar();
