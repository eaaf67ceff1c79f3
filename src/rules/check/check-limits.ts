import type { Diagnostic, Span } from '../../domain/diagnostic.ts';
import { unitsOf } from '../../domain/micros.ts';
import { compare, formatRational, type Rational, rational } from '../../domain/rational.ts';
import type { YamlPlaces } from '../../yaml/read-yaml.ts';
import { type LooseRuleFile, readDays, readDrift, readPercent } from '../file/rule-schema.ts';
import { shareOf } from '../language/expression.ts';
import type { Limits } from '../rule.ts';
import { checkName } from './check-name.ts';
import { beginChecking, refuse, type Scope } from './checking.ts';

export interface LimitsCheck {
  readonly limits: Limits;
  readonly diagnostics: readonly Diagnostic[];
  /** Where amounts of money stand in the file. */
  readonly amounts: readonly Span[];
  readonly usesOwnDays: boolean;
}

/** The limits that can be read, and those that no change could keep. Without a scope, names are not looked at. */
export function checkLimits(
  written: NonNullable<LooseRuleFile['limits']>,
  places: YamlPlaces,
  scope: Scope | undefined,
): LimitsCheck {
  const diagnostics: Diagnostic[] = [];
  const at = (...path: string[]) => places.spanOf(['limits', ...path]);
  const impossible = (key: string, message: string, hint?: string) =>
    diagnostics.push({ code: 'IMPOSSIBLE_LIMITS', severity: 'error', span: at(key), message, ...(hint && { hint }) });
  const { floor, ceiling } = written;
  if (floor !== undefined && ceiling !== undefined && floor > ceiling) {
    const [low, high] = [floor, ceiling].map((amount) => formatRational(unitsOf(amount), 6));
    impossible(
      'floor',
      `The floor of ${low} is above the ceiling of ${high}.`,
      'Swap the two amounts, or leave one out.',
    );
  }
  const percent = readPercent(written.step);
  const step = percent === undefined ? undefined : shareOf(percent);
  if (step?.n === 0n) impossible('step', 'A step of 0% lets nothing change.');
  if (step && compare(step, rational(1n)) >= 0) impossible('step', 'A step of 100% or more holds no decrease back.');
  const drifting = readDrift(written.drift);
  const driftShare = drifting && shareOf(drifting.percent);
  const drift = drifting && driftShare && { share: driftShare, days: drifting.days };
  if (drift?.share.n === 0n) impossible('drift', 'A drift of 0% lets nothing change.');
  const cooldownDays = readDays(written.cooldown);
  const minimum = checkMinimum(written.minimum ?? {}, (name) => places.keySpanOf(['limits', 'minimum', name]), scope);
  return {
    limits: { floor, ceiling, step, cooldownDays, drift, minimum: minimum.minimum },
    diagnostics: [...diagnostics, ...minimum.diagnostics],
    amounts: [
      ...(floor === undefined ? [] : [at('floor')]),
      ...(ceiling === undefined ? [] : [at('ceiling')]),
      ...minimum.amounts,
    ],
    usesOwnDays: minimum.usesOwnDays,
  };
}

function checkMinimum(
  written: Readonly<Record<string, Rational | undefined>>,
  keySpan: (name: string) => Span,
  scope: Scope | undefined,
): Pick<LimitsCheck, 'diagnostics' | 'amounts' | 'usesOwnDays'> & Pick<Limits, 'minimum'> {
  if (!scope) return { minimum: [], diagnostics: [], amounts: [], usesOwnDays: false };
  const checking = beginChecking(scope, '');
  const minimum: Limits['minimum'][number][] = [];
  for (const [name, least] of Object.entries(written)) {
    const span = keySpan(name);
    const before = checking.diagnostics.length;
    const { value, type } = checkName(checking, name, span, undefined);
    if (value && value.kind !== 'metric') {
      const message = `"${name}" is no metric, expected one that is added up, such as clicks.`;
      refuse(checking, 'OPERATOR_FIELD_MISMATCH', span, message, 'Compare it in "when".');
    }
    if (!value || least === undefined || checking.diagnostics.length > before) continue;
    if (type.kind === 'number' && type.moneyPower !== 0 && least.n !== 0n) checking.amounts.push(span);
    minimum.push({ name, value, least });
  }
  const { diagnostics, amounts, ownDaysUsed } = checking;
  return { minimum, diagnostics, amounts, usesOwnDays: ownDaysUsed > 0 };
}
