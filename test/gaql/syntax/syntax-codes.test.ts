import { describe, expect, it } from 'vitest';
import { SYNTAX_CODES } from '../../../src/language/gaql/codes.ts';
import { errorsOf } from '../findings.ts';

const PLACES: Readonly<Record<keyof typeof SYNTAX_CODES, string>> = {
  EXPECTED_SELECT: '1:1-1:6',
  EXPECTED_FROM: '1:20-1:24',
  EXPECTED_BY: '1:40-1:51',
  EXPECTED_AND: '1:56-1:58',
  EXPECTED_LIST: '1:55-1:56',
  EXPECTED_SINGLE_VALUE: '1:54-1:60',
  EXPECTED_VALUE_WITH_BETWEEN_OPERATOR: '1:60-1:63',
  PROHIBITED_EMPTY_LIST_IN_CONDITION: '1:55-1:57',
  BAD_FIELD_NAME: '1:21-1:25',
  BAD_ALIAS: '1:23-1:33',
  BAD_OPERATOR: '1:54-1:59',
  BAD_VALUE: '1:90-1:91',
  BAD_NUMBER: '1:62-1:65',
  BAD_SYMBOL: '1:8-1:9',
  BAD_ESCAPE_SEQUENCE: '1:56-1:62',
  STRING_NOT_TERMINATED: '1:56-1:62',
  PROHIBITED_NEWLINE_IN_STRING: '1:56-2:7',
  COMMENT_NOT_TERMINATED: '1:34-1:36',
  BAD_LIMIT_VALUE: '1:40-1:43',
  LIMIT_VALUE_TOO_LOW: '1:40-1:41',
  BAD_PARAMETER_NAME: '1:45-1:58',
  BAD_PARAMETER_VALUE: '1:62-1:63',
  UNEXPECTED_END_OF_QUERY: '1:53-1:53',
  UNEXPECTED_INPUT: '1:20-1:33',
};

describe('the example of each code', () => {
  it.each(Object.entries(SYNTAX_CODES))('%s', (code, { wrong, right }) => {
    const place = Object.entries(PLACES).find(([name]) => name === code)?.[1];
    expect(errorsOf(wrong)).toEqual([`${code} ${place}`]);
    expect(errorsOf(right)).toEqual([]);
  });
});
