import { describe, expect, it } from 'vitest';
import { isSignedByGraph, readGraphWebhook } from '../../../src/channels/graph/receive-webhooks.ts';
import { isSignedByMessages, readMessagesWebhook } from '../../../src/channels/messages/receive-webhooks.ts';
import { checkContext } from '../../../src/commands/cli/choose-inputs.ts';
import { parameterOption } from '../../../src/commands/cli/common-options.ts';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { InputError } from '../../../src/domain/errors.ts';
import { readReply } from '../../../src/engine/answers/record-reply.ts';
import { checkQueryFile } from '../../../src/language/gaql/query-file.ts';
import { formatQuery } from '../../../src/language/gaql/syntax/format-query.ts';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printQuery } from '../../../src/language/gaql/syntax/print-query.ts';
import { describeRule } from '../../../src/language/rules/file/describe-rule.ts';
import { checkRuleFile } from '../../../src/language/rules/file/rule-file.ts';
import { parseCondition } from '../../../src/language/rules/language/parse-expression.ts';
import { readMarketFile } from '../../../src/sandbox/market/replay-market.ts';
import { BatchScanner } from '../../../src/services/http/batch-scanner.ts';
import { readForm } from '../../../src/services/http/received-request.ts';
import type { Inbox } from '../../../src/storage/inbox/inbox.ts';
import { failureOf } from '../fuzz-loop.ts';
import { keepFilesOfTargets } from '../own-folder.ts';
import type { Target } from '../target.ts';
import { ASKS, answersTarget } from '../targets/answers.ts';
import { envTarget, marketTarget } from '../targets/files.ts';
import { parameterTarget } from '../targets/parameter.ts';
import { queryTarget } from '../targets/query.ts';
import { replyTarget } from '../targets/reply.ts';
import { ruleTarget } from '../targets/rule.ts';
import { SECRET, settingsTarget } from '../targets/settings.ts';
import { streamTarget } from '../targets/stream.ts';
import { VALUES, valuesTarget } from '../targets/values.ts';
import { graphWebhookTarget, messagesWebhookTarget } from '../targets/webhooks.ts';
import { saidOf, type WrongProgram } from './found-out.ts';
import { WRONG_TEXTS } from './wrong-texts.ts';
import { WRONG_VALUES } from './wrong-values.ts';
import { WRONG_WEBHOOKS } from './wrong-webhooks.ts';

const query = { parse: parseQuery, format: formatQuery, print: printQuery, check: checkQueryFile };
const rule = { check: checkRuleFile, describe: describeRule, parse: parseCondition };
const inboxOf = (inbox: Inbox) => inbox;
const graph = { read: readGraphWebhook, isSigned: isSignedByGraph, inboxOf };
const messages = { form: readForm, read: readMessagesWebhook, isSigned: isSignedByMessages, inboxOf };
const parameter = { option: parameterOption, contextOf: checkContext, check: checkQueryFile };
const values = { ...VALUES, parseCivilDate: (text: string) => text as never };

/** The scanner with one event changed. */
const wrongScanner = (change: (json: Uint8Array) => Uint8Array) => () => {
  const scanner = new BatchScanner();
  return {
    push: (chunk: Uint8Array) =>
      scanner.push(chunk).map((event) => (event.kind === 'rows' ? { ...event, json: change(event.json) } : event)),
    end: () => scanner.end(),
  };
};

keepFilesOfTargets();

describe('a wrong program is detected', () => {
  it.each<WrongProgram>([
    ...WRONG_TEXTS,
    ...WRONG_VALUES,
    ...WRONG_WEBHOOKS,
    [
      'a format that loses a condition',
      queryTarget({ ...query, format: (parsed) => formatQuery({ ...parsed, tree: { ...parsed.tree, where: [] } }) }),
      "SELECT campaign.id FROM campaign WHERE campaign.name = 'a'",
      'Formatting changed the query',
    ],
    [
      'a finding behind the text',
      queryTarget({
        ...query,
        parse: (source) => {
          const { diagnostics, ...parsed } = parseQuery(source);
          const far = { offset: source.length + 9, line: 1, column: 1 };
          return { ...parsed, diagnostics: diagnostics.map((found) => ({ ...found, span: { start: far, end: far } })) };
        },
      }),
      'SELECT',
      'A finding behind the text',
    ],
    [
      'a parser that throws',
      queryTarget({
        ...query,
        parse: () => {
          throw new RangeError('Maximum call stack size exceeded');
        },
      }),
      'SELECT',
      'RangeError',
    ],
    [
      'a rule with an error',
      ruleTarget({ ...rule, check: (...args) => ({ ...checkRuleFile(...args), rule: {} as never }) }),
      'from: nothing',
      'A rule with errors',
    ],
    [
      'a setting that is dropped',
      settingsTarget({ settle: () => settingsFrom('/nowhere', {}, {}, '') }),
      'nonsense: 1',
      'A section of the file is in none of the settings',
    ],
    [
      'a secret in a message',
      settingsTarget({
        settle: (path, _options, _environment, source) => {
          throw new InputError(`${path} cannot be used: ${source}`);
        },
      }),
      `graph: { token: ${SECRET} }`,
      'A secret is shown',
    ],
    [
      'a scanner that swallows a byte',
      streamTarget(wrongScanner((json) => Buffer.from(Buffer.from(json).toString().replace('12', '1')))),
      '[{"results":[{"a":12}]}]',
      'The rows are not those of JSON.parse',
    ],
    [
      'a scanner that depends on the cut',
      streamTarget(() => {
        const scanner = new BatchScanner();
        return { push: (chunk) => (chunk.length === 1 ? [] : scanner.push(chunk)), end: () => undefined };
      }),
      '[{"results":[{"a":12}]}]',
      'Another cut of the bytes reads otherwise',
    ],
    ['a webhook that stores nothing', graphWebhookTarget({ ...graph, read: () => [] }), '{}', 'Nothing of the body'],
    [
      'a signature that is never checked',
      graphWebhookTarget({ ...graph, isSigned: () => true }),
      '{}',
      'The signature of another body',
    ],
    [
      'a message lost beside another',
      graphWebhookTarget({ ...graph, read: (body) => readGraphWebhook(body).slice(0, 1) }),
      '{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":{"statuses":[{"id":"a","status":"read"},{"id":"b","status":"read"}]}}]}]}',
      'A text of the body is in no event',
    ],
    [
      'a form with an unchecked signature',
      messagesWebhookTarget({ ...messages, isSigned: () => true }),
      'From=a',
      'The signature of another form',
    ],
    [
      'a lost field of a form',
      messagesWebhookTarget({ ...messages, read: (fields) => ({ ...readMessagesWebhook(fields), payload: '{}' }) }),
      'From=a&Body=b',
      'A field of the form is not in the payload',
    ],
    [
      'a guessed reply',
      replyTarget((text) =>
        /yes/i.test(text) ? { kind: 'decision', decision: 'approve', code: '7K3Q' } : readReply(text),
      ),
      'yes 7K3Q, but not today',
      'More or something else was said',
    ],
    [
      'a market without one row',
      marketTarget(async (file) => {
        const rows = await readMarketFile(file);
        return { ...rows, keyword: rows.keyword.slice(1) };
      }),
      'date,keyword_id,impressions,clicks\n2026-11-01,5,1,1\n',
      'The rows are not those of another reading',
    ],
    ['an .env read differently', envTarget(() => ({ A: 'c' })), 'A=b\n', 'A plain line is read otherwise'],
    [
      'a value that ends its quotes',
      parameterTarget({
        ...parameter,
        check: (name, source, context) => ({
          ...checkQueryFile(name, source.replace(':x', `'${context.parameters?.get('x')?.[0]}'`), context),
          diagnostics: [],
        }),
      }),
      "x=a' AND campaign.name = 'b",
      'A value changed the query',
    ],
    ['a day that does not exist', valuesTarget(values), '2026-02-30', 'A date is judged otherwise'],
    [
      'an answer read as a change that was never made',
      answersTarget({
        ...ASKS,
        mutate: async () => [{ kind: 'accepted', named: true, requestId: undefined }],
      }),
      '200\n{"results":[{"resourceName":"customers/1/campaignBudgets/2"}]}',
      'A change is taken for made',
    ],
  ])('%s', async (_, target, input, words) => {
    expect(await saidOf(target, input)).toContain(words);
  });

  it.each(["it's", "a' OR campaign.id = 1 --", 'a\\', 'a"b', "a'); x"])(
    'a hostile value such as %s reaches the query for comparison',
    async (value) => {
      let reached = 0;
      const check: typeof checkQueryFile = (...about) => {
        const checked = checkQueryFile(...about);
        if (checked.query) reached += 1;
        return checked;
      };
      const target = parameterTarget({ option: parameterOption, contextOf: checkContext, check });
      expect(await saidOf(target, `x=${value}`)).toBeUndefined();
      expect(reached).toBeGreaterThan(0);
    },
  );

  it('detects anything left on shared object prototypes', async () => {
    const target: Target = {
      name: 'wrong',
      tokens: [],
      seeds: () => [],
      judge: () => {
        (Object.prototype as Record<string, unknown>).shared = true;
      },
    };
    expect((await failureOf(target, Buffer.of(1)))?.message).toContain('A prototype has more than before: shared');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
