import type { ProxySettings } from '../domain/proxy-settings.ts';

type Env = (name: string) => string | undefined;

/** The environment names of proxies, each of which is known in lower case, too. */
export const PROXY_NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;

/** The proxies of the environment, lower-case names first as other programs have it; undefined when there is none. */
export function readProxy(env: Env, problems: string[]): ProxySettings | undefined {
  const http = readAddress('HTTP_PROXY', env, problems);
  const https = readAddress('HTTPS_PROXY', env, problems);
  if (http === undefined && https === undefined) return undefined;
  return { http, https, bypass: env('no_proxy') ?? env('NO_PROXY') ?? '' };
}

/** An address is never repeated in a message: it may hold a password. */
function readAddress(upper: string, env: Env, problems: string[]): string | undefined {
  const name = env(upper.toLowerCase()) === undefined ? upper : upper.toLowerCase();
  const text = env(name);
  if (text === undefined) return undefined;
  const refuse = (expected: string): undefined => {
    problems.push(`${name} is not the address of a proxy, expected ${expected}.`);
  };
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  // No example of a name and a password: where somebody's are those very words, redaction takes them out of it.
  const form =
    'http://host:port; where the proxy asks who it is, both parts of that before the host with a colon between them and an @ behind, special characters as %XX';
  let url: URL;
  try {
    url = new URL(whole);
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    return refuse(form);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('one that begins with http:// or https://');
  if ((url.username === '') !== (url.password === ''))
    return refuse('two parts with a colon between them before the @, or none');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return refuse(form);
  return url.href;
}
