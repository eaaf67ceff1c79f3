/** What decides how a resource's rows are told apart. */
export interface KeyQuestion {
  readonly resource: string;
  /** The form of the resource's names, such as `customers/{customer_id}/keywordViews/{ad_group_id}~{criterion_id}`. */
  readonly pattern: string;
  /** The type of an attribute that comes along without splitting the rows, or of a segment; undefined for all else. */
  typeOf(name: string): string | undefined;
}

/**
 * The fields that together identify a row within one account, read off the form of the resource's names. A wrong key
 * would merge rows, so the resource name itself is the answer as soon as one part of the form has no certain field.
 * Nothing is the answer where the form has no part beside the account: there is one such name per account, and only the
 * selected segments tell rows apart.
 */
export function findRowKey(question: KeyQuestion): string[] {
  const parts = [...question.pattern.matchAll(/\{([^}]*)\}/g)]
    .map(([, part = '']) => part.replace(/^adgroup_/, 'ad_group_'))
    .filter((part) => part !== 'customer_id');
  const fields = parts.map((part) => candidates(part, parts, question).find((name) => identifies(name, question)));
  const known = fields.filter((name) => name !== undefined);
  return known.length === parts.length ? known : [`${question.resource}.resource_name`];
}

/** Fields that hold what a part of the name stands for, the most certain first. */
function candidates(part: string, parts: readonly string[], { resource, typeOf }: KeyQuestion): string[] {
  const names = [`${resource}.${part}`, `segments.${part}`];
  if (!part.endsWith('_id')) return names;

  const entity = part.slice(0, -'_id'.length);
  names.push(`${entity}.id`);
  if (part === 'ad_id') names.push('ad_group_ad.ad.id');
  if (part === 'criterion_id') names.push(...criterionOf(parts));
  if (typeOf(`${resource}.${entity}`) === 'RESOURCE_NAME') names.push(`${resource}.${entity}`);
  if (resource.endsWith(`_${entity}`)) names.push(`${resource}.id`);
  // The only part of a resource's name is its own id, whatever the form calls it.
  if (parts.length === 1) names.push(`${resource}.id`, `${resource}.${resource}_id`);
  return names;
}

/** A criterion's id is unique only within the ad group or campaign that the name gives beside it. */
function criterionOf(parts: readonly string[]): string[] {
  const inAdGroup = parts.includes('ad_group_id');
  const inCampaign = parts.includes('campaign_id');
  if (inAdGroup === inCampaign) return [];
  return [inAdGroup ? 'ad_group_criterion.criterion_id' : 'campaign_criterion.criterion_id'];
}

/** Texts that a view shows but may leave empty, or shorten, where the resource's name has them in full. */
const SHOWN_TEXTS = new Set(['search_term', 'landing_page', 'headline']);

function identifies(name: string, { typeOf }: KeyQuestion): boolean {
  const type = typeOf(name);
  if (type === undefined || SHOWN_TEXTS.has(name.slice(name.lastIndexOf('.') + 1))) return false;
  return (
    ['INT64', 'STRING', 'BOOLEAN', 'RESOURCE_NAME', 'DATE', 'DATE_TIME'].includes(type) || type.startsWith('ENUM:')
  );
}
