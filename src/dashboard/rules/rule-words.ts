import { renderDiagnostic } from '../../domain/diagnostic.ts';
import type { FileFindings } from '../../engine/load-inputs.ts';
import type { RuleResult } from '../../language/results/report-result.ts';
import type { RuleDescription } from '../../language/rules/file/describe-rule.ts';
import { type Html, html } from '../../views/html/html.ts';
import { badge, emptyState, instant } from '../../views/html/parts.ts';
import { counted } from '../../views/html/wording.ts';
import type { Problem } from './judge-rules.ts';
import type { RuleRecord } from './rule-records.ts';

const MODES = { propose: 'suggests', approve: 'asks', apply: 'changes' } as const;

/** Such as "asks", with "file: apply" if the settings have a stricter mode. */
export function modeBadge({ change, mode, effectiveMode }: RuleDescription): Html {
  if (change === undefined) return badge(['alerts', 'plain']);
  const cap = mode !== effectiveMode && html` <span class="note">file: ${mode}</span>`;
  return html`${badge([MODES[effectiveMode], effectiveMode === 'propose' ? 'plain' : 'acts'])}${cap}`;
}

/** Without a run, rules have no data. A change or an undo after the report counts in the guards. */
export function verdictsNote(reportAt: string | undefined): Html {
  return html`Verdicts of now, on the data of the last report, ${instant(reportAt)}. Later changes and undos count.`;
}

const NOUNS: Readonly<Record<string, string>> = { ad_group: 'ad group' };

/** Such as "11 campaigns". */
export function subjectsText(count: number, kind: string): string {
  return counted(count, NOUNS[kind] ?? kind);
}

const FILES_MAX = 10;

/** The text of `pacekeeper check`, for files with an error. */
export function brokenFiles(findings: readonly FileFindings[]): Html | undefined {
  const broken = findings.flatMap(({ file, source, diagnostics }) => {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    return errors.length === 0 ? [] : [errors.map((one) => renderDiagnostic(file, source, one)).join('\n')];
  });
  if (broken.length === 0) return undefined;
  const rest = broken.length - FILES_MAX;
  return html`<section class="notice serious"><h2>${counted(broken.length, 'file')} with errors</h2>
<p>The next report refuses to start. Correct the files, then run <code>pacekeeper check</code>.</p>
${broken.slice(0, FILES_MAX).map((text) => html`<pre class="output" tabindex="0">${text}</pre>\n`)}${rest > 0 && html`<p class="note">And ${counted(rest, 'more file')}.</p>`}</section>`;
}

const NOTES_MAX = 5;

export function notesOf(notes: readonly string[]): Html {
  const rest = notes.length - NOTES_MAX;
  return html`${notes.slice(0, NOTES_MAX).map((note) => html`<p class="note">${note}</p>`)}${rest > 0 && html`<p class="note">And ${rest} more.</p>`}`;
}

export function inputProblem({ message, nextStep }: Problem): Html {
  return emptyState(message, nextStep);
}

export interface Counts {
  readonly subjects: number;
  readonly fired: number;
  readonly unknown: number;
  /** The number of accounts in which it was not evaluated, and why. Another currency is no reason. */
  readonly notIn: number;
  readonly reasons: readonly string[];
}

export function countsOf(results: readonly RuleResult[]): Counts {
  const sum = (key: 'subjects' | 'fired' | 'unknown') => results.reduce((all, one) => all + one[key], 0);
  const reasons = results.flatMap(({ notEvaluated, isOfOtherCurrency }) =>
    notEvaluated === undefined || isOfOtherCurrency ? [] : [notEvaluated],
  );
  return {
    subjects: sum('subjects'),
    fired: sum('fired'),
    unknown: sum('unknown'),
    notIn: reasons.length,
    reasons: [...new Set(reasons)],
  };
}

export function timesOf(refusals: RuleRecord['refusals']): number {
  return refusals.reduce((sum, { times }) => sum + Number(times), 0);
}
