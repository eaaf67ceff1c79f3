import { group, section, setting } from '../../language/settings/declare.ts';
import { address, textLike } from '../../language/settings/forms.ts';
import { wholeNumber, yesOrNo } from '../../language/yaml/scalars.ts';

export const WEBHOOKS = section(
  'Webhooks',
  {
    before: [
      'Settings of `pacekeeper serve`, on either target. A webhook route is off until its secrets are set: `graph.app_secret` and `graph.verify_token` for the graph interface,',
      '`messages.password` for the messaging interface.',
    ],
  },
  {
    serve: group({
      host: setting(
        textLike(/^[A-Za-z0-9.:_-]+$/, 'an address of this machine such as 127.0.0.1'),
        'Address to listen on. By default, only this machine can connect',
        { env: ['SERVE_HOST'], default: '127.0.0.1' },
      ),
      port: setting(wholeNumber(0, 65_535), 'Port to listen on; 0 for any free port', {
        env: ['SERVE_PORT'],
        default: 4020,
      }),
      public_url: setting(
        address,
        'Address at which providers reach `pacekeeper serve`: `https://hooks.example.com`. If set, pacekeeper requests delivery reports',
        { env: ['SERVE_PUBLIC_URL'], secrecy: 'address' },
      ),
      picture_key: setting(
        textLike(/^\S{32,}$/, '32 random characters or more, without spaces'),
        'Signs the addresses of [pictures](alerts.md#pictures): 32 random characters or more',
        { env: ['SERVE_PICTURE_KEY'], secrecy: 'secret', without: '`messages.password`' },
      ),
      trust_proxy: setting(
        yesOrNo,
        'Trust the `X-Forwarded-*` headers of a proxy in front. Set it only if every request comes through that proxy',
        { env: ['SERVE_TRUST_PROXY'], default: false },
      ),
      links: setting(
        yesOrNo,
        'Answer [read links](serve.md#read-links), with which spreadsheets and BI tools read tables without a login',
        { env: ['SERVE_LINKS'], default: false },
      ),
      kit: setting(
        yesOrNo,
        'Show the page `/kit` with every component of the dashboard, for people who change its design',
        { env: ['SERVE_KIT'], default: false },
      ),
    }),
  },
);
