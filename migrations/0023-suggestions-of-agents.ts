/**
 * Proposals of agents. No rule stands behind them: `rule` is `agent:` and the name of the agent. `agent_key` makes a repeated
 * request find its proposal. `evidence` is a JSON object of texts, and `as_of` its age in UTC.
 */
export const statements = [
  `ALTER TABLE budget_proposal ADD COLUMN kind TEXT NOT NULL DEFAULT 'rule' CHECK (kind IN ('rule', 'agent'))`,
  'ALTER TABLE budget_proposal ADD COLUMN agent_key TEXT',
  'ALTER TABLE budget_proposal ADD COLUMN request_sha256 TEXT CHECK (length(request_sha256) = 64)',
  'ALTER TABLE budget_proposal ADD COLUMN evidence TEXT CHECK (json_valid(evidence))',
  'ALTER TABLE budget_proposal ADD COLUMN as_of TEXT',
  `CREATE UNIQUE INDEX budget_proposal_by_key ON budget_proposal (rule, agent_key) WHERE agent_key IS NOT NULL`,
];
