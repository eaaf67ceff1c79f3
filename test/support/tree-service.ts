import type { ServerResponse } from 'node:http';
import { type StubRequest, stubServer } from './stub-server.ts';

/** An account, or a manager when it has children. */
export interface TreeNode {
  readonly id: string;
  readonly status?: string;
  /** Undefined for EUR; null for an account whose tree does not say. */
  readonly currency?: string | null;
  readonly children?: readonly TreeNode[];
}

export interface TreeService {
  readonly url: string;
  readonly requests: readonly StubRequest[];
  /** `customer <login>` of every request for a customer, in order, without the one for the units of currencies. */
  asked(): string[];
}

/** Answers instead of the tree when it returns true. */
export type Misbehaviour = (customer: string, request: StubRequest, response: ServerResponse) => boolean;

/** A service that has nothing but trees of accounts; it does not mind the login customer that a request names. */
export async function treeService(
  tops: readonly TreeNode[],
  accessible: readonly string[],
  misbehave: Misbehaviour = () => false,
): Promise<TreeService> {
  const all = tops.flatMap((node) => below(node)).map(({ node }) => node);
  const { url, requests } = await stubServer((request, response) => {
    const customer = customerOf(request);
    if (customer === undefined) {
      response.end(JSON.stringify({ resourceNames: accessible.map((id) => `customers/${id}`) }));
      return;
    }
    if (misbehave(customer, request, response)) return;
    const node = all.find(({ id }) => id === customer);
    if (node) response.end(JSON.stringify([{ results: rowsFor(node, request) }]));
    else refuse(response, 403, 'PERMISSION_DENIED');
  });
  const asked = () =>
    requests.flatMap((request) => {
      const customer = request.body.includes('currency_constant') ? undefined : customerOf(request);
      return customer === undefined ? [] : [`${customer} ${request.headers['login-customer-id'] ?? '-'}`];
    });
  return { url, requests, asked };
}

export function refuse(response: ServerResponse, code: number, status: string, errorCode: object = {}): void {
  const details = [{ errors: [{ errorCode, message: 'No.' }] }];
  response.writeHead(code).end(JSON.stringify({ error: { code, status, message: 'No.', details } }));
}

function customerOf({ path }: StubRequest): string | undefined {
  return /customers\/(\d+)\//.exec(path)?.[1];
}

function rowsFor(node: TreeNode, { body }: StubRequest): object[] {
  const facts = ({ id, currency = 'EUR' }: TreeNode) => ({
    id,
    descriptiveName: `Account ${id}`,
    ...(currency === null ? {} : { currencyCode: currency, timeZone: 'Europe/Berlin' }),
  });
  if (!body.includes('FROM customer_client')) return [{ customer: { ...facts({ ...node, currency: 'EUR' }) } }];
  return below(node).map(({ node: one, level }) => ({
    customerClient: { ...facts(one), level, manager: one.children !== undefined, status: one.status ?? 'ENABLED' },
  }));
}

function below(node: TreeNode, level = 0): { readonly node: TreeNode; readonly level: number }[] {
  return [{ node, level }, ...(node.children ?? []).flatMap((child) => below(child, level + 1))];
}
