import type { Explanation } from './explanation.ts';

/** What can be asked of a resource, and in which clause. */
export const FIELD_CODES = {
  BAD_RESOURCE_TYPE_IN_FROM_CLAUSE: {
    meaning: 'FROM takes the name of one resource.',
    wrong: 'SELECT campaign.id FROM campaigns',
    right: 'SELECT campaign.id FROM campaign',
  },
  UNRECOGNIZED_FIELD: {
    meaning: 'There is no such field. Some fields were renamed; the message then says what they are called today.',
    wrong: 'SELECT campaign.nam FROM campaign',
    right: 'SELECT campaign.name FROM campaign',
  },
  PROHIBITED_FIELD_IN_SELECT_CLAUSE: {
    meaning:
      'A whole resource, a whole message and a part of a list cannot be selected; their fields, and the list as a whole, can.',
    wrong: 'SELECT ad_group_criterion.keyword FROM keyword_view',
    right: 'SELECT ad_group.id, ad_group_criterion.criterion_id, ad_group_criterion.keyword.text FROM keyword_view',
  },
  PROHIBITED_FIELD_IN_WHERE_CLAUSE: {
    meaning: 'A whole resource, a whole message and a part of a list cannot be compared with a value.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign = 5',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id = 5',
  },
  PROHIBITED_FIELD_IN_ORDER_BY_CLAUSE: {
    meaning: 'Rows cannot be ordered by this.',
    wrong: 'SELECT campaign.id FROM campaign ORDER BY campaign',
    right: 'SELECT campaign.id FROM campaign ORDER BY campaign.id',
  },
  PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE: {
    meaning: 'The field exists, and belongs to a resource that cannot be selected from this one.',
    wrong: 'SELECT campaign.id, ad_group.id FROM campaign',
    right: 'SELECT campaign.id, ad_group.id FROM ad_group',
  },
  PROHIBITED_RESOURCE_TYPE_IN_WHERE_CLAUSE: {
    meaning: 'The field exists, and belongs to a resource that cannot be filtered on from this one.',
    wrong: 'SELECT campaign.id FROM campaign WHERE ad_group.id = 5',
    right: 'SELECT campaign.id, ad_group.id FROM ad_group WHERE ad_group.id = 5',
  },
  PROHIBITED_METRIC_IN_SELECT_OR_WHERE_CLAUSE: {
    meaning: 'The resource does not have this metric.',
    wrong: 'SELECT campaign_criterion.criterion_id, metrics.clicks FROM campaign_criterion',
    right: 'SELECT ad_group.id, ad_group_criterion.criterion_id, metrics.clicks FROM keyword_view',
  },
  PROHIBITED_SEGMENT_IN_SELECT_OR_WHERE_CLAUSE: {
    meaning: 'The resource cannot be split by this segment.',
    wrong: 'SELECT ad_group.id, ad_group_criterion.criterion_id, segments.product_item_id FROM keyword_view',
    right: 'SELECT ad_group.id, ad_group_criterion.criterion_id, segments.device FROM keyword_view',
  },
  EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE: {
    meaning:
      'A field is used in WHERE or ORDER BY and has to be selected for that: a segment other than the core dates, an attribute of a resource that splits the rows, a field to order by.',
    wrong: 'SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.device = MOBILE',
    right: 'SELECT campaign.id, segments.device, metrics.clicks FROM campaign WHERE segments.device = MOBILE',
  },
  DUPLICATE_FIELD: {
    meaning: 'A field is selected twice.',
    wrong: 'SELECT campaign.id, campaign.id FROM campaign',
    right: 'SELECT campaign.id FROM campaign',
  },
  DUPLICATE_COLUMN: {
    meaning:
      'Two fields would be the same column. customer_id is always there, and beside a column such as cost_micros its amount is published as cost.',
    wrong: 'SELECT campaign.id, campaign.name AS campaign_id FROM campaign',
    right: 'SELECT campaign.id, campaign.name FROM campaign',
  },
} as const satisfies Readonly<Record<string, Explanation>>;
