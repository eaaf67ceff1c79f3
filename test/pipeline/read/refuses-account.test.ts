import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/domain/errors.ts';
import { refusesAccount } from '../../../src/engine/read/extract-accounts.ts';

const refusal = (httpStatus: number, ...codes: readonly string[]) =>
  new ApiError('No.', {
    httpStatus,
    status: 'PERMISSION_DENIED',
    outcome: 'not_processed',
    transient: false,
    details: codes.map((code) => ({ message: 'No.', code })),
  });

describe('a refusal', () => {
  it.each<[sentence: string, error: ApiError, ofAccount: boolean]>([
    ['of the credentials', refusal(401), true],
    ['without details', refusal(403), true],
    ['of the account', refusal(403, 'authorizationError.USER_PERMISSION_DENIED'), true],
    ['of an account that is not in use', refusal(403, 'authorizationError.CUSTOMER_NOT_ENABLED'), true],
    ['of the developer token', refusal(403, 'authorizationError.DEVELOPER_TOKEN_NOT_APPROVED'), true],
    [
      'of a cloud project with test access',
      refusal(403, 'authorizationError.CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION'),
      true,
    ],
    ['of a user without an account', refusal(403, 'authenticationError.NOT_ADS_USER'), true],
    ['of one field among several', refusal(403, 'authorizationError.METRIC_ACCESS_DENIED'), false],
    ['of an action', refusal(403, 'authorizationError.ACTION_NOT_PERMITTED'), false],
    ['of a query and the account', refusal(403, 'queryError.X', 'authorizationError.CUSTOMER_NOT_ENABLED'), true],
    ['of a query', refusal(400, 'queryError.UNRECOGNIZED_FIELD'), false],
  ])('%s is judged by its details', (_sentence, error, ofAccount) => {
    expect(refusesAccount(error)).toBe(ofAccount);
  });
});
