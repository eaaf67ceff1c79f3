-- Clicks and cost of the keywords of three campaigns.
SELECT campaign.id, campaign.name, ad_group.id, ad_group.name, ad_group_criterion.criterion_id,
  ad_group_criterion.keyword.text, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date
FROM keyword_view
WHERE segments.date DURING LAST_14_DAYS AND campaign.name IN ('Generisch - Wanderschuhe', 'Schlafsäcke', '画材')
