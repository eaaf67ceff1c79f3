import { wholeNumber, yesOrNo } from '../../yaml/scalars.ts';
import { group, section, setting } from './declare.ts';
import { address, textLike } from './forms.ts';

export const WEBHOOKS = section(
  'Webhooks',
  {
    before: [
      'For `pacekeeper serve`, on either target. A route whose secret is absent is off: `graph.app_secret` and `graph.verify_token` for the graph,',
      '`messages.password` for the other interface.',
    ],
  },
  {
    serve: group({
      host: setting(
        textLike(/^[A-Za-z0-9.:_-]+$/, 'an address of this machine such as 127.0.0.1'),
        'The address of this machine that is listened on: this machine alone unless told otherwise',
        { env: ['SERVE_HOST'], default: '127.0.0.1' },
      ),
      port: setting(wholeNumber(0, 65_535), '0 for any free one', { env: ['SERVE_PORT'], default: 4020 }),
      public_url: setting(
        address,
        'The address at which the providers reach it, which is what they sign; with it, delivery reports are asked for',
        { env: ['SERVE_PUBLIC_URL'], secrecy: 'address' },
      ),
      trust_proxy: setting(
        yesOrNo,
        'Believe the `X-Forwarded-*` headers of the proxy in front: who asks, and by which protocol. Only where every request comes through it',
        { env: ['SERVE_TRUST_PROXY'], default: false },
      ),
    }),
  },
);
