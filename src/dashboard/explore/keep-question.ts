import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { engineOf, refuseForgotten } from '../../engine/folder/engine.ts';
import {
  type Changing,
  deleteQuestion,
  type KeptQuestion,
  type NewQuestion,
  renameQuestion,
  type SavedQuestion,
  saveQuestion,
} from '../../storage/records/saved-question-table.ts';

export type QuestionOrder =
  | { readonly act: 'save_question'; readonly question: NewQuestion }
  | ({ readonly act: 'rename_question'; readonly changing: Changing } & Pick<SavedQuestion, 'name' | 'sentence'>)
  | { readonly act: 'delete_question'; readonly changing: Changing };

interface KeepDeps {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** A page waits for another writer no longer. */
const WAIT_MS = 3000;

/** Writes to the records, beside a run. It changes no budget, so a freeze does not stop it. */
export async function keepQuestion({ settings, clock }: KeepDeps, order: QuestionOrder): Promise<KeptQuestion> {
  const engine = await engineOf(settings);
  await refuseForgotten(engine);
  if (engine.isSealed()) throw new InputError('This data folder can only be read.');
  const state = await engine.open({ waitMs: WAIT_MS, nowMs: clock.now() });
  try {
    switch (order.act) {
      case 'save_question':
        return await saveQuestion(state.db, order.question, clock.now());
      case 'rename_question':
        return await renameQuestion(state.db, order.changing, order, clock.now());
      case 'delete_question':
        return await deleteQuestion(state.db, order.changing);
    }
  } finally {
    await state.close();
  }
}
