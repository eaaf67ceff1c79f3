import type { SettingSection } from './setting.ts';

export const GRAPH: SettingSection = {
  title: 'The messaging interface of the graph',
  areas: ['graph'],
  before: [
    'Absent as a whole it is allowed. Alerts reach a recipient by it when the interface above does not, or is not there.',
  ],
  live: true,
  settings: [
    {
      path: 'graph.url',
      env: ['GRAPH_URL'],
      default: 'none',
      value: 'address',
      meaning: 'Address without a version; https, or http on this machine',
    },
    {
      path: 'graph.version',
      env: ['GRAPH_VERSION'],
      default: '`v23.0`',
      value: 'shown',
      meaning: 'Path segment after the address, `v<major>.<minor>`',
    },
    {
      path: 'graph.access_token',
      env: ['GRAPH_ACCESS_TOKEN'],
      default: 'none',
      value: 'secret',
      meaning: 'The token of every request',
    },
    {
      path: 'graph.token_in',
      default: '`header`',
      value: 'shown',
      meaning:
        'How it is shown: as a bearer in the `header`, or as `access_token` in the `query`. Neither reaches a log.',
    },
    {
      path: 'graph.business_account_id',
      env: ['GRAPH_BUSINESS_ACCOUNT_ID'],
      default: 'none',
      value: 'number',
      meaning: 'What webhooks carry and phone numbers are listed of; never a sender',
    },
    {
      path: 'graph.phone_number_id',
      env: ['GRAPH_PHONE_NUMBER_ID'],
      default: "the account's one number",
      value: 'number',
      meaning: 'The id of the sender, which is not its phone number; `pacekeeper graph phone-numbers` lists them',
    },
    {
      path: 'graph.user_id',
      env: ['GRAPH_USER_ID'],
      default: 'none',
      value: 'number',
      meaning: 'Whose pages and permissions are asked for',
    },
    {
      path: 'graph.app_secret',
      env: ['GRAPH_APP_SECRET'],
      default: 'none',
      value: 'secret',
      bothTargets: true,
      meaning:
        "Proves where a webhook comes from; where it is set, requests are proved by it, too (`appsecret_proof`). It holds for the sandbox's webhooks, too.",
    },
    {
      path: 'graph.verify_token',
      env: ['GRAPH_VERIFY_TOKEN'],
      default: 'none',
      value: 'secret',
      bothTargets: true,
      meaning: 'What the provider shows once when a webhook is registered',
    },
    {
      path: 'graph.retry.attempts',
      default: '4',
      value: 'shown',
      bothTargets: true,
      meaning: 'As for `ads.retry`; a text that may be out is never sent twice',
    },
    {
      path: 'graph.retry.first_delay_ms',
      default: '5000',
      value: 'shown',
      bothTargets: true,
      meaning: '',
    },
    {
      path: 'graph.retry.total_ms',
      default: '120000',
      value: 'shown',
      bothTargets: true,
      meaning: '',
    },
  ],
};
