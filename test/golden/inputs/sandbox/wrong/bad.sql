SELECT campaign.nam, metrics.clicks, segments.date
FROM keyword_view
WHERE segments.date DURING LAST_FEW_DAYS
