import { type BudgetId, budgetResourceName } from '../domain/ids.ts';
import { type AdsFailureItem, adsError, adsFailure, partialFailureError } from './ads-errors.ts';
import { checkOperation, type OperationReading } from './check-operation.ts';
import type { Fault } from './faults.ts';
import { jsonReply, type Reply } from './reply.ts';
import type { AdsCall, AdsService } from './service.ts';

const OPERATIONS_MAX = 10_000;
const MEMBERS = ['operations', 'partialFailure', 'validateOnly', 'responseContentType'];

/** A fault of a test: operations that are refused whatever they ask for. */
export type RefusedOperations = Extract<Fault, { readonly kind: 'refuse_operations' }>;

/**
 * Changes campaign budgets (requirements B1 to B5). Without `partialFailure` one bad operation refuses all of them. What
 * is applied is committed before the answer exists.
 */
export function mutateBudgets(service: AdsService, call: AdsCall, refusal: RefusedOperations | undefined): Reply {
  const problem = bodyProblem(call.body);
  if (problem !== undefined) return refuse(call, [problem]);
  const { operations, partialFailure, validateOnly } = call.body;
  const { customerId } = call.account;
  const isRemoved = (budget: BudgetId) => service.store.isRemoved(customerId, budget);
  const readings = (operations as unknown[]).map((operation, index) =>
    refusal?.indexes.includes(index)
      ? refusedOperation(index, refusal.errorCode)
      : checkOperation(operation, index, call.account, isRemoved),
  );
  const errors = readings.flatMap((reading) => (reading.kind === 'refused' ? reading.errors : []));
  if (errors.length > 0 && partialFailure !== true) return refuse(call, errors);
  if (validateOnly !== true) {
    const changes = readings.flatMap((reading) => (reading.kind === 'ok' ? [reading.change] : []));
    service.store.applyBudgets(changes, service.clock.now());
  }
  return jsonReply(200, answerOf(service, call, readings, errors), { 'request-id': call.requestId });
}

function answerOf(
  service: AdsService,
  call: AdsCall,
  readings: readonly OperationReading[],
  errors: readonly AdsFailureItem[],
): object {
  const failure = adsFailure(call.version, call.requestId, errors);
  const message = 'Multiple errors in ‘details’. The first error is: ';
  const failed =
    errors[0] === undefined
      ? {}
      : { partialFailureError: partialFailureError(`${message}${errors[0].message}`, failure) };
  // The answer of a success is not shown by the specification; nor does a validation have one.
  if (call.body.validateOnly === true || service.strict) return failed;
  const results = readings.map((reading) =>
    reading.kind === 'ok'
      ? { resourceName: budgetResourceName(reading.change.customerId, reading.change.budgetId) }
      : {},
  );
  return { ...failed, results };
}

function refusedOperation(index: number, errorCode: RefusedOperations['errorCode']): OperationReading {
  const location = { fieldPathElements: [{ fieldName: 'operations', index }] };
  return { kind: 'refused', errors: [{ errorCode, message: 'This operation was refused.', location }] };
}

function refuse(call: AdsCall, errors: readonly AdsFailureItem[]): Reply {
  const message = errors.length === 1 ? errors[0]?.message : undefined;
  return adsError('INVALID_ARGUMENT', message ?? 'Request contains an invalid argument.', [
    adsFailure(call.version, call.requestId, errors),
  ]);
}

function bodyProblem(body: Readonly<Record<string, unknown>>): AdsFailureItem | undefined {
  const unknown = Object.keys(body).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    return problemAt(unknown, 'UNKNOWN', `Found the member "${unknown}", expected one of ${MEMBERS.join(', ')}.`);
  }
  const { operations, responseContentType } = body;
  for (const flag of ['partialFailure', 'validateOnly']) {
    if (body[flag] !== undefined && typeof body[flag] !== 'boolean') {
      return problemAt(flag, 'UNKNOWN', `Found ${JSON.stringify(body[flag])} as ${flag}, expected true or false.`);
    }
  }
  if (responseContentType !== undefined && responseContentType !== 'RESOURCE_NAME_ONLY') {
    const found = JSON.stringify(responseContentType);
    const message = `Found ${found} as responseContentType, expected "RESOURCE_NAME_ONLY".`;
    return problemAt('response_content_type', 'INVALID_ENUM_VALUE', message);
  }
  if (!Array.isArray(operations) || operations.length === 0) {
    return problemAt(
      'operations',
      'REQUIRED_FIELD_MISSING',
      'Expected "operations", an array of at least one operation.',
    );
  }
  if (operations.length > OPERATIONS_MAX) {
    const message = `Found ${operations.length} operations, expected at most ${OPERATIONS_MAX}.`;
    return problemAt('operations', 'TOO_MANY_MUTATE_OPERATIONS', message);
  }
  return undefined;
}

function problemAt(fieldName: string, code: string, message: string): AdsFailureItem {
  return { errorCode: { requestError: code }, message, location: { fieldPathElements: [{ fieldName }] } };
}
