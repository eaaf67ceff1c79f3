import { ALERT_SEVERITIES } from '../../domain/channel.ts';
import { firstLineOf } from '../../domain/outside-text.ts';
import { PAGES } from '../../domain/pages.ts';
import { isSuccess, readText } from '../../services/http/http-client.ts';
import type { OutgoingAlert, SaidAlert } from '../channel.ts';
import { bearer, postJson, type Sending } from '../post-json.ts';
import type { AlertmanagerArea } from './channel.ts';

const TEXT_LENGTH_MAX = 100_000;

/** The same labels are the same alert, so a repetition is harmless. */
export const sending: Sending<AlertmanagerArea> = {
  textLengthMax: TEXT_LENGTH_MAX,
  send: (alert, address, connection) =>
    postJson(connection, {
      url: `${address}/api/v2/alerts`,
      headers: bearer(connection),
      service: 'Alertmanager',
      body: alert.alerts.flatMap((one) => postedAlerts(one, alert)),
    }),
  async ask(connection) {
    const url = `${connection.url}/api/v2/status`;
    const answer = await connection.http.send({ method: 'GET', url, headers: bearer(connection) });
    await readText(answer, TEXT_LENGTH_MAX);
    return isSuccess(answer)
      ? 'it answers'
      : { found: `it answers HTTP ${answer.status}`, nextStep: 'Check ALERTMANAGER_URL and ALERTMANAGER_TOKEN.' };
  },
};

interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

/**
 * Alertmanager knows an alert by its labels, and the severity is one of them, because routes choose by it. So a condition that
 * becomes more severe is a new alert there. The one of the lower severity ends at the same time.
 */
export function postedAlerts(
  said: SaidAlert,
  { recipient, dashboardUrl, at }: Pick<OutgoingAlert, 'recipient' | 'dashboardUrl' | 'at'>,
): PostedAlert[] {
  const { key, kind, reason, severity, customerId, rule, text, since, until } = said;
  const posted = {
    labels: {
      alertname: rule ?? `pacekeeper_${kind}`,
      recipient,
      severity,
      key,
      ...(customerId === undefined ? {} : { customer_id: customerId }),
    },
    annotations: { summary: firstLineOf(text), description: text },
    startsAt: since,
    endsAt: until,
    ...(dashboardUrl === undefined ? {} : { generatorURL: dashboardUrl + PAGES.alerts.path }),
  };
  if (reason !== 'escalated') return [posted];
  const lower = ALERT_SEVERITIES.slice(0, ALERT_SEVERITIES.indexOf(severity));
  return [posted, ...lower.map((one) => ({ ...posted, labels: { ...posted.labels, severity: one }, endsAt: at }))];
}
