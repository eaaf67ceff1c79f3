import type { Settings } from '../config/settings.ts';
import { InputError } from '../domain/errors.ts';
import { tablesOfRule } from '../language/rules/rule.ts';
import type { Model } from '../storage/warehouse/models/model.ts';
import type { Named, Reader } from '../storage/warehouse/publish/lineage.ts';
import { type Inputs, inputsNow } from './load-inputs.ts';

type ReadingFiles = Pick<Inputs, 'models' | 'tests' | 'rules' | 'targets'>;

/** All files that read tables. */
export function readersOf({ models, tests, rules, targets }: ReadingFiles): readonly Reader[] {
  const reader = (kind: Reader['kind'], name: string, reads: readonly string[]) => ({ kind, name, reads });
  return [
    ...models.map((model) =>
      reader(
        'model',
        model.name,
        readByModel(model).map(({ name }) => name),
      ),
    ),
    ...tests.map((test) =>
      reader(
        'test',
        `${test.table} ${test.name}`,
        readByModel(test.model).map(({ name }) => name),
      ),
    ),
    ...rules.map((rule) => reader('rule', rule.name, tablesOfRule(rule))),
    ...targets.map((target) => reader('target', target.name, [...target.rules.values()].flatMap(tablesOfRule))),
  ];
}

export function readByModel({ tables, models }: Pick<Model, 'tables' | 'models'>): readonly Named[] {
  return [
    ...tables.map(({ name }) => ({ kind: 'query' as const, name })),
    ...models.map(({ name }) => ({ kind: 'model' as const, name })),
  ];
}

/** Without rules and targets that have errors. A publication needs no files, so their folders can be missing. */
export async function readersNow(
  settings: Settings,
  nowMs: number,
  models: readonly Model[],
): Promise<readonly Reader[]> {
  try {
    return readersOf({ ...(await inputsNow(settings, nowMs)), models });
  } catch (error) {
    if (error instanceof InputError) return readersOf({ models, tests: [], rules: [], targets: [] });
    throw error;
  }
}
