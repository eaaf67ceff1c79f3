import { daysOf } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { outsideText } from '../../domain/outside-text.ts';
import type { StateApp } from '../../engine/app.ts';
import { dayPicture } from '../../views/html/chart/day-chart.ts';
import { costText, drawnMoney, monthText, shortDay } from '../../views/html/wording.ts';
import { accountPace } from '../../views/report/account-months.ts';
import { cumulativeSpend } from '../../views/report/pace.ts';
import type { AccountFacts } from '../../views/report/report-facts.ts';
import { gatherReport } from '../report/gather-report.ts';
import { drawable, renderPng } from './render-png.ts';

const BYTES_MAX = 200_000;

/** Returns a PNG. Undefined if the account has no complete day. */
export async function accountPicture(app: StateApp, customer: CustomerId): Promise<Uint8Array | undefined> {
  const { accounts } = await gatherReport(app);
  const account = accounts.find(({ customerId }) => customerId === customer);
  const svg = account && monthPicture(account);
  if (svg === undefined) return undefined;
  const png = await renderPng(svg);
  if (png.length > BYTES_MAX) throw new InvariantError(`The picture has ${png.length} bytes.`);
  return png;
}

const NAME_LENGTH_MAX = 50;
const HEIGHT = 320;

function monthPicture(account: AccountFacts): string | undefined {
  const { customerId, name = '', days, budget, currency } = account;
  const pace = accountPace(account);
  if (pace === undefined) return undefined;
  const { month, newest, spent, projected } = pace;
  const dates = daysOf(month);
  const spentUntil = cumulativeSpend(days, dates, newest);
  const budgetUntil = dates.map((_, index) => budget && budget.dailyMicros * BigInt(index + 1));
  const sums = [
    `${costText(spent, currency) ?? 'an unknown amount'} spent until ${shortDay(newest)}`,
    ...(projected === undefined || newest === month.to ? [] : [`${costText(projected, currency)} expected in all`]),
  ];
  const title = `${monthText(month.from)}: ${sums.join(', ')}`;
  return dayPicture(`${drawable(outsideText(name, NAME_LENGTH_MAX))} ${customerId}`.trim(), [
    {
      title,
      summary: '',
      unit: '',
      height: HEIGHT,
      x: dates,
      series: [
        { name: 'spent', ...drawnMoney(spentUntil, currency) },
        ...(budget === undefined
          ? []
          : [{ name: 'limit of today’s budgets', ...drawnMoney(budgetUntil, currency), dashed: true }]),
      ],
    },
  ]);
}
