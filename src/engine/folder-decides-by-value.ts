import type { Settings } from '../config/settings.ts';
import { InputError } from '../domain/errors.ts';
import { decidesByValue } from '../language/rules/evaluate/plan-rule.ts';
import { keptInputs } from './kept-inputs.ts';
import { allRules } from './load-inputs.ts';

/** True if a rule or target of the folder decides by conversion values. A file with an error decides nothing. */
export async function folderDecidesByValue(settings: Settings, nowMs: number): Promise<boolean> {
  try {
    const { inputs } = await keptInputs(settings, nowMs);
    return allRules(inputs).some(decidesByValue);
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}
