import type { Environment } from './environment.ts';
import { SECRET_SETTINGS, valueAt } from './setting-tree.ts';

/** Every secret value of a file's tree and of environments, used or not, and the users and passwords of proxies. */
export function secretsIn(tree: unknown, ...environments: readonly Environment[]): string[] {
  const inFile = SECRET_SETTINGS.map(({ at }) => valueAt(tree, at.split('.')));
  const names = SECRET_SETTINGS.flatMap(({ env }) => env);
  const named = environments.flatMap((one) => [...names.map((name) => one[name]), ...proxySecrets(one)]);
  // A number where a text is expected is none the less a secret.
  const texts = [...named, ...inFile].flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? String(value).trim() : [],
  );
  return [...new Set(texts)].filter((text) => text !== '');
}

/** Users and passwords in the environment's proxy addresses, as they are written and as they are meant. */
function proxySecrets(environment: Environment): string[] {
  return ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'].flatMap((name) => {
    const account = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)@/i.exec(environment[name]?.trim() ?? '')?.[1];
    if (account === undefined) return [];
    const [user = '', ...rest] = account.split(':');
    return [user, rest.join(':')].filter((part) => part !== '').flatMap((part) => [part, decoded(part)]);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
