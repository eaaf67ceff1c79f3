import { referenceWord, waysToDecide } from '../../domain/channel.ts';
import { ApiError, InputError, InvariantError } from '../../domain/errors.ts';
import type { PhoneNumberId } from '../../domain/ids.ts';
import { isPhoneNumber } from '../../domain/messaging-address.ts';
import { counted } from '../../domain/wording.ts';
import { type ChannelWork, type OutgoingAlert, unusableAddress } from '../channel.ts';
import { replyWindow, templateFor, variablesOf } from '../template.ts';
import type { GraphConnection } from './call-graph.ts';
import { permissions } from './diagnose-pages.ts';
import { listPhoneNumbers, resolveSender } from './phone-numbers.ts';
import { explainGraphCode } from './read-failure.ts';
import { receiveGraph } from './receive-webhooks.ts';
import { BUTTON_TEXT_LENGTH_MAX, sendTemplate, sendText, TEXT_LENGTH_MAX } from './send-text.ts';

export const work: ChannelWork<GraphConnection> = {
  textLengthMax: TEXT_LENGTH_MAX,
  explainCode: (code) => explainGraphCode(Number(code)),
  // The interface reports a missing token or permission by code, not by HTTP status.
  settingsCanFix: (code) => [0, 10, 190].includes(code) || (code >= 200 && code < 300),
  receiveWebhooks: receiveGraph,
  open(connection) {
    // Without a phone number id in the settings, the sender is looked up once.
    let from = connection.phoneNumberId;
    const { templates, buttons, phonesWroteAt: openedAt } = connection;
    return {
      account: undefined,
      sender: undefined,
      window: replyWindow(templates, { refusal: '131047', openedAt }),
      async send(alert) {
        const { recipient: to, text: body } = alert;
        if (!isPhoneNumber(`+${to}`)) throw unusableAddress('digits only, with the country code');
        from ??= await senderOf(connection);
        const message = { from, to, reference: referenceWord(alert.reference) };
        if (!alert.byTemplate)
          return sendText(connection, { ...message, body, answers: buttons ? answersTo(alert) : [] });
        const template = templateFor(templates, 'graph.templates', alert);
        return sendTemplate(connection, { ...message, template, variables: variablesOf(template, alert) });
      },
    };
  },
  check: {
    isRare: true,
    expected: 'a valid token, and a number to send from',
    withoutIt: 'GRAPH_URL and GRAPH_ACCESS_TOKEN, if alerts should use it',
    nextStep: 'Set the names under "graph" in docs/configuration.md.',
    async ask(connection) {
      const { businessAccountId, userId } = connection;
      if (businessAccountId !== undefined)
        return phoneNumbers(connection, await listPhoneNumbers(connection, businessAccountId));
      if (userId !== undefined) return `${counted((await permissions(connection, userId)).length, 'permission')} found`;
      throw new InputError('neither GRAPH_BUSINESS_ACCOUNT_ID nor GRAPH_USER_ID is set, so nothing can be checked', {
        nextStep: 'Set GRAPH_BUSINESS_ACCOUNT_ID or GRAPH_USER_ID.',
      });
    },
  },
};

/** With several questions, a button would not say which one it answers. The title of a pressed button arrives as a reply. */
function answersTo({ text, alerts }: OutgoingAlert): readonly string[] {
  const [code, ...others] = alerts.flatMap(({ proposalCode }) => proposalCode ?? []);
  const isOne = code !== undefined && others.length === 0 && text.includes(waysToDecide(code, true));
  return isOne && text.length <= BUTTON_TEXT_LENGTH_MAX ? [`YES ${code}`, `NO ${code}`] : [];
}

/** A failed look-up of the sender means that no message was sent (requirement A6). */
async function senderOf(graph: GraphConnection): Promise<PhoneNumberId> {
  if (graph.businessAccountId === undefined) {
    throw new InvariantError('The message was not sent: GRAPH_PHONE_NUMBER_ID is not set.');
  }
  try {
    return await resolveSender(graph, graph.businessAccountId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.message, { ...error, outcome: 'not_processed', cause: error });
  }
}

function phoneNumbers(
  { phoneNumberId }: GraphConnection,
  numbers: Awaited<ReturnType<typeof listPhoneNumbers>>,
): string {
  if (phoneNumberId === undefined || numbers.some(({ id }) => id === phoneNumberId)) {
    return `${counted(numbers.length, 'phone number')}`;
  }
  throw new ApiError(
    `GRAPH_PHONE_NUMBER_ID is not among the ${counted(numbers.length, 'number')} of the business account.`,
    {
      status: 'NO_SENDER',
      outcome: 'not_processed',
      transient: false,
      nextStep: 'Set it to one that pacekeeper graph phone-numbers lists.',
    },
  );
}
