import { describe, expect, it } from 'vitest';
import { leadingComment, parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printed, S, syntaxOf } from './readings.ts';

const QUERY =
  "SELECT campaign.id AS c , campaign.name FROM campaign WHERE campaign.id IN ( 1 , 2 ) AND campaign.name LIKE 'a' ORDER BY campaign.id DESC LIMIT 5 PARAMETERS include_drafts = true ;";

describe('a comment between any two words changes nothing', () => {
  it.each([
    ['dashes', '-- it\'s "so" LIMIT 9\n'],
    ['three dashes', '---- so\r\n'],
    ['a hash', '#so\n'],
    ['two slashes', '// so; /* so\r'],
    ['a block', '/* so */'],
    ['a block over lines', '/* one\n * two -- \r\n */'],
    ['an empty block', '/**/'],
    ['a block of stars', '/***/'],
    ['all of them', '/* a */-- b\n# c\n// d\n'],
  ])('%s', (_, comment) => {
    const source = `${comment}${QUERY.replaceAll(' ', ` ${comment}`)}${comment}`;
    expect(printed(source)).toBe(printed(QUERY));
    const count = parseQuery(comment).comments.length;
    expect(parseQuery(source).comments).toHaveLength(count * (QUERY.split(' ').length + 1));
  });
});

describe('broken comments', () => {
  it.each([
    ['a block without an end', `${S} /* so`, ['COMMENT_NOT_TERMINATED 1:34-1:36']],
    ['a block without an end in the middle', 'SELECT /* so', ['COMMENT_NOT_TERMINATED 1:8-1:10']],
    ['nothing but a block without an end', '\n /* so', ['COMMENT_NOT_TERMINATED 2:2-2:4']],
    ['10,000 beginnings', `${S} ${'/* '.repeat(10_000)}`, ['COMMENT_NOT_TERMINATED 1:34-1:36']],
    ['an end without a beginning', `${S} */`, ['BAD_SYMBOL 1:34-1:36']],
    ['a block within a block', `${S} /* a /* b */ */`, ['BAD_SYMBOL 1:47-1:49']],
    ['a star and a slash apart', `${S} /* a * / LIMIT 5`, ['COMMENT_NOT_TERMINATED 1:34-1:36']],
  ])('%s', (_, source, places) => {
    expect(syntaxOf(source)).toEqual(places);
  });

  it('reads 10,000 nested starts as one comment', () => {
    expect(printed(`${S} ${'/* '.repeat(10_000)} */`)).toBe(S);
  });
});

describe('the description of a query', () => {
  it.each([
    ['dashes', '-- One.\n--- Two.', 'One.\nTwo.'],
    ['hashes and slashes', '# One.\n// Two.', 'One.\nTwo.'],
    ['a block', '/* One. */', 'One.'],
    ['a block with a star per line', '/**\n * One.\n *\n *   Two.\n */', 'One.\n\n  Two.'],
    ['a block of Windows', '/*\r\n  One.\r\n  Two.\r\n*/', 'One.\nTwo.'],
    ['lines apart', '-- One.\n\n-- Two.', 'One.\nTwo.'],
    ['an empty comment', '--', ''],
  ])('consists of the comments above it, without their marks: %s', (_, source, text) => {
    expect(parseQuery(`${source}\n${S} -- not this`).leadingComment).toBe(text);
  });

  it('is the whole text of a file with comments only', () => {
    expect(parseQuery('-- One.\n# Two.').leadingComment).toBe('One.\nTwo.');
    expect(leadingComment([], 0)).toBe('');
  });
});
