import { type BudgetId, budgetResourceName, type CustomerId, parseBudgetResourceName } from '../../domain/ids.ts';
import { type Micros, parseMicros, smallestUnit } from '../../domain/micros.ts';
import type { Fault } from '../faults.ts';
import type { Account } from '../market/market.ts';
import { isJsonObject } from '../read-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { AdsCall, AdsService } from '../service.ts';
import { type AdsFailureItem, adsError, adsFailure, partialFailureError } from './ads-errors.ts';

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

type OperationReading =
  | {
      readonly kind: 'ok';
      readonly change: { readonly customerId: CustomerId; readonly budgetId: BudgetId; readonly amountMicros: Micros };
    }
  | { readonly kind: 'refused'; readonly errors: readonly AdsFailureItem[] };

type Finding = {
  readonly kind: 'finding';
  /** Below `operations[i]`. */
  readonly path: readonly string[];
  readonly errorCode: Readonly<Record<string, string>>;
  readonly message: string;
};

/** One operation of a budget mutate, or every reason why it cannot be carried out. */
function checkOperation(
  operation: unknown,
  index: number,
  account: Account,
  isRemoved: (budget: BudgetId) => boolean,
): OperationReading {
  const mask = checkMask(operation);
  const update = isJsonObject(operation) && isJsonObject(operation.update) ? operation.update : {};
  const budget = checkResourceName(update.resourceName, account, isRemoved);
  const amount = checkAmount(update.amountMicros, account.currency);
  const unknown = [
    ...unknownMembers(operation, ['updateMask', 'update'], []),
    ...unknownMembers(update, ['resourceName', 'amountMicros'], ['update']),
  ];
  const findings = [...unknown, mask, budget, amount].filter(isFinding);
  if (findings.length > 0 || isFinding(budget) || isFinding(amount)) {
    return { kind: 'refused', errors: findings.map((finding) => placed(finding, index)) };
  }
  return { kind: 'ok', change: { customerId: account.customerId, budgetId: budget, amountMicros: amount } };
}

function isFinding(value: unknown): value is Finding {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'finding';
}

function placed({ path, errorCode, message }: Finding, index: number): AdsFailureItem {
  const below = path.map((fieldName) => ({ fieldName }));
  return { errorCode, message, location: { fieldPathElements: [{ fieldName: 'operations', index }, ...below] } };
}

function finding(path: readonly string[], family: string, code: string, message: string): Finding {
  return { kind: 'finding', path, errorCode: { [family]: code }, message };
}

function unknownMembers(value: unknown, known: readonly string[], path: readonly string[]): Finding[] {
  if (!isJsonObject(value)) return [];
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) =>
      finding(
        [...path, name],
        'requestError',
        'UNKNOWN',
        `Found the member "${name}", expected ${known.join(' and ')}.`,
      ),
    );
}

function checkMask(operation: unknown): Finding | undefined {
  const mask = isJsonObject(operation) ? operation.updateMask : undefined;
  if (mask === 'amount_micros') return undefined;
  const message = `Found ${shown(mask)} as updateMask, expected "amount_micros", a field path in snake case.`;
  return finding(
    ['update_mask'],
    'fieldMaskError',
    mask === undefined ? 'FIELD_MASK_MISSING' : 'FIELD_NOT_FOUND',
    message,
  );
}

function checkResourceName(
  name: unknown,
  account: Account,
  isRemoved: (budget: BudgetId) => boolean,
): BudgetId | Finding {
  const path = ['update', 'resource_name'];
  const parts = typeof name === 'string' ? parseBudgetResourceName(name) : undefined;
  if (parts === undefined) {
    const message = `Found ${shown(name)}, expected customers/<customer_id>/campaignBudgets/<budget_id>.`;
    return finding(path, 'requestError', 'RESOURCE_NAME_MALFORMED', message);
  }
  if (parts.customer !== account.customerId) {
    const message = `Found a budget of customer ${parts.customer}, expected one of ${account.customerId}, the path's.`;
    return finding(path, 'requestError', 'BAD_RESOURCE_ID', message);
  }
  if (isRemoved(parts.budget)) {
    return finding(path, 'campaignBudgetError', 'CAMPAIGN_BUDGET_REMOVED', `Budget ${parts.budget} was removed.`);
  }
  if (account.budgets.some(({ id }) => id === parts.budget)) return parts.budget;
  const message = `Customer ${account.customerId} has no campaign budget ${parts.budget}.`;
  return finding(path, 'mutateError', 'RESOURCE_NOT_FOUND', message);
}

function checkAmount(amount: unknown, currency: string): Micros | Finding {
  const path = ['update', 'amount_micros'];
  const value = typeof amount === 'string' ? parseMicros(amount) : undefined;
  if (value === undefined) {
    // The public service would take a JSON number; numbers lose digits on the way, and the specification shows text.
    const message = `Found ${shown(amount)} as amountMicros, expected int64 as decimal text such as "12500000".`;
    return finding(path, 'fieldError', amount === undefined ? 'REQUIRED' : 'INVALID_VALUE', message);
  }
  if (value < 0n)
    return finding(path, 'campaignBudgetError', 'NEGATIVE_MONEY_AMOUNT', `The amount ${value} is negative.`);
  if (value === 0n) {
    return finding(path, 'campaignBudgetError', 'BUDGET_BELOW_PER_DAY_MINIMUM', 'The amount is 0, expected more.');
  }
  const unit = smallestUnit(currency) ?? 1n;
  if (value % unit === 0n) return value;
  const message = `Found ${value} micros, expected a multiple of ${unit}, the smallest unit of ${currency}.`;
  return finding(path, 'campaignBudgetError', 'NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT', message);
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);
}
