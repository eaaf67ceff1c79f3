import type { Settings } from '../../config/settings.ts';
import type { Clock } from '../../domain/ports.ts';
import { writeBeside } from '../../engine/folder/write-beside.ts';
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

export function keepQuestion(deps: KeepDeps, order: QuestionOrder): Promise<KeptQuestion> {
  return writeBeside(deps, (db) => {
    const nowMs = deps.clock.now();
    switch (order.act) {
      case 'save_question':
        return saveQuestion(db, order.question, nowMs);
      case 'rename_question':
        return renameQuestion(db, order.changing, order, nowMs);
      case 'delete_question':
        return deleteQuestion(db, order.changing);
    }
  });
}
