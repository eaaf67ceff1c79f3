import { HtmlValidate, type RuleConfig } from 'html-validate';

// It counts the characters of an escape each; and a style that turns rows into blocks makes readers of screens forget what
// they are, so the roles are said.
// Only data knows where a mark of a chart is.
const placed = ['left', 'bottom', 'top', 'flex-grow'];
const rules: RuleConfig = {
  'long-title': 'off',
  'no-redundant-role': 'off',
  'no-inline-style': ['error', { allowedProperties: placed }],
};
const validator = new HtmlValidate({ extends: ['html-validate:recommended', 'html-validate:a11y'], rules });

/** Where the page is no valid or accessible HTML, as far as the validator can tell. */
export async function htmlFindings(page: string): Promise<string[]> {
  const { results } = await validator.validateString(page);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line} ${ruleId}: ${message}`),
  );
}
