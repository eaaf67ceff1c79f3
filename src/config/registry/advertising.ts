import type { SettingSection } from './setting.ts';

export const ADVERTISING: SettingSection = {
  title: 'The advertising interface',
  areas: ['ads'],
  before: ['Absent as a whole it is allowed, and the report says that nothing was read.'],
  live: true,
  settings: [
    {
      path: 'ads.url',
      env: ['ADS_URL'],
      default: 'none',
      value: 'address',
      meaning: 'Address without a version; https, or http on this machine',
    },
    {
      path: 'ads.version',
      env: ['ADS_VERSION'],
      default: '`v25`',
      value: 'shown',
      meaning: 'Path segment after the address',
    },
    {
      path: 'ads.catalogue',
      default: '`v25`',
      value: 'shown',
      bothTargets: true,
      meaning:
        "What query files are checked against: `v25`, every field of the public interface's newest version, or `spec`, the specification's table alone. It holds for the sandbox, too.",
    },
    {
      path: 'ads.access_token',
      env: ['ADS_ACCESS_TOKEN'],
      default: 'none',
      value: 'secret',
      meaning: 'A ready OAuth 2.0 access token, or the three below',
    },
    {
      path: 'ads.client_id',
      env: ['ADS_CLIENT_ID'],
      default: 'none',
      value: 'text',
      meaning: 'Together with secret and refresh token, exchanged for access tokens',
    },
    {
      path: 'ads.client_secret',
      env: ['ADS_CLIENT_SECRET'],
      default: 'none',
      value: 'secret',
      meaning: '',
    },
    {
      path: 'ads.refresh_token',
      env: ['ADS_REFRESH_TOKEN'],
      default: 'none',
      value: 'secret',
      meaning: '',
    },
    {
      path: 'ads.token_url',
      env: ['ADS_TOKEN_URL'],
      default: '`https://oauth2.googleapis.com/token`',
      value: 'address',
      meaning: 'Where they are exchanged',
    },
    {
      path: 'ads.developer_token',
      env: ['ADS_DEVELOPER_TOKEN'],
      default: 'none',
      value: 'secret',
      meaning: 'Sent as `developer-token` when set',
    },
    {
      path: 'ads.login_customer_id',
      env: ['ADS_LOGIN_CUSTOMER_ID'],
      default: 'found out',
      value: 'shown',
      meaning:
        'The manager account acted through. Without it every account is reached directly where that is possible, and through the manager it was found below otherwise.',
    },
    {
      path: 'ads.customer_ids',
      env: ['ADS_CUSTOMER_IDS'],
      default: 'the login customer’s tree, or all accessible',
      value: 'shown',
      meaning:
        'The accounts to work on, and managers, which stand for every account below them; comma-separated in the environment',
    },
    {
      path: 'ads.exclude_customer_ids',
      env: ['ADS_EXCLUDE_CUSTOMER_IDS'],
      default: 'none',
      value: 'shown',
      meaning:
        'Accounts to leave alone, and managers, which stand for everything below them, whichever way it is reached. Nothing is read or changed while one of these cannot be read.',
    },
    {
      path: 'ads.stream_path',
      env: ['ADS_STREAM_PATH'],
      default: '`googleAds:searchStream`',
      value: 'shown',
      meaning: "The streaming operation after the customer's path",
    },
    {
      path: 'ads.retry.attempts',
      default: '4',
      value: 'shown',
      bothTargets: true,
      meaning:
        'Tries in all. Where no `retry` of an area is set, the commands that a person waits for (`accounts`, `ideas`, `graph`, `container`) try three times, with pauses of 1 and 2 seconds',
    },
    {
      path: 'ads.retry.first_delay_ms',
      default: '5000',
      value: 'shown',
      bothTargets: true,
      meaning: 'Pause after the first failure; each further pause is twice as long',
    },
    {
      path: 'ads.retry.total_ms',
      default: '120000',
      value: 'shown',
      bothTargets: true,
      meaning: 'Bound on tries and pauses together; no single wait for an answer is longer either',
    },
    {
      path: 'ads.timeouts.connect_ms',
      default: '10000',
      value: 'shown',
      bothTargets: true,
      meaning:
        'How long a connection may take, a proxy’s tunnel included; like the next two never longer than `ads.retry.total_ms`',
    },
    {
      path: 'ads.timeouts.headers_ms',
      default: '120000',
      value: 'shown',
      bothTargets: true,
      meaning: 'How long the service may think before it answers',
    },
    {
      path: 'ads.timeouts.body_idle_ms',
      default: '60000',
      value: 'shown',
      bothTargets: true,
      meaning: 'How long an answer may stand still',
    },
  ],
};
