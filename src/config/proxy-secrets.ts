/** Users and passwords in the environment's proxy addresses, as they are written and as they are meant. */
export function proxySecrets(env: (name: string) => string | undefined): string[] {
  return ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'].flatMap((name) => {
    const account = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)@/i.exec(env(name)?.trim() ?? '')?.[1];
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
