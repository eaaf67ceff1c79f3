import { ApiError } from '../domain/errors.ts';

export const UNUSABLE_ADDRESS = 'UNUSABLE_ADDRESS';

export function unusableAddress(expected: string): ApiError {
  return new ApiError(`Invalid recipient address: expected ${expected}.`, {
    status: UNUSABLE_ADDRESS,
    outcome: 'not_processed',
    transient: false,
    nextStep: 'Correct it under alerts.recipients.',
  });
}
