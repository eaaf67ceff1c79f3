import { describe, expect, it } from 'vitest';
import { ApiError, explainFailure, InputError, InvariantError, unreachable } from '../../src/domain/errors.ts';

describe('errors', () => {
  it('keep their cause and say what to do next', () => {
    const cause = new Error('ENOENT');
    const error = new InputError('The file cannot be read.', { nextStep: 'Name another one.', cause });
    expect(error).toMatchObject({ name: 'InputError', nextStep: 'Name another one.', cause, findings: [] });
    expect(new InputError('Wrong.').nextStep).toBeUndefined();
  });

  it('B12: of an interface have one form for every answer', () => {
    const error = new ApiError('No answer.', { status: 'ECONNRESET', outcome: 'unknown', transient: true });
    expect(error).toMatchObject({ name: 'ApiError', status: 'ECONNRESET', outcome: 'unknown', transient: true });
    expect(error.details).toEqual([]);
    expect(error.httpStatus).toBeUndefined();
  });

  it.each([
    ['Not allowed', undefined, 'Ask for it.', 'Not allowed. Ask for it.'],
    ['Not allowed.', undefined, 'Ask for it.', 'Not allowed. Ask for it.'],
    ['Not allowed', 'R1', 'Ask for it.', 'Not allowed. (request R1) Ask for it.'],
    ['Not allowed', 'R1', undefined, 'Not allowed (request R1)'],
  ])('join the failure and the next step with one full stop: %s', (message, requestId, nextStep, told) => {
    const fields = { status: 'X', outcome: 'unknown', transient: false } as const;
    expect(explainFailure(new ApiError(message, { ...fields, requestId, nextStep }))).toBe(told);
  });

  it('report an unexpected case as a bug', () => {
    expect(() => unreachable({ kind: 'forged' } as never)).toThrow(
      new InvariantError('Unexpected case: {"kind":"forged"}'),
    );
  });
});
