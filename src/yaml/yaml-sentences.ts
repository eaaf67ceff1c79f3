import type { ErrorCode, YAMLError } from 'yaml';

interface Sentence {
  readonly message: string;
  readonly hint?: string;
}

const NOT_YAML = 'The file is not YAML here.';
const IN_QUOTES = 'A value with special characters must stand in quotes.';

/** What is said of a key that its group has already. */
export const KEY_TWICE: Sentence = { message: 'Map keys must be unique.' };

/**
 * What is said of a mistake, by the library's code. Its own messages are not taken, because some of them repeat the
 * text, and that may be a secret.
 */
const SENTENCES: Readonly<Partial<Record<ErrorCode, Sentence>>> = {
  ALIAS_PROPS: { message: 'An alias can have neither an anchor nor a tag.' },
  BAD_ALIAS: { message: 'This is not the name of an anchor.', hint: IN_QUOTES },
  BAD_DQ_ESCAPE: {
    message: 'This backslash begins nothing that YAML knows.',
    hint: 'Write it twice, or put the value in single quotes.',
  },
  BAD_INDENT: { message: 'The indentation is not that of the lines around it.' },
  BAD_SCALAR_START: { message: 'A value cannot begin with this character.', hint: IN_QUOTES },
  BLOCK_AS_IMPLICIT_KEY: { message: 'A group or a list cannot begin here.', hint: IN_QUOTES },
  BLOCK_IN_FLOW: { message: 'Block collections are not allowed within flow collections.' },
  KEY_OVER_1024_CHARS: { message: 'The colon is more than 1024 characters after the start of its key.' },
  MISSING_CHAR: { message: 'A character is missing here.' },
  MULTILINE_IMPLICIT_KEY: { message: 'A key and its colon must stand on one line.' },
  MULTIPLE_ANCHORS: { message: 'A value can have one anchor at most.' },
  MULTIPLE_DOCS: { message: 'A second document begins here, and one is read.' },
  MULTIPLE_TAGS: { message: 'A value can have one tag at most.' },
  RESOURCE_EXHAUSTION: { message: 'There are too many lists and groups inside each other.' },
  TAB_AS_INDENT: { message: 'Tabs are not allowed as indentation.' },
  UNEXPECTED_TOKEN: { message: NOT_YAML, hint: IN_QUOTES },
};

/** The library's messages that say more than their code, and are the same whatever the text. */
const KEPT = new Set([
  'All mapping items must start at the same column',
  'All sequence items must start at the same column',
  'Block scalar lines must not be less indented than their explicit indentation indicator',
  'Block scalar lines must not be less indented than their first line',
  'Block scalar values in collections must be indented',
  'Comments must be separated from other tokens by white space characters',
  'Flow map in block collection must be sufficiently indented and end with a }',
  'Flow map must end with a }',
  'Flow sequence in block collection must be sufficiently indented and end with a ]',
  'Flow sequence must end with a ]',
  'Implicit map keys need to be followed by map values',
  'Missing , between flow map items',
  'Missing , between flow sequence items',
  'Missing , or : between flow map items',
  'Missing , or : between flow sequence items',
  'Missing closing "quote',
  "Missing closing 'quote",
  'Missing space after : in flow map',
  'Missing space after : in flow sequence',
  'Sequence item without - indicator',
  'Tags and anchors must be separated from the next token by white space',
]);

/** What is wrong where YAML ends, in words that never hold a part of the text. */
export function sentenceFor(error: YAMLError): Sentence {
  const line = error.message.split('\n')[0] ?? '';
  return KEPT.has(line) ? { message: `${line}.` } : (SENTENCES[error.code] ?? { message: NOT_YAML });
}
