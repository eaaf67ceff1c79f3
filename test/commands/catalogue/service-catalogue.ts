import { stubServer } from '../../support/stub-server.ts';

/** Members of a resource or field, as the service sends them. */
export type Sent = Readonly<Record<string, unknown>> & { readonly name: string };

const FLAGS = { selectable: true, filterable: true, sortable: true };

export const sent = (name: string, more: object = {}): Sent => ({
  resourceName: `googleAdsFields/${name}`,
  name,
  category: name.includes('.') ? 'ATTRIBUTE' : 'RESOURCE',
  dataType: 'STRING',
  ...(name.includes('.') && FLAGS),
  ...more,
});

/** The smallest list that a catalogue can be made of. */
export const SMALL: readonly Sent[] = [
  sent('customer'),
  sent('customer.id', { dataType: 'INT64' }),
  sent('campaign', { attributeResources: ['customer'], metrics: ['metrics.clicks'], segments: ['segments.date'] }),
  sent('campaign.id', { dataType: 'INT64' }),
  sent('campaign.name'),
  sent('metrics.clicks', { category: 'METRIC', dataType: 'INT64' }),
  sent('segments.date', { category: 'SEGMENT', dataType: 'DATE' }),
];

/** A live service with these answers, one per request; the last one also for all later requests. */
export async function liveService(answers: readonly (string | object)[]) {
  let served = 0;
  const { url, requests } = await stubServer((_, response) => {
    const answer = answers[Math.min(served, answers.length - 1)] ?? '';
    served += 1;
    if (answer === 'BREAK') response.destroy();
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  const env = { PACEKEEPER_TARGET: 'live', ADS_URL: url, ADS_ACCESS_TOKEN: 'secret-access-token' };
  return { url, requests, env };
}
