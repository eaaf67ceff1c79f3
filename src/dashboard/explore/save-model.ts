import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { instantText } from '../../domain/civil-date.ts';
import { InputError, InvariantError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { inputsNow } from '../../engine/load-inputs.ts';
import { flush, takeName } from '../../storage/files/replace-file.ts';
import { MODEL_NAME } from './explore-text.ts';

export interface ModelOrder {
  readonly name: string;
  readonly sql: string;
  /** The name of the token. */
  readonly by: string;
}

export type SavedModel =
  | { readonly kind: 'saved' }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

interface SaveDeps {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** Checks the model like `pacekeeper check`, then writes `NAME.sql`. Never replaces a file. */
export async function saveModel({ settings, clock }: SaveDeps, { name, sql, by }: ModelOrder): Promise<SavedModel> {
  if (!MODEL_NAME.test(name)) throw new InvariantError('The name of a model can leave its folder.');
  const { models } = settings.paths;
  const text = `-- Saved by ${by} at ${instantText(clock.now())}.\n${sql.trimEnd()}\n`;
  let draft: string | undefined;
  try {
    mkdirSync(models, { recursive: true });
    draft = mkdtempSync(join(models, '.draft-'));
    const path = join(draft, `${name}.sql`);
    writeFileSync(path, text);
    const { findings } = await inputsNow(settings, clock.now(), [path]);
    const found = findings.find((file) => file.path === path)?.diagnostics ?? [];
    const errors = found.filter(({ severity }) => severity === 'error');
    if (errors.length > 0)
      return refused(
        errors.map(({ span: { start }, message, hint = '' }) =>
          // Without the comment that the file begins with.
          `Line ${Math.max(1, start.line - 1)}, column ${start.column}: ${message} ${hint}`.trim(),
        ),
      );
    flush(path);
    const taken = takeName(path, [join(models, `${name}.sql`)]);
    return taken === undefined
      ? refused([`models/${name}.sql exists already. Choose another name.`])
      : { kind: 'saved' };
  } catch (error) {
    if (error instanceof InputError) return refused([error.message, error.nextStep ?? '']);
    const code = (error as NodeJS.ErrnoException).code ?? 'an error';
    return refused([
      `Writing to the folder of models failed: ${code}. Check that the user who runs pacekeeper serve can write there.`,
    ]);
  } finally {
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true });
  }
}

const refused = (problems: readonly string[]): SavedModel => ({ kind: 'refused', problems });
