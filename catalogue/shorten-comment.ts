const LENGTH_MAX = 240;

/**
 * A definition's comment as one line of plain text: its first paragraph, or as many of that paragraph's sentences as
 * fit into 240 characters, and without the words on who may write the field. Empty when the comment says nothing.
 */
export function shortenComment(comment: string): string {
  const [paragraph = ''] = comment.trim().split(/\n\s*\n|\n\s*[*-] /);
  const text = withoutLinks(paragraph.replace(/\s+/g, ' ').trim()).replace(BEHAVIOUR, '');
  // A sentence that ends with a colon announces a list or a form that is not part of the paragraph.
  const sentences = text.replace(/(?<=[.!?]) [^.!?]*:$/, '').split(SENTENCE_BORDER);

  let short = sentences.shift() ?? '';
  for (const sentence of sentences) {
    if (short.length + 1 + sentence.length > LENGTH_MAX) break;
    short += ` ${sentence}`;
  }
  return short.length <= LENGTH_MAX ? short : `${short.slice(0, short.lastIndexOf(' ', LENGTH_MAX - 1))}…`;
}

const BEHAVIOUR = /^((Output only|Immutable|Required|Input only|Optional)\. *)+/i;

const SENTENCE_BORDER = /(?<=[.!?]["')]?)(?<!\b(?:e\.g|i\.e|etc|vs)\.) +(?=[A-Z"'(`])/;

/** `[Campaign][google.ads…Campaign]` and `[Campaign](https://…)` are `Campaign`. */
function withoutLinks(text: string): string {
  return text.replace(/\[([^\][]+)\] ?(?:\[[^\][]*\]|\(https?:[^)]*\))/g, '$1');
}
