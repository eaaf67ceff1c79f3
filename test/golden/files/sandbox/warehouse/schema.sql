CREATE INDEX "ix_account_day_by_state" ON "account_day" ("state", "date");

CREATE TABLE "account" ("customer_id" INTEGER NOT NULL, "name" TEXT, "currency" TEXT, "time_zone" TEXT, "status" TEXT, "seen_at" DATETIME, PRIMARY KEY ("customer_id")) WITHOUT ROWID;

CREATE TABLE "account_day" ("query" TEXT NOT NULL, "customer_id" INTEGER NOT NULL, "date" DATE NOT NULL, "state" TEXT, "rows" INTEGER, "read_at" DATETIME, PRIMARY KEY ("query", "customer_id", "date")) WITHOUT ROWID;

CREATE TABLE "as_of" ("as_of" DATETIME, "target" TEXT, "publication" TEXT);

CREATE TABLE "budget_change" ("id" INTEGER NOT NULL, "run_id" INTEGER, "customer_id" INTEGER NOT NULL, "budget_id" INTEGER, "campaign_id" INTEGER, "campaign_name" TEXT, "account_day" DATE, "currency" TEXT, "from_micros" INTEGER, "from_amount" DECIMAL(18,6), "to_micros" INTEGER, "to_amount" DECIMAL(18,6), "rule" TEXT, "rule_version" TEXT, "reason" TEXT, "actor" TEXT, "kind" TEXT, "state" TEXT, "decided_at" DATETIME, "changed_at" DATETIME, "undoes" INTEGER, PRIMARY KEY ("id")) WITHOUT ROWID;

CREATE TABLE "budget_event" ("id" INTEGER NOT NULL, "intent_id" INTEGER, "kind" TEXT, "actor" TEXT, "detail" TEXT, "created_at" TEXT, "previous_hash" TEXT, "hash" TEXT, PRIMARY KEY ("id")) WITHOUT ROWID;

CREATE TABLE "budget_intent" ("id" INTEGER NOT NULL, "run_id" INTEGER, "kind" TEXT, "undoes" INTEGER, "customer_id" INTEGER NOT NULL, "budget_id" INTEGER, "campaign_id" INTEGER, "campaign_name" TEXT, "account_day" DATE, "currency" TEXT, "rule" TEXT, "rule_version" TEXT, "actor" TEXT, "from_micros" INTEGER, "from_amount" DECIMAL(18,6), "to_micros" INTEGER, "to_amount" DECIMAL(18,6), "amount_source" TEXT, "declared_micros" INTEGER, "declared_amount" DECIMAL(18,6), "floor_micros" INTEGER, "floor_amount" DECIMAL(18,6), "ceiling_micros" INTEGER, "ceiling_amount" DECIMAL(18,6), "state" TEXT, "code" TEXT, "reason" TEXT, "outcome" TEXT, "created_at" DATETIME, "updated_at" DATETIME, PRIMARY KEY ("id")) WITHOUT ROWID;

CREATE TABLE "budget_proposal" ("code" TEXT NOT NULL, "run_id" INTEGER, "customer_id" INTEGER NOT NULL, "budget_id" INTEGER, "campaign_id" INTEGER, "campaign_name" TEXT, "account_day" DATE, "currency" TEXT, "rule" TEXT, "rule_version" TEXT, "from_micros" INTEGER, "from_amount" DECIMAL(18,6), "to_micros" INTEGER, "to_amount" DECIMAL(18,6), "amount_source" TEXT, "declared_micros" INTEGER, "declared_amount" DECIMAL(18,6), "floor_micros" INTEGER, "floor_amount" DECIMAL(18,6), "ceiling_micros" INTEGER, "ceiling_amount" DECIMAL(18,6), "state" TEXT, "reason" TEXT, "intent_id" INTEGER, "decided_by" TEXT, "decided_at" DATETIME, "created_at" DATETIME, "expires_at" DATETIME, "decided_why" TEXT, PRIMARY KEY ("code")) WITHOUT ROWID;

CREATE TABLE "campaign" ("customer_id" INTEGER NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "campaign_status" TEXT, "campaign_budget_id" INTEGER, "campaign_budget_amount_micros" INTEGER, "campaign_budget_amount" DECIMAL(18,6), "currency" TEXT, PRIMARY KEY ("customer_id", "campaign_id")) WITHOUT ROWID;

CREATE TABLE "campaign_budget" ("customer_id" INTEGER NOT NULL, "campaign_budget_id" INTEGER NOT NULL, "campaign_budget_name" TEXT, "campaign_budget_amount_micros" INTEGER, "campaign_budget_amount" DECIMAL(18,6), "campaign_budget_explicitly_shared" BOOLEAN, "campaign_budget_reference_count" INTEGER, "currency" TEXT, PRIMARY KEY ("customer_id", "campaign_budget_id")) WITHOUT ROWID;

CREATE TABLE "campaign_spend" ("customer_id" INTEGER NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "campaign_status" TEXT, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, "cost" DECIMAL(18,6), "conversions" DOUBLE, "conversions_value" DOUBLE, "search_impression_share" DOUBLE, "search_budget_lost_impression_share" DOUBLE, "date" DATE NOT NULL, "currency" TEXT, PRIMARY KEY ("customer_id", "date", "campaign_id")) WITHOUT ROWID;

CREATE TABLE "campaign_spend_by_day" ("customer_id" INTEGER NOT NULL, "date" DATE NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, "cost" DECIMAL(18,6), "currency" TEXT, "ctr" DOUBLE, "average_cpc" DOUBLE, "share_of_spend" DOUBLE, "conversions" DOUBLE, "conversions_value" DOUBLE, "cpa" DOUBLE, "roas" DOUBLE, "search_impression_share" DOUBLE, "search_budget_lost_impression_share" DOUBLE, PRIMARY KEY ("customer_id", "date", "campaign_id")) WITHOUT ROWID;

CREATE TABLE "campaign_spend_by_month" ("customer_id" INTEGER NOT NULL, "month" DATE NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "days" INTEGER, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, "cost" DECIMAL(18,6), "currency" TEXT, "ctr" DOUBLE, "average_cpc" DOUBLE, "share_of_spend" DOUBLE, "conversions" DOUBLE, "conversions_value" DOUBLE, "cpa" DOUBLE, "roas" DOUBLE, "search_impression_share" DOUBLE, "search_budget_lost_impression_share" DOUBLE, PRIMARY KEY ("customer_id", "month", "campaign_id")) WITHOUT ROWID;

CREATE TABLE "campaign_spend_by_week" ("customer_id" INTEGER NOT NULL, "week" DATE NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "days" INTEGER, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, "cost" DECIMAL(18,6), "currency" TEXT, "ctr" DOUBLE, "average_cpc" DOUBLE, "share_of_spend" DOUBLE, "conversions" DOUBLE, "conversions_value" DOUBLE, "cpa" DOUBLE, "roas" DOUBLE, "search_impression_share" DOUBLE, "search_budget_lost_impression_share" DOUBLE, PRIMARY KEY ("customer_id", "week", "campaign_id")) WITHOUT ROWID;

CREATE TABLE "data_dictionary" ("table_name" TEXT NOT NULL, "column_name" TEXT NOT NULL, "type" TEXT, "unit" TEXT, "description" TEXT, PRIMARY KEY ("table_name", "column_name")) WITHOUT ROWID;

CREATE TABLE "day_reading" ("query" TEXT NOT NULL, "customer_id" INTEGER NOT NULL, "date" DATE NOT NULL, "reading" INTEGER NOT NULL, "read_at" DATETIME, "days_after" INTEGER, "rows" INTEGER, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, "cost" DECIMAL(18,6), "currency" TEXT, "totals" TEXT, PRIMARY KEY ("query", "customer_id", "date", "reading")) WITHOUT ROWID;

CREATE TABLE "decision" ("event_id" INTEGER NOT NULL, "kind" TEXT, "origin" TEXT, "dry_run" BOOLEAN, "run_id" INTEGER, "customer_id" INTEGER NOT NULL, "budget_id" INTEGER, "campaign_id" INTEGER, "campaign_name" TEXT, "subject_kind" TEXT, "subject" TEXT, "account_day" DATE, "rule" TEXT, "rule_version" TEXT, "mode" TEXT, "code" TEXT, "currency" TEXT, "from_micros" INTEGER, "from_amount" DECIMAL(18,6), "to_micros" INTEGER, "to_amount" DECIMAL(18,6), "numbers" TEXT, "facts" TEXT, "reason" TEXT, "intent_id" INTEGER, "proposal_code" TEXT, "decided_at" DATETIME, PRIMARY KEY ("event_id")) WITHOUT ROWID;

CREATE TABLE "dim_ad_group" ("customer_id" INTEGER NOT NULL, "ad_group_id" INTEGER NOT NULL, "campaign_id" INTEGER, "ad_group_name" TEXT, "last_seen" DATE, PRIMARY KEY ("customer_id", "ad_group_id")) WITHOUT ROWID;

CREATE TABLE "dim_calendar" ("date" DATE NOT NULL, "year" INTEGER, "quarter" INTEGER, "month" INTEGER, "month_name" TEXT, "month_start" DATE, "iso_year" INTEGER, "iso_week" INTEGER, "week_start" DATE, "weekday" INTEGER, "weekday_name" TEXT, "is_weekend" BOOLEAN, PRIMARY KEY ("date")) WITHOUT ROWID;

CREATE TABLE "dim_campaign" ("customer_id" INTEGER NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "campaign_status" TEXT, "last_seen" DATE, PRIMARY KEY ("customer_id", "campaign_id")) WITHOUT ROWID;

CREATE TABLE "dim_keyword" ("customer_id" INTEGER NOT NULL, "ad_group_id" INTEGER NOT NULL, "ad_group_criterion_criterion_id" INTEGER NOT NULL, "campaign_id" INTEGER, "ad_group_criterion_keyword_text" TEXT, "ad_group_criterion_keyword_match_type" TEXT, "last_seen" DATE, PRIMARY KEY ("customer_id", "ad_group_id", "ad_group_criterion_criterion_id")) WITHOUT ROWID;

CREATE TABLE "foreign_change" ("id" INTEGER NOT NULL, "event_id" INTEGER, "customer_id" INTEGER NOT NULL, "budget_id" INTEGER, "account_day" DATE, "expected_micros" INTEGER, "expected_amount" DECIMAL(18,6), "found_micros" INTEGER, "found_amount" DECIMAL(18,6), "declared_micros" INTEGER, "declared_amount" DECIMAL(18,6), "intent_id" INTEGER, "seen_at" DATETIME, "expected_at" DATETIME, PRIMARY KEY ("id")) WITHOUT ROWID;

CREATE TABLE "run" ("id" INTEGER NOT NULL, "command" TEXT, "target" TEXT, "mode" TEXT, "dry_run" BOOLEAN, "state" TEXT, "started_at" DATETIME, "ended_at" DATETIME, "accounts" INTEGER, "rows_read" INTEGER, "operations" INTEGER, "budget_changes" INTEGER, "messages_sent" INTEGER, "failures" INTEGER, "error" TEXT, PRIMARY KEY ("id")) WITHOUT ROWID;

CREATE TABLE "run_account" ("run_id" INTEGER NOT NULL, "customer_id" INTEGER NOT NULL, "state" TEXT, "reason" TEXT, PRIMARY KEY ("run_id", "customer_id")) WITHOUT ROWID;

CREATE TABLE sqlite_stat1(tbl,idx,stat);

CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample);

CREATE TABLE "stats" ("customer_id" INTEGER NOT NULL, "campaign_id" INTEGER, "campaign_name" TEXT, "ad_group_id" INTEGER NOT NULL, "ad_group_name" TEXT, "ad_group_criterion_criterion_id" INTEGER NOT NULL, "ad_group_criterion_keyword_text" TEXT, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, "cost" DECIMAL(18,6), "date" DATE NOT NULL, "currency" TEXT, PRIMARY KEY ("customer_id", "date", "ad_group_id", "ad_group_criterion_criterion_id")) WITHOUT ROWID;

CREATE TABLE "stats_by_day" ("customer_id" INTEGER NOT NULL, "date" DATE NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, "cost" DECIMAL(18,6), "currency" TEXT, "ctr" DOUBLE, "average_cpc" DOUBLE, "share_of_spend" DOUBLE, PRIMARY KEY ("customer_id", "date", "campaign_id")) WITHOUT ROWID;

CREATE TABLE "stats_by_month" ("customer_id" INTEGER NOT NULL, "month" DATE NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "days" INTEGER, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, "cost" DECIMAL(18,6), "currency" TEXT, "ctr" DOUBLE, "average_cpc" DOUBLE, "share_of_spend" DOUBLE, PRIMARY KEY ("customer_id", "month", "campaign_id")) WITHOUT ROWID;

CREATE TABLE "stats_by_week" ("customer_id" INTEGER NOT NULL, "week" DATE NOT NULL, "campaign_id" INTEGER NOT NULL, "campaign_name" TEXT, "days" INTEGER, "impressions" INTEGER, "clicks" INTEGER, "cost_micros" INTEGER, "cost" DECIMAL(18,6), "currency" TEXT, "ctr" DOUBLE, "average_cpc" DOUBLE, "share_of_spend" DOUBLE, PRIMARY KEY ("customer_id", "week", "campaign_id")) WITHOUT ROWID;

CREATE TABLE "weeks" ("customer_id" INTEGER, "campaign_id" INTEGER, "week" TEXT, "clicks" INTEGER, "cost_micros" INTEGER, "cost" DECIMAL(18,6));
