import { BLOCKED_UNTIL_READ, type Cure } from './change-cures.ts';

const RETRIED: Cure = ['A temporary failure.', 'Nothing. pacekeeper retries.'];
const FEWER_DAYS: Cure = ['The answer was late or incomplete.', 'Nothing. pacekeeper asks for fewer days at a time.'];
const READ_BELOW = 'Read the lines below the error.';
const [NO_ANSWER, READ_BACK] = BLOCKED_UNTIL_READ;
const THROTTLED: Cure = [
  'Too many requests at once.',
  'Nothing. pacekeeper waits. If this happens often, lower `extract.concurrency`.',
];
const SKIPPED =
  'Nothing. The report skips the account. If `ads.exclude_customer_ids` names the account, remove it there.';

/** Statuses of the advertising interface. A next step of the program replaces an empty cure. */
export const STATUS_CURES: Readonly<Record<string, Cure>> = {
  INVALID_ARGUMENT: [
    'The service refuses a part of the request.',
    'Read the lines below the error. For a query, run `pacekeeper check --online`.',
  ],
  UNAUTHENTICATED: ['Invalid credentials.', ''],
  PERMISSION_DENIED: ['The credentials may not see this account.', ''],
  NOT_FOUND: ['The address or the account does not exist.', 'Check ADS_URL, ADS_VERSION and the customer ids.'],
  FAILED_PRECONDITION: ['The state of the account does not allow the request.', READ_BELOW],
  RESOURCE_EXHAUSTED: ['Too many requests, or the daily quota is used up.', ''],
  ABORTED: RETRIED,
  INTERNAL: RETRIED,
  UNAVAILABLE: RETRIED,
  DEADLINE_EXCEEDED: FEWER_DAYS,
  UNIMPLEMENTED: ['The service has no such operation.', 'Check ADS_VERSION and, for reading, `ads.stream_path`.'],
};

/** The most frequent errors in brackets. */
export const ADS_ERROR_CURES: Readonly<Record<string, Cure>> = {
  'authenticationError.OAUTH_TOKEN_EXPIRED': [
    'An access token lasts an hour.',
    'Set ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN instead of ADS_ACCESS_TOKEN.',
  ],
  'authenticationError.NOT_ADS_USER': [
    'The login of the refresh token has no advertising account.',
    'Issue a refresh token with a login that has one.',
  ],
  'authorizationError.USER_PERMISSION_DENIED': [
    'The login may not see the account.',
    'Set ADS_LOGIN_CUSTOMER_ID to the manager above the account, or unset it.',
  ],
  'authorizationError.CUSTOMER_NOT_ENABLED': ['The account is suspended, cancelled or not set up yet.', SKIPPED],
  'authorizationError.CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION': [
    'The cloud project has test access, which reaches test accounts only.',
    '',
  ],
  'requestError.UNSUPPORTED_VERSION': ['The service no longer offers this version.', ''],
  'authorizationError.DEVELOPER_TOKEN_NOT_APPROVED': [
    'The developer token works with test accounts only.',
    'Remove ADS_DEVELOPER_TOKEN. Access levels belong to the cloud project.',
  ],
  'authorizationError.DEVELOPER_TOKEN_PROHIBITED': [
    'The developer token and the client belong to different cloud projects.',
    'Remove ADS_DEVELOPER_TOKEN, or use the client id of the project that first used the token.',
  ],
  'quotaError.RESOURCE_EXHAUSTED': [
    'The daily quota is used up.',
    'Run again tomorrow. `pacekeeper doctor` compares the schedule with `ads.access`.',
  ],
  'quotaError.RESOURCE_TEMPORARILY_EXHAUSTED': THROTTLED,
  'campaignBudgetError.NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT': [
    'The amount is finer than the smallest step of the service.',
    'Set `accounts.<customer_id>.budget_unit`, for example to `1` for whole units.',
  ],
  'internalError.INTERNAL_ERROR': ['The service failed. A change may have been made.', READ_BACK],
};

/** Our own codes for answers of the advertising interface. */
export const ANSWER_CURES = {
  EMPTY: ['The answer is empty.', 'Check the address, the version and your proxies.'],
  HTML: ['The answer is a web page instead of data.', 'Check for a login page, a proxy or a wrong address.'],
  MALFORMED: ['The answer has the wrong form.', 'Check the address and the version in the settings.'],
  TRUNCATED: FEWER_DAYS,
  TOO_LARGE: [
    'An answer or a row is too large, even for fewer days.',
    'Select fewer fields or rows, and check the address.',
  ],
  WRONG_ANSWER: ['The answer does not fit its request.', 'If this happens often, check proxies that alter answers.'],
  PARTIAL_FAILURE: ['The service refused one change of a batch and made the others.', READ_BELOW],
  NO_ANSWER: [NO_ANSWER, READ_BACK],
  MIDNIGHT: RETRIED,
  STOPPED: ['The run was stopped while it waited.', 'Nothing. The next run reads the missing days.'],
  SAME_KEY: ['Rows of the answer have the same row key.', 'Add a field to SELECT that tells these rows apart.'],
  STORE: RETRIED,
  RESOURCE_TEMPORARILY_EXHAUSTED: THROTTLED,
  TRANSIENT_ERROR: RETRIED,
  INTERNAL_ERROR: RETRIED,
  CONCURRENT_MODIFICATION: RETRIED,
  TOKEN_ENDPOINT: ['The address that issues access tokens failed.', 'If the failure stays, check `ads.token_url`.'],
  PROXY_REFUSED: [
    'The proxy refused the request.',
    'HTTP 407: set HTTPS_PROXY to `http://user:password@host:port`. Other status: add the host to NO_PROXY.',
  ],
  QUERY_ERROR: ['In `check --online`, the service refuses the query.', 'Read the message at the marked place.'],
  NOT_ENABLED: ['The account is not in use.', SKIPPED],
} as const satisfies Readonly<Record<string, Cure>>;

const NEXT_CHANNEL = 'Nothing. The next channel gets the alert.';

/** Our own codes for messages and the interfaces that send them. */
export const MESSAGE_CURES = {
  MEDIA_REFUSED: [
    'The channel does not accept this file.',
    'Send another type or size, or set `messages.media: link`.',
  ],
  MEDIA_UNREACHABLE: [
    'The media address does not answer.',
    'Open it from another network: providers fetch it from outside.',
  ],
  TOO_MANY_PAGES: ["The provider's list of messages is too long to search.", NEXT_CHANNEL],
  FOREIGN_PAGE: [
    'The list of messages leads to another host.',
    'Check MESSAGES_URL: credentials go only to hosts in the settings.',
  ],
  HIDDEN_TEXTS: ['The provider lists messages without their texts, so pacekeeper cannot find its own.', NEXT_CHANNEL],
  UNUSABLE_ADDRESS: ["The recipient's address is invalid.", 'Correct it under `alerts.recipients`.'],
  NO_SENDER: [
    'The sending number is unknown.',
    'Set GRAPH_PHONE_NUMBER_ID. `pacekeeper graph phone-numbers` lists the numbers.',
  ],
  NOT_REVOKED: ['The permission is still there.', "Try again, or revoke it in the account's settings."],
} as const satisfies Readonly<Record<string, Cure>>;

const CHECK_NAME = 'Check the host in the settings, and the network.';
const WAIT_FOR_BODY = 'Nothing, or raise `ads.timeouts.body_idle_ms`.';
const LOOK_BETWEEN = 'Nothing. pacekeeper retries. If the failure stays, check firewalls and proxies.';
const OWN_AUTHORITY = 'Set `tls.ca_file` to a file with the certificate of its authority.';
const ALTERED = 'Check the address in the settings, and proxies that alter answers.';

/** What to do about a failed connection, by the codes of Node and undici. */
export const TRANSPORT_CURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Check the address in the settings, or start the program that listens there.',
  ENOTFOUND: CHECK_NAME,
  EAI_AGAIN: CHECK_NAME,
  ECONNRESET: LOOK_BETWEEN,
  UND_ERR_SOCKET: LOOK_BETWEEN,
  UND_ERR_CONNECT_TIMEOUT: 'Check firewalls and HTTPS_PROXY, or raise `ads.timeouts.connect_ms`.',
  UND_ERR_HEADERS_TIMEOUT: 'Nothing, or raise `ads.timeouts.headers_ms`.',
  UND_ERR_BODY_TIMEOUT: WAIT_FOR_BODY,
  BODY_TOO_SLOW: WAIT_FOR_BODY,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ALTERED,
  HPE_INVALID: ALTERED,
  Z_BUF_ERROR: LOOK_BETWEEN,
  Z_DATA_ERROR: ALTERED,
  DEPTH_ZERO_SELF_SIGNED_CERT: OWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: OWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: OWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: OWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The same. Or let the server send all certificates between its own and the authority.',
};
