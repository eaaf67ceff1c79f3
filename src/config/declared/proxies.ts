import type { ProxySettings } from '../../domain/connection-settings.ts';
import { type Expect, nonEmptyText, scalar } from '../../yaml/scalars.ts';
import { group, section, setting } from './declare.ts';

// No example of a name and a password: where somebody's are those very words, redaction takes them out of it.
const FORM =
  'the address of a proxy: http://host:port; where the proxy asks who it is, both parts of that before the host with a colon between them and an @ behind, special characters as %XX';

const proxyAddress = () => scalar(FORM, readAddress);

function readAddress(text: string, expect: Expect): string | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  let url: URL;
  try {
    url = new URL(whole);
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    return undefined;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return expect('the address of a proxy, one that begins with http:// or https://');
  }
  if ((url.username === '') !== (url.password === '')) {
    return expect('the address of a proxy with two parts and a colon between them before the @, or none');
  }
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.href : undefined;
}

export const PROXIES = section(
  'Proxies',
  {
    live: true,
    isOfAreas: false,
    before: [
      'Read from the environment or `.env`, in lower case first; for live targets only, never for the embedded sandbox. A live service on',
      'this machine (`http://127.0.0.1:…`) goes through `HTTP_PROXY` too, unless `NO_PROXY` names it.',
    ],
  },
  {
    proxy: group(
      {
        https: setting(
          proxyAddress(),
          'The proxy for https addresses, which are tunnelled (`CONNECT`): it sees the host and nothing else. `http://host:port` or `http://user:password@host:port`; user and password are treated as secrets.',
          { env: ['https_proxy', 'HTTPS_PROXY'], environmentOnly: true, secrecy: 'address' },
        ),
        http: setting(proxyAddress(), 'The proxy for http addresses, which are forwarded', {
          env: ['http_proxy', 'HTTP_PROXY'],
          environmentOnly: true,
          secrecy: 'address',
        }),
        bypass: setting(
          nonEmptyText,
          'Hosts that are reached without one, separated by commas: a name stands for itself and every name below it, `:port` narrows it, `*` is every host',
          { env: ['no_proxy', 'NO_PROXY'], environmentOnly: true },
        ),
      },
      ({ http, https, bypass }): ProxySettings | undefined =>
        http === undefined && https === undefined ? undefined : { http, https, bypass: bypass ?? '' },
    ),
  },
);
