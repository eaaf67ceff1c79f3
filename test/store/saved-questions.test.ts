import { expect, it } from 'vitest';
import {
  deleteQuestion,
  QUESTIONS_MAX,
  renameQuestion,
  savedQuestion,
  savedQuestions,
  saveQuestion,
} from '../../src/storage/records/saved-question-table.ts';
import { HOSTILE } from '../support/hostile-state.ts';
import { freshStore, NOW_MS } from '../support/state.ts';

const NEW = { name: HOSTILE, sentence: 'Which?', query: 'SELECT 1', chart: '', savedBy: 'anna' };
const SAVED_AT = '2026-11-20T12:00:00Z';

it('a question is kept once under a name, and never replaced', async () => {
  const { db } = await freshStore();
  const saved = await saveQuestion(db, NEW, NOW_MS);
  expect(saved).toMatchObject({ kind: 'kept' });
  expect(await saveQuestion(db, { ...NEW, query: 'SELECT 2', savedBy: 'bob' }, NOW_MS)).toEqual({ kind: 'taken' });
  expect(await savedQuestions(db)).toMatchObject([{ ...NEW, savedAt: SAVED_AT, renamedBy: undefined }]);
});

it('two people who save one name at the same time keep one question', async () => {
  const { db } = await freshStore();
  const both = await Promise.all(['anna', 'bob'].map((savedBy) => saveQuestion(db, { ...NEW, savedBy }, NOW_MS)));
  expect(both.map(({ kind }) => kind).toSorted()).toEqual(['kept', 'taken']);
  expect(await savedQuestions(db)).toHaveLength(1);
});

it('its author and those who may change all rename it, with a record of who', async () => {
  const { db } = await freshStore();
  await saveQuestion(db, NEW, NOW_MS);
  await saveQuestion(db, { ...NEW, name: 'Other' }, NOW_MS);
  const { id = '0' } = (await savedQuestions(db)).find(({ name }) => name === 'Other') ?? {};
  const named = { name: 'New', sentence: 'Now?' };
  expect(await renameQuestion(db, { id, by: 'bob', mayAll: false }, named, NOW_MS)).toEqual({ kind: 'gone' });
  expect(await renameQuestion(db, { id, by: 'anna', mayAll: false }, { ...named, name: HOSTILE }, NOW_MS)).toEqual({
    kind: 'taken',
  });
  expect(await savedQuestion(db, id)).toMatchObject({ name: 'Other', renamedBy: undefined });
  expect(await renameQuestion(db, { id, by: 'bob', mayAll: true }, named, NOW_MS)).toEqual({ kind: 'kept', id });
  expect(await savedQuestion(db, id)).toMatchObject({
    ...named,
    savedBy: 'anna',
    renamedBy: 'bob',
    renamedAt: SAVED_AT,
  });
});

it('only its author and those who may change all delete it', async () => {
  const { db } = await freshStore();
  await saveQuestion(db, NEW, NOW_MS);
  const [{ id } = { id: '0' }] = await savedQuestions(db);
  expect(await deleteQuestion(db, { id, by: 'bob', mayAll: false })).toEqual({ kind: 'gone' });
  expect(await savedQuestions(db)).toHaveLength(1);
  expect(await deleteQuestion(db, { id, by: 'anna', mayAll: false })).toEqual({ kind: 'kept', id });
  expect(await deleteQuestion(db, { id, by: 'anna', mayAll: true })).toEqual({ kind: 'gone' });
  expect(await savedQuestion(db, id)).toBeUndefined();
});

it(`no more than ${QUESTIONS_MAX} questions are kept`, async () => {
  const { db } = await freshStore();
  const row = { ...NEW, savedAt: SAVED_AT };
  const rows = Array.from({ length: QUESTIONS_MAX }, (_, index) => ({ ...row, name: `Question ${index}` }));
  for (let at = 0; at < rows.length; at += 50)
    await db
      .insertInto('savedQuestion')
      .values(rows.slice(at, at + 50))
      .execute();
  expect(await saveQuestion(db, NEW, NOW_MS)).toEqual({ kind: 'full' });
  expect(await savedQuestions(db)).toHaveLength(QUESTIONS_MAX);
});
