import type { Diagnostic } from '../domain/diagnostic.ts';
import type { YamlPlaces } from '../yaml/read-yaml.ts';
import type { CheckedParts } from './check-parts.ts';
import { readsToday } from './collect-values.ts';

/** What must last is a condition, and of days that are over: yesterday's evening is not kept to be compared with this morning. */
export function checkLasting(parts: CheckedParts, places: YamlPlaces): Diagnostic[] {
  if (!places.has(['lasting'])) return [];
  const found = { severity: 'error', span: places.keySpanOf(['lasting']) } as const;
  if (!places.has(['when'])) {
    return [
      {
        ...{ code: 'MISSING_KEY', ...found },
        message: 'The rule says how long its condition must last, and has none.',
        hint: 'Add when: clicks >= 30, or take "lasting" away.',
      },
    ];
  }
  if (!readsToday({ ...parts, alert: { text: parts.alert } })) return [];
  return [
    {
      ...{ code: 'WINDOW_NOT_SETTLED', ...found },
      message: 'Today is not over, and a condition lasts over days that are.',
      hint: 'Look at days that are over, on yesterday, or take "lasting" away.',
    },
  ];
}
