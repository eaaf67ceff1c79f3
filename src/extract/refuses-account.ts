import type { ApiError } from '../domain/errors.ts';

/**
 * What the service says of the account, the credentials or the developer token, whatever is asked. Its other refusals,
 * such as METRIC_ACCESS_DENIED, are of the query alone. Names of `AuthorizationErrorEnum` and `AuthenticationErrorEnum`.
 */
const OF_THE_ACCOUNT =
  /^(authenticationError\.\w+|authorizationError\.(USER_PERMISSION_DENIED|CUSTOMER_NOT_ENABLED|DEVELOPER_TOKEN_\w+|NOT_ADS_USER|PROJECT_DISABLED|MISSING_TOS|INCOMPLETE_SIGNUP|CLOUD_PROJECT_NOT_UNDER_ORGANIZATION|ORGANIZATION_NOT_\w+))$/;

/** Whether the refusal is of the account itself, so that its other queries would be refused too. */
export function refusesAccount({ httpStatus, details }: ApiError): boolean {
  if (httpStatus === 401) return true;
  if (httpStatus !== 403) return false;
  const codes = details.flatMap(({ code }) => code ?? []);
  // One that does not say what it is about may be about all.
  return codes.length === 0 || codes.some((code) => OF_THE_ACCOUNT.test(code));
}
