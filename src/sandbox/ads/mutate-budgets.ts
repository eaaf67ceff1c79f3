import { type BudgetId, budgetResourceName, type CustomerId, parseBudgetResourceName } from '../../domain/ids.ts';
import { type Micros, parseMicros } from '../../domain/micros.ts';
import type { Fault } from '../fault-modes.ts';
import { billableUnit } from '../market/billable-units.ts';
import type { Account } from '../market/market.ts';
import { isJsonObject } from '../read-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { AdsCall, AdsService } from '../service.ts';
import { type AdsFailureItem, adsError, adsFailure, partialFailureError } from './ads-errors.ts';

const OPERATIONS_MAX = 10_000;
const MEMBERS = ['operations', 'partialFailure', 'validateOnly', 'responseContentType'];

export type RefusedOperations = Extract<Fault, { readonly kind: 'refuse_operations' }>;

/** Requirements B1 to B5. Without `partialFailure`, and if `strict`, one wrong operation makes all operations fail. */
export function mutateBudgets(service: AdsService, call: AdsCall, refusal: RefusedOperations | undefined): Reply {
  const problem = bodyProblem(call.body, service.strict);
  if (problem !== undefined) return refuse(call, [problem]);
  const { operations, partialFailure, validateOnly } = call.body;
  const { store } = service;
  const readings = (operations as unknown[]).map((operation, index) =>
    refusal?.indexes.includes(index)
      ? refusedOperation(index, refusal.errorCode)
      : checkOperation(operation, index, call.account, store),
  );
  const errors = readings.flatMap((reading) => (reading.kind === 'refused' ? reading.errors : []));
  // The specification shows no answer that tells which operations failed.
  if (errors.length > 0 && (partialFailure !== true || service.strict)) return refuse(call, errors);
  if (validateOnly !== true) {
    const changes = readings.flatMap((reading) => (reading.kind === 'ok' ? [reading.change] : []));
    store.applyBudgets(changes, service.clock.now());
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
  // A validation has no results. The specification shows no body for success.
  if (call.body.validateOnly === true || service.strict) return failed;
  const results = readings.map((reading) => {
    if (reading.kind !== 'ok') return {};
    const { customerId, budgetId, amountMicros } = reading.change;
    const resourceName = budgetResourceName(customerId, budgetId);
    const campaignBudget = { resourceName, amountMicros: `${amountMicros}` };
    return call.body.responseContentType === 'MUTABLE_RESOURCE' ? { resourceName, campaignBudget } : { resourceName };
  });
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

function bodyProblem(body: Readonly<Record<string, unknown>>, strict: boolean): AdsFailureItem | undefined {
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
  const contents = strict ? ['RESOURCE_NAME_ONLY'] : ['RESOURCE_NAME_ONLY', 'MUTABLE_RESOURCE'];
  if (responseContentType !== undefined && !contents.includes(responseContentType as string)) {
    const found = JSON.stringify(responseContentType);
    const message = `Found ${found} as responseContentType, expected ${contents.map((one) => `"${one}"`).join(' or ')}.`;
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

type Refuse = (path: readonly string[], family: string, code: string, message: string) => undefined;

function checkOperation(
  operation: unknown,
  index: number,
  account: Account,
  store: AdsService['store'],
): OperationReading {
  const errors: AdsFailureItem[] = [];
  const refuse: Refuse = (path, family, code, message) => {
    const below = path.map((fieldName) => ({ fieldName }));
    const location = { fieldPathElements: [{ fieldName: 'operations', index }, ...below] };
    errors.push({ errorCode: { [family]: code }, message, location });
  };
  const { updateMask, update: sent } = isJsonObject(operation) ? operation : {};
  const update = isJsonObject(sent) ? sent : {};
  refuseUnknown(operation, ['updateMask', 'update'], [], refuse);
  refuseUnknown(update, ['resourceName', 'amountMicros'], ['update'], refuse);
  if (updateMask !== 'amount_micros') {
    const code = updateMask === undefined ? 'FIELD_MASK_MISSING' : 'FIELD_NOT_FOUND';
    const message = `Found ${shown(updateMask)} as updateMask, expected "amount_micros", a field path in snake case.`;
    refuse(['update_mask'], 'fieldMaskError', code, message);
  }
  const budget = checkResourceName(update.resourceName, account, store, refuse);
  const amount = checkAmount(update.amountMicros, account.currency, refuse);
  if (errors.length > 0 || budget === undefined || amount === undefined) return { kind: 'refused', errors };
  return { kind: 'ok', change: { customerId: account.customerId, budgetId: budget, amountMicros: amount } };
}

function refuseUnknown(value: unknown, known: readonly string[], path: readonly string[], refuse: Refuse): void {
  for (const name of isJsonObject(value) ? Object.keys(value) : []) {
    if (known.includes(name)) continue;
    const message = `Found the member "${name}", expected ${known.join(' and ')}.`;
    refuse([...path, name], 'requestError', 'UNKNOWN', message);
  }
}

function checkResourceName(
  name: unknown,
  account: Account,
  { isRemoved, totalOf }: AdsService['store'],
  refuse: Refuse,
): BudgetId | undefined {
  const path = ['update', 'resource_name'];
  const parts = typeof name === 'string' ? parseBudgetResourceName(name) : undefined;
  if (parts === undefined) {
    const message = `Found ${shown(name)}, expected customers/<customer_id>/campaignBudgets/<budget_id>.`;
    return refuse(path, 'requestError', 'RESOURCE_NAME_MALFORMED', message);
  }
  const { customer, budget } = parts;
  if (customer !== account.customerId) {
    const message = `Found a budget of customer ${customer}, expected a budget of ${account.customerId}, as in the path.`;
    return refuse(path, 'requestError', 'BAD_RESOURCE_ID', message);
  }
  if (isRemoved(customer, budget)) {
    return refuse(path, 'campaignBudgetError', 'CAMPAIGN_BUDGET_REMOVED', `Budget ${budget} was removed.`);
  }
  if (totalOf(customer, budget) !== undefined) {
    const code = 'BUDGET_AMOUNT_MUST_BE_UNSET_FOR_CUSTOM_BUDGET_PERIOD';
    return refuse(path, 'campaignBudgetError', code, `Budget ${budget} has an amount for its whole period.`);
  }
  if (account.budgets.some(({ id }) => id === budget)) return budget;
  return refuse(path, 'mutateError', 'RESOURCE_NOT_FOUND', `Customer ${customer} has no campaign budget ${budget}.`);
}

function checkAmount(amount: unknown, currency: string, refuse: Refuse): Micros | undefined {
  const path = ['update', 'amount_micros'];
  const value = typeof amount === 'string' ? parseMicros(amount) : undefined;
  if (value === undefined) {
    // JSON numbers are refused, because large amounts would lose digits.
    const message = `Found ${shown(amount)} as amountMicros, expected int64 as decimal text such as "12500000".`;
    return refuse(path, 'fieldError', amount === undefined ? 'REQUIRED' : 'INVALID_VALUE', message);
  }
  const family = 'campaignBudgetError';
  if (value < 0n) return refuse(path, family, 'NEGATIVE_MONEY_AMOUNT', `The amount ${value} is negative.`);
  if (value === 0n) {
    return refuse(path, family, 'BUDGET_BELOW_PER_DAY_MINIMUM', 'The amount is 0, expected more than 0.');
  }
  const unit = billableUnit(currency);
  if (value % unit === 0n) return value;
  const message = `Found ${value} micros, expected a multiple of ${unit}, the smallest unit of ${currency}.`;
  return refuse(path, family, 'NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT', message);
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);
}
