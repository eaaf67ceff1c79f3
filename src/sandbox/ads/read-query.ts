import { civilDateAt } from '../../domain/civil-date.ts';
import type { Diagnostic } from '../../domain/diagnostic.ts';
import { type Catalogue, isSelectable } from '../../language/gaql/catalogue/catalogue.ts';
import { SPECIFICATION_CATALOGUE } from '../../language/gaql/catalogue/specification-catalogue.ts';
import { type CheckContext, type CheckedQuery, checkQuery } from '../../language/gaql/check/check-query.ts';
import { type ParsedQuery, parseQuery } from '../../language/gaql/syntax/parse-query.ts';
import { printValue } from '../../language/gaql/syntax/print-query.ts';
import type { Query } from '../../language/gaql/syntax/tree.ts';
import type { Reply } from '../reply.ts';
import type { AdsCall, AdsService } from '../service.ts';
import { type AdsFailureItem, adsError, adsFailure } from './ads-errors.ts';
import { asksMetrics, fieldsNamed, SANDBOX_CATALOGUE } from './fields.ts';

export type QueryReading =
  | { readonly kind: 'ok'; readonly query: CheckedQuery; readonly catalogue: Catalogue }
  | { readonly kind: 'refused'; readonly failures: readonly AdsFailureItem[] };

export function readQuery(
  service: AdsService,
  call: AdsCall,
  patternFault: CheckContext['patternFault'],
): QueryReading {
  const { query } = call.body;
  if (typeof query !== 'string') {
    const message = `Found ${typeof query} as "query", expected the text of a query.`;
    return { kind: 'refused', failures: [queryFailure('QUERY_ERROR', message)] };
  }
  const catalogue = offered(service.strict);
  const parsed = parseQuery(query);
  const ofFiles = fileSyntax(parsed);
  if (ofFiles !== undefined) return { kind: 'refused', failures: [queryFailure('UNEXPECTED_INPUT', ofFiles)] };
  const today = civilDateAt(service.clock.now(), call.account.timeZone);
  const checked = checkQuery(parsed.tree, { catalogue, today, patternFault }, parsed.diagnostics.length === 0);
  if (checked.query !== undefined && call.client.manager && asksMetrics(checked.query.tree)) {
    const message = 'Metrics cannot be requested for a manager account. Query each account below the manager instead.';
    return { kind: 'refused', failures: [queryFailure('REQUESTED_METRICS_FOR_MANAGER', message)] };
  }
  if (checked.query !== undefined) return { kind: 'ok', query: checked.query, catalogue };
  const errors = [...parsed.diagnostics, ...checked.diagnostics].filter(({ severity }) => severity === 'error');
  return { kind: 'refused', failures: errors.map((error) => failureOf(error, service)) };
}

function fileSyntax({ comments, semicolon, tree }: ParsedQuery): string | undefined {
  if (comments[0]) return `Found the comment "${comments[0].text}", expected a request without comments.`;
  if (semicolon) return 'Found ";" at the end, expected a request without ";".';
  const alias = tree.select.find((field) => field.alias !== undefined)?.alias;
  if (alias) return `Found the column name AS ${alias.name}, expected a request without column names.`;
  const placeholder = tree.where.flatMap(({ values }) => values).find(({ kind }) => kind === 'placeholder');
  return placeholder && `Found the placeholder ${printValue(placeholder)}, expected a value.`;
}

const OWN_CODES = [
  'BAD_ALIAS',
  'COMMENT_NOT_TERMINATED',
  'DUPLICATE_COLUMN',
  'DUPLICATE_FIELD',
  'INVALID_REGULAR_EXPRESSION',
];

/** In the sandbox, only queries FROM `change_event` can have these errors. */
const OF_CHANGE_EVENTS = [
  'CHANGE_DATE_RANGE_INFINITE',
  'INVALID_LIMIT_CLAUSE',
  'LIMIT_NOT_SPECIFIED',
  'START_DATE_TOO_OLD',
];

function failureOf({ code, message, hint, span }: Diagnostic, { strict }: AdsService): AdsFailureItem {
  const place = `(line ${span.start.line}, column ${span.start.column})`;
  const more =
    code === 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE' ? `The sandbox has ${resourceNames(offered(strict))}.` : hint;
  // The public service may have the field, because the sandbox has only some fields.
  const own = code === 'UNRECOGNIZED_FIELD' && !strict ? 'The sandbox simulates only part of the API.' : more;
  return queryFailure(code, [message, own, place].filter((part) => part !== undefined).join(' '));
}

function queryFailure(code: string, message: string): AdsFailureItem {
  const queryError = OWN_CODES.includes(code) ? 'QUERY_ERROR' : code;
  const errorCode = OF_CHANGE_EVENTS.includes(code) ? { changeEventError: code } : { queryError };
  return { errorCode, message, location: { fieldPathElements: [{ fieldName: 'query' }] } };
}

export function refuseQuery(call: AdsCall, errors: readonly AdsFailureItem[]): Reply {
  const failure = adsFailure(call.version, call.requestId, errors);
  return adsError('INVALID_ARGUMENT', 'Request contains an invalid argument.', [failure]);
}

export function offered(strict: boolean): Catalogue {
  return strict ? SPECIFICATION_CATALOGUE : SANDBOX_CATALOGUE;
}

export function resourceNames({ resources }: Catalogue): string {
  return [...resources.keys()].join(', ');
}

export function notThere(query: Query, strict: boolean): Diagnostic | undefined {
  const { from } = query;
  if (!from) return undefined;
  const catalogue = offered(strict);
  const resource = catalogue.resources.get(from.name);
  if (!resource) {
    return {
      code: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE',
      severity: 'note',
      span: from.span,
      message: `The sandbox has no resource "${from.name}", only ${resourceNames(catalogue)}.`,
      hint: 'A live service may have it. Set target: live in pacekeeper.yaml.',
    };
  }
  const lacking = fieldsNamed(query).filter(({ name }) => {
    const field = catalogue.fields.get(name);
    return !field || !isSelectable(resource, field);
  });
  const [first] = lacking;
  const names = [...new Set(lacking.map(({ name }) => name))];
  return (
    first && {
      code: 'UNRECOGNIZED_FIELD',
      severity: 'note',
      span: first.span,
      message: `The sandbox does not have ${names.join(', ')} for ${from.name}.`,
      hint: `A live service may have ${names.length === 1 ? 'it' : 'them'}. Set target: live in pacekeeper.yaml.`,
    }
  );
}
