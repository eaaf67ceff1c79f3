import type { SettingSection } from './setting.ts';

export const PROXIES: SettingSection = {
  title: 'Proxies',
  areas: [],
  before: [
    'Read from the environment or `.env`, in lower case first; for live targets only, never for the embedded sandbox. A live service on',
    'this machine (`http://127.0.0.1:…`) goes through `HTTP_PROXY` too, unless `NO_PROXY` names it.',
  ],
  settings: [
    {
      env: ['https_proxy', 'HTTPS_PROXY'],
      value: 'address',
      meaning:
        'The proxy for https addresses, which are tunnelled (`CONNECT`): it sees the host and nothing else. `http://host:port` or `http://user:password@host:port`; user and password are treated as secrets.',
    },
    {
      env: ['http_proxy', 'HTTP_PROXY'],
      value: 'address',
      meaning: 'The proxy for http addresses, which are forwarded',
    },
    {
      env: ['no_proxy', 'NO_PROXY'],
      value: 'shown',
      meaning:
        'Hosts that are reached without one, separated by commas: a name stands for itself and every name below it, `:port` narrows it, `*` is every host',
    },
  ],
};
