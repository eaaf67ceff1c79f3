import { InvalidArgumentError } from 'commander';
import { Temporal } from 'temporal-polyfill';
import { dateOption } from '../../../src/commands/cli/common-options.ts';
import { civilDateAt, isTimeZone } from '../../../src/domain/civil-date.ts';
import { isId, readCustomerId } from '../../../src/domain/ids.ts';
import { formatMoney, parseAmount, parseMicros } from '../../../src/domain/micros.ts';
import { parseCivilDate } from '../../../src/domain/parse-civil-date.ts';
import { formatRational, parseDecimal } from '../../../src/domain/rational.ts';
import { parseExpiry } from '../../../src/services/container/session.ts';
import { retryAfterMs } from '../../../src/services/http/retry.ts';
import { claim, claimSame, type Target } from '../target.ts';

export const VALUES = {
  dateOption,
  parseCivilDate,
  isId,
  readCustomerId,
  parseAmount,
  parseMicros,
  parseDecimal,
  retryAfterMs,
  parseExpiry,
  isTimeZone,
};

/** Single values from options, headers and files, each beside a second opinion. */
export function valuesTarget(program: typeof VALUES = VALUES): Target {
  return {
    name: 'values',
    tokens: [
      ...'2026-02-29 2024-02-29 - : . 0 9223372036854775807 9223372036854775808 123-456-7890 12.50'.split(' '),
      ...'+00:00 T Z 1e5 Europe/Berlin +25:00 GMT'.split(' '),
      'Sun, 22 Nov 2026 12:00:00 GMT',
    ],
    seeds: () => [
      ...'2026-11-22; 12.50; 123-456-7890; 30; Sun, 22 Nov 2026 12:00:30 GMT; 2021-09-14 15:29:26+00:00'.split('; '),
      ...'9223372036854775807; Europe/Berlin; UTC'.split('; '),
    ],
    judge(input) {
      const text = input.toString('utf8');
      claimDate(program, text);
      claimMoney(program, text);
      claimSame(
        program.isId(text),
        /^\d+$/.test(text) && String(BigInt(text)) === text && BigInt(text) > 0n && BigInt(text) < 2n ** 63n,
        'An id is judged otherwise',
      );
      const customer = program.readCustomerId(text);
      if (customer.kind === 'ok') claimSame(customer.id, text.trim().replaceAll('-', ''), 'A customer id is another');
      else claim(customer.reason !== '', () => 'A refusal without words');
      for (const headers of [
        { 'retry-after': text },
        { 'retry-after': text, date: 'Sun, 22 Nov 2026 12:00:00 GMT' },
        { 'retry-after': 'Sun, 22 Nov 2026 12:00:00 GMT', date: text },
      ]) {
        const pause = program.retryAfterMs(headers);
        claim(
          pause === undefined || (Number.isInteger(pause) && pause > 0 && pause <= 86_400_000),
          () => `A pause that is none: ${pause}`,
        );
      }
      if (program.isTimeZone(text)) civilDateAt(Date.UTC(2026, 10, 22), text);
      claimExpiry(program, text);
    },
  };
}

function claimDate({ dateOption: option, parseCivilDate: parse }: typeof VALUES, text: string): void {
  let known: string | undefined;
  try {
    known = /^\d{4}-\d\d-\d\d$/.test(text)
      ? Temporal.PlainDate.from(text, { overflow: 'reject' }).toString()
      : undefined;
  } catch {
    known = undefined;
  }
  claimSame(parse(text), known, 'A date is judged otherwise by the calendar');
  try {
    claimSame(option(text), known, 'A date of an option is another');
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    claim(known === undefined || known < '1970' || known > '3000', () => `A date is refused: ${text}`);
  }
}

function claimMoney(
  { parseAmount: amountOf, parseMicros: microsOf, parseDecimal: decimalOf }: typeof VALUES,
  text: string,
): void {
  const amount = amountOf(text);
  if (amount !== undefined) {
    const [whole = '', fraction = ''] = text.trim().split('.');
    claimSame(amount, BigInt(whole + fraction.padEnd(6, '0')), 'An amount is another');
    claimSame(
      amountOf(formatMoney(amount, undefined).replaceAll(',', '')),
      amount,
      'The print of an amount is another',
    );
  }
  const micros = microsOf(text);
  claimSame(
    micros,
    /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? BigInt(text) : undefined,
    'Micros are judged otherwise',
  );
  const decimal = decimalOf(text);
  if (decimal !== undefined && text.length < 300) {
    claimSame(
      decimalOf(formatRational(decimal, 40)),
      decimalOf(formatRational(decimal, 60)),
      'The print of a number is another',
    );
    const float = Number(decimal.n) / Number(decimal.d);
    claim(
      Number.isNaN(float) || Math.abs(float - Number(text)) <= Math.abs(float) * 1e-9,
      () => `A number is another: ${text}`,
    );
  }
}

/** Of a day that does not exist no session is made to last. */
function claimExpiry({ parseExpiry: parse }: typeof VALUES, text: string): void {
  const expiry = parse(text);
  if (expiry === undefined) return;
  claim(Number.isFinite(expiry), () => 'An expiry that is no time');
  claim(
    parseCivilDate(text.trim().slice(0, 10)) !== undefined,
    () => `The expiry of a day that does not exist: ${text}`,
  );
}
