import type { SettingSection } from './setting.ts';

export const WEBHOOKS: SettingSection = {
  title: 'Webhooks',
  areas: ['serve'],
  before: [
    'For `pacekeeper serve`, on either target. A route whose secret is absent is off: `graph.app_secret` and `graph.verify_token` for the graph,',
    '`messages.password` for the other interface.',
  ],
  settings: [
    {
      path: 'serve.host',
      env: ['SERVE_HOST'],
      default: '`127.0.0.1`',
      value: 'shown',
      meaning: 'The address of this machine that is listened on: this machine alone unless told otherwise',
    },
    {
      path: 'serve.port',
      env: ['SERVE_PORT'],
      default: '4020',
      value: 'shown',
      meaning: '0 for any free one',
    },
    {
      path: 'serve.public_url',
      env: ['SERVE_PUBLIC_URL'],
      default: 'none',
      value: 'address',
      meaning:
        'The address at which the providers reach it, which is what they sign; with it, delivery reports are asked for',
    },
    {
      path: 'serve.trust_proxy',
      env: ['SERVE_TRUST_PROXY'],
      default: 'false',
      value: 'shown',
      meaning:
        'Believe the `X-Forwarded-*` headers of the proxy in front: who asks, and by which protocol. Only where every request comes through it',
    },
  ],
};
