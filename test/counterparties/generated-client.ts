import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { installed } from './installed.ts';
// Loaded first, because it gives the fields the names that the clients need.
import './protocol-definitions.ts';

/** The result of a call; what else comes with it is of another kind of transport. */
type Call<Request, Response> = (request: Request) => Promise<[Response, ...unknown[]]>;

export interface BudgetOperation {
  readonly updateMask: { readonly paths: readonly string[] };
  readonly update: { readonly resourceName: string; readonly amountMicros: string };
}
export interface MutateRequest {
  readonly customerId: string;
  readonly operations: readonly BudgetOperation[];
  readonly partialFailure?: boolean;
  readonly validateOnly?: boolean;
  readonly responseContentType?: 'RESOURCE_NAME_ONLY';
}
export interface MutateResponse {
  readonly results: readonly { readonly resourceName: string }[];
  readonly partialFailureError: { readonly code: number; readonly details: readonly Any[] } | null;
}
export interface Any {
  readonly type_url: string;
  readonly value: unknown;
}
export interface Idea {
  readonly text: string;
  readonly keywordIdeaMetrics: { readonly avgMonthlySearches: string; readonly competition: string };
}
export interface Batch {
  readonly results: readonly { readonly campaign: { readonly id: string; readonly status: string } }[];
  readonly fieldMask: { readonly paths: readonly string[] };
}

interface Clients {
  readonly CampaignBudgetServiceClient: new (
    options: object,
  ) => { readonly mutateCampaignBudgets: Call<MutateRequest, MutateResponse> };
  readonly CustomerServiceClient: new (
    options: object,
  ) => { readonly listAccessibleCustomers: Call<object, { readonly resourceNames: readonly string[] }> };
  readonly KeywordPlanIdeaServiceClient: new (
    options: object,
  ) => { readonly generateKeywordIdeas: Call<object, readonly Idea[]> };
  readonly GoogleAdsServiceClient: new (
    options: object,
  ) => { searchStream(request: { readonly customerId: string; readonly query: string }): AsyncIterable<Batch> };
}

/**
 * Clients that the provider's own generator wrote from the definitions, over its REST transport: they choose method, path
 * and JSON by themselves. All that is ours is the address and the token.
 */
export function generatedClients({ url, credentials }: Sandbox) {
  const { hostname, port } = new URL(url);
  const auth = {
    getClient: async () => auth,
    fetch: (address: string, { method, headers, body, signal }: RequestInit) => {
      const all = new Headers(headers);
      all.set('authorization', `Bearer ${credentials.accessToken}`);
      return fetch(address, { method, headers: all, body, signal } as RequestInit);
    },
  };
  const options = { fallback: true, protocol: 'http', apiEndpoint: hostname, port: Number(port), auth };
  const clients = installed<Clients>('google-ads-node');
  return {
    budgets: new clients.CampaignBudgetServiceClient(options),
    customers: new clients.CustomerServiceClient(options),
    ideas: new clients.KeywordPlanIdeaServiceClient(options),
    reports: new clients.GoogleAdsServiceClient(options),
  };
}
