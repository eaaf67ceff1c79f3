/** An operation of area D. */
export type ContainerRoute = { readonly kind: 'container_login' | 'container_users' | 'container_health' };

/** The operation of area D that a decoded path names; undefined when it is not area D's. */
export function routeContainer(method: string, path: string): ContainerRoute | undefined {
  if (method === 'POST' && path === '/v1/users/login') return { kind: 'container_login' };
  if (method === 'POST' && path === '/v1/users') return { kind: 'container_users' };
  if (method === 'GET' && path === '/v1/health') return { kind: 'container_health' };
  return undefined;
}
