/** The smallest step of the account's budget amounts, as the service said it last. */
export const statements = ['ALTER TABLE account ADD COLUMN budget_unit_micros INTEGER CHECK (budget_unit_micros > 0)'];
