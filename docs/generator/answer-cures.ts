import type { Cure } from './change-cures.ts';

/** The status words of the advertising interface; where the program itself names a next step, that stands in its place. */
export const STATUS_CURES: Readonly<Record<string, Cure>> = {
  INVALID_ARGUMENT: [
    'A part of the request is not what the service expects.',
    'The lines below name the part. Of a query: `pacekeeper check --online` asks again without reading.',
  ],
  UNAUTHENTICATED: ['The credentials are not accepted.', ''],
  PERMISSION_DENIED: ['The credentials are accepted and may not see this account.', ''],
  NOT_FOUND: ['The address, or what it names, is not there.', 'Check ADS_URL, ADS_VERSION and the customer ids.'],
  FAILED_PRECONDITION: [
    'The state of the account does not allow it.',
    'The lines below say what; look at the account.',
  ],
  RESOURCE_EXHAUSTED: ['Too many requests, or the quota of the day is used up.', ''],
  ABORTED: ['Two requests met at the same place.', 'Nothing: it is tried again.'],
  INTERNAL: ['The service failed.', 'Nothing: it is tried again; later, if it stays.'],
  UNAVAILABLE: ['The service is away for now.', 'Nothing: it is tried again; later, if it stays.'],
  DEADLINE_EXCEEDED: ['The service took too long.', 'Nothing: the days are asked for again in halves.'],
  UNIMPLEMENTED: ['The service has no such operation.', 'Check ADS_VERSION, and `ads.stream_path` for reading.'],
};

/** The errors inside an answer that people meet most, by the names that stand in brackets in the report. */
export const ADS_ERROR_CURES: Readonly<Record<string, Cure>> = {
  'authenticationError.OAUTH_TOKEN_EXPIRED': [
    'A ready access token lives for an hour.',
    'Set ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN instead of ADS_ACCESS_TOKEN.',
  ],
  'authenticationError.NOT_ADS_USER': [
    'The login that the refresh token stands for has no advertising account.',
    'Issue a refresh token with the login that has.',
  ],
  'authorizationError.USER_PERMISSION_DENIED': [
    'The login may not see the account this way.',
    'Set ADS_LOGIN_CUSTOMER_ID to the manager that the account stands below, or leave it out to let it be found.',
  ],
  'authorizationError.CUSTOMER_NOT_ENABLED': [
    'The account is suspended, cancelled or not set up yet.',
    'Nothing: it is left out and named in the report. Remove it from `ads.exclude_customer_ids`: what is excluded must be readable.',
  ],
  'authorizationError.DEVELOPER_TOKEN_NOT_APPROVED': [
    'The developer token may be used with test accounts only.',
    'Apply for access in the manager account that owns the token.',
  ],
  'authorizationError.DEVELOPER_TOKEN_PROHIBITED': [
    'The developer token belongs to another cloud project than the client.',
    'Use the client id of the project that the token was first used with.',
  ],
  'quotaError.RESOURCE_EXHAUSTED': [
    'The quota of the day is used up.',
    'Run again tomorrow: what was not read stays planned. `extract.operations_per_day` keeps a reserve.',
  ],
  'quotaError.RESOURCE_TEMPORARILY_EXHAUSTED': [
    'Too many requests at once.',
    'Nothing: it waits as long as it is told. Lower `extract.concurrency` if it comes often.',
  ],
  'campaignBudgetError.NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT': [
    'The service takes coarser steps for this currency than its smallest unit.',
    'Set the amount with `set budget to` in whole units; nothing was changed.',
  ],
  'internalError.INTERNAL_ERROR': [
    'The service failed, perhaps after the work was done.',
    'Nothing: of a change, the outcome is unknown until it was read back.',
  ],
};

/** Our own words for answers that are not what they should be. */
export const ANSWER_CURES = {
  HTML: [
    'A page came where data was expected.',
    'Something between here and the service answered: a login page of a network, a proxy, a wrong address.',
  ],
  MALFORMED: [
    'The answer is not of the shape that was expected.',
    'Check the address and the version in the settings.',
  ],
  TRUNCATED: ['The stream ended before its last character.', 'Nothing: the days are asked for again in halves.'],
  TOO_LARGE: [
    'An answer, or a row of it, is larger than any real one. Days are asked for in halves before that is said.',
    'Check the address in the settings. In your own query, select fewer fields or rows.',
  ],
  WRONG_ANSWER: [
    'An answer does not fit its request, so it proves nothing.',
    'Of a change: it is read back by the next run. If it comes often, look at proxies that alter answers.',
  ],
  PARTIAL_FAILURE: ['One change of a batch was refused, the others were made.', 'The lines below name the reason.'],
  NO_ANSWER: [
    'A change was sent and nothing is known of it.',
    'Nothing: the budget stays blocked until it was read back. `pacekeeper budgets reconcile` does it at once.',
  ],
  MIDNIGHT: ["The account's day ended while it was read.", 'Nothing: it is read again.'],
  STOPPED: ['The run was asked to end while it waited for an answer.', 'Nothing: what was not read stays planned.'],
  ROWS_CAME_TWICE: ['A row came in two parts of one answer.', 'Nothing: the days are read again, whole.'],
  RESOURCE_NAME_ONLY: ['A word of the request, no error.', 'Nothing.'],
  RESOURCE_TEMPORARILY_EXHAUSTED: ['Too many requests at once.', 'Nothing: it waits as long as it is told.'],
  TRANSIENT_ERROR: ['Passes by itself.', 'Nothing: it is tried again.'],
  INTERNAL_ERROR: ['The service failed.', 'Nothing: it is tried again.'],
  CONCURRENT_MODIFICATION: ['Two requests changed the same thing.', 'Nothing: it is tried again.'],
  TOKEN_ENDPOINT: [
    'The endpoint that issues access tokens failed.',
    'Check `ads.token_url` if it stays; nothing was sent to the advertising interface.',
  ],
  PROXY_REFUSED: [
    'The proxy did not let the request through.',
    'HTTP 407: it wants `http://user:password@host:port` in HTTPS_PROXY. Otherwise ask who runs it, or use NO_PROXY.',
  ],
  QUERY_ERROR: ['`check --online`: the service refuses the query.', 'Its own words stand beside the place.'],
  NOT_ENABLED: ['The account is not in use.', 'Nothing: it is left out and named.'],
  MEDIA_REFUSED: [
    'The channel does not take this medium.',
    'Send another type or size, or set `messages.media: link` to write the address into the text.',
  ],
  MEDIA_UNREACHABLE: ['The media address does not answer.', 'Providers fetch it from outside: try it from elsewhere.'],
  TOO_MANY_PAGES: [
    "The list of messages is too long to look for one's own.",
    'Nothing: pacekeeper uses the next channel.',
  ],
  FOREIGN_PAGE: [
    'The list of messages leads to another host.',
    'Check MESSAGES_URL: credentials are not sent to hosts that the settings do not name.',
  ],
  HIDDEN_TEXTS: [
    'The provider lists messages without their texts.',
    'Nothing is found by its reference: pacekeeper uses the next channel.',
  ],
  UNUSABLE_ADDRESS: ['The address of a recipient cannot be written to.', 'Correct it under `alerts.recipients`.'],
  NO_SENDER: [
    'It is not known which number sends.',
    'Set GRAPH_PHONE_NUMBER_ID; `pacekeeper graph phone-numbers` lists them.',
  ],
  NOT_REVOKED: ['The permission is still there.', 'Try again, or revoke it in the settings of the account.'],
} as const satisfies Readonly<Record<string, Cure>>;

/** What to do about a connection that failed, by the codes of Node and undici. */
export const TRANSPORT_CURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Check the address and the port in the settings, or start what listens there.',
  ENOTFOUND: 'Check the host in the settings, and the name server of this machine.',
  EAI_AGAIN: "Check this machine's network and name server; it is tried again.",
  ECONNRESET: 'Nothing: it is tried again. If it stays, look at firewalls and proxies.',
  UND_ERR_SOCKET: 'As above.',
  UND_ERR_CONNECT_TIMEOUT: 'Check firewalls and HTTPS_PROXY; `ads.timeouts.connect_ms` waits longer.',
  UND_ERR_HEADERS_TIMEOUT: 'Nothing: it is tried again. `ads.timeouts.headers_ms` waits longer.',
  UND_ERR_BODY_TIMEOUT: 'Nothing: the days are asked for again in halves. `ads.timeouts.body_idle_ms` waits longer.',
  BODY_TOO_SLOW: 'Nothing: it is asked for again. `ads.timeouts.body_idle_ms` waits longer.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'Look at proxies that alter answers.',
  HPE_INVALID: 'If it stays, look whether the address in the settings is that of the service, and at proxies.',
  Z_BUF_ERROR: 'Nothing: it is tried again.',
  Z_DATA_ERROR: 'Look at proxies that alter answers.',
};
