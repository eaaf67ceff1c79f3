/** Who let a budget change through: the rule alone, a person who approved it, or a person who undoes another. */
export type Origin = 'rule' | 'approval' | 'undo';

interface Decided {
  readonly origin: Origin;
  /** The change that it undoes. */
  readonly undoes: bigint | undefined;
  /** As the record of changes has it: "rule trim@1f2e…", "approved by anna", or a person's name. */
  readonly actor: string;
  readonly rule: string;
  readonly ruleVersion: string;
}

/** Whether a person let it through, so that it does not depend on what automation may do. */
export function isPersons({ origin }: Pick<Decided, 'origin'>): boolean {
  return origin !== 'rule';
}

/** Who decided a change: "rule trim@1f2e…", "rule trim@1f2e…, approved by anna", "undo of B1 by anna". */
export function whoDecided({ origin, undoes, actor, rule, ruleVersion }: Decided): string {
  switch (origin) {
    case 'undo':
      return `undo of B${undoes} by ${actor}`;
    case 'approval':
      return `rule ${rule}${ruleVersion === '' ? '' : `@${ruleVersion}`}, ${actor}`;
    case 'rule':
      return actor;
  }
}
