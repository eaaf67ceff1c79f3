import { isDeepStrictEqual } from 'node:util';
import { hasField, isTypeName, roundTrip } from './protocol-definitions.ts';
import type { Exchange } from './record-exchanges.ts';

/** The messages of an operation, by how its path ends; the customer of the path is a field of the request. */
const OPERATIONS = {
  ':listAccessibleCustomers': ['ListAccessibleCustomersRequest', 'ListAccessibleCustomersResponse'],
  ':generateKeywordIdeas': ['GenerateKeywordIdeasRequest', 'GenerateKeywordIdeaResponse'],
  ':searchStream': ['SearchGoogleAdsStreamRequest', 'SearchGoogleAdsStreamResponse'],
  '/googleAdsFields:search': ['SearchGoogleAdsFieldsRequest', 'SearchGoogleAdsFieldsResponse'],
  ':search': ['SearchGoogleAdsRequest', 'SearchGoogleAdsResponse'],
  '/campaignBudgets:mutate': ['MutateCampaignBudgetsRequest', 'MutateCampaignBudgetsResponse'],
} as const;

export type Operation = keyof typeof OPERATIONS;

/** Undefined for what is no operation of the interface, such as a token. */
export function operationOf({ path }: Exchange): Operation | undefined {
  return (Object.keys(OPERATIONS) as Operation[]).find((ending) => path.endsWith(ending));
}

/** Everything that a request or its answer loses or changes on its way through the definitions, a sentence each. */
export function disagreements(exchange: Exchange): string[] {
  const operation = operationOf(exchange);
  if (operation === undefined) return [`${exchange.method} ${exchange.path} is no operation`];
  const [request, response] = OPERATIONS[operation];
  const answered: unknown = JSON.parse(exchange.answered);
  // Only a stream's messages come in an array; an error in one, too.
  const messages = operation === ':searchStream' ? (answered as unknown[]) : [answered];
  return [
    ...wrongTypes(exchange.answered),
    ...(exchange.sent === '' ? [] : changed(`services.${request}`, JSON.parse(exchange.sent))),
    ...messages.flatMap((message) =>
      exchange.status === 200
        ? [...changed(`services.${response}`, message), ...unknownPaths(message)]
        : ofError(message),
    ),
  ];
}

/**
 * The error object is HTTP's form of a status: `code` is then HTTP's number and `status` the word for it, which the
 * message does not have.
 */
function ofError(message: unknown): string[] {
  const { error } = message as { readonly error: { readonly status?: unknown } };
  const { status, ...rest } = error;
  return [
    ...(isDeepStrictEqual(message, { error }) && typeof status === 'string' ? [] : ['An error has more than an error']),
    ...changed('google.rpc.Status', rest),
  ];
}

/** The serializer finds a type by the end of its name, too. */
function wrongTypes(text: string): string[] {
  const names = [...text.matchAll(/"@type":"type\.googleapis\.com\/([^"]*)"/g)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => !isTypeName(name)).map((name) => `There is no type ${name}`);
}

/** The serializer passes the paths of a mask as they are, so that each is looked up. */
function unknownPaths(message: unknown): string[] {
  const { fieldMask = '' } = message as { readonly fieldMask?: string };
  const paths = fieldMask === '' ? [] : fieldMask.split(',');
  return paths.filter((path) => !hasField('services.GoogleAdsRow', path)).map((path) => `The mask names ${path}`);
}

function changed(name: string, json: unknown): string[] {
  try {
    const back = roundTrip(name, json);
    return isDeepStrictEqual(back, json) ? [] : [`${name}: ${firstChange(json, back, '')}`];
  } catch (error) {
    return [`${name}: ${error instanceof Error ? error.message : error}`];
  }
}

/** Where two values differ first, by path. */
function firstChange(one: unknown, other: unknown, path: string): string {
  if (isObject(one) && isObject(other)) {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    const name = names.find((key) => !isDeepStrictEqual(one[key], other[key]));
    if (name !== undefined) return firstChange(one[name], other[name], `${path}.${name}`);
  }
  return `${path} was ${JSON.stringify(one)} and came back as ${JSON.stringify(other)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
