import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import {
  type CatalogueField,
  type CatalogueResource,
  selectableFields,
} from '../../../src/language/gaql/catalogue/catalogue.ts';
import { operatorsOf } from '../../../src/language/gaql/check/check-condition.ts';
import { isCoreDate } from '../../../src/language/gaql/check/check-dates.ts';
import { PERIOD_NAMES } from '../../../src/language/gaql/check/date-window.ts';
import { byEffort } from '../../support/effort.ts';
import { check, errorsOf } from '../findings.ts';

const CATALOGUE = loadCatalogue('v25');
/** Constants that are words of the language stand in quotes. */
const KEYWORDS = ['FROM', 'AND', 'OR'];

/** They want conditions of their own. */
const SPECIAL = ['click_view', 'change_event', 'change_status'];

const literal = (field: CatalogueField): fc.Arbitrary<string> => {
  switch (field.type) {
    case 'INT64':
      return fc.integer({ min: -5, max: 1e9 }).map(String);
    case 'DOUBLE':
      return fc.integer({ min: -500, max: 500 }).map((hundredths) => (hundredths / 100).toFixed(2));
    case 'BOOLEAN':
      return fc.constantFrom('TRUE', 'false', "'TRUE'");
    case 'ENUM':
      return fc
        .constantFrom(...field.values)
        .chain((value) => fc.constantFrom(`'${value}'`, `"${value}"`, KEYWORDS.includes(value) ? `'${value}'` : value));
    case 'DATE':
    case 'DATE_TIME':
      return fc.constantFrom("'2026-01-05'", "'20260106'", ':today-3', ':month_start');
    default:
      return fc.string({ maxLength: 8 }).map((text) => `'${text.replace(/[\\'\n\r\t]/g, '\\$&')}'`);
  }
};

const condition = (field: CatalogueField): fc.Arbitrary<string> =>
  fc.constantFrom(...operatorsOf(field)).chain((operator) => {
    const { name } = field;
    if (operator.startsWith('IS')) return fc.constant(`${name} ${operator}`);
    if (operator === 'DURING') return fc.constantFrom(...PERIOD_NAMES).map((period) => `${name} DURING ${period}`);
    if (operator === 'BETWEEN') return literal(field).map((value) => `${name} BETWEEN ${value} AND ${value}`);
    if (/IN$|^CONTAINS/.test(operator)) {
      return fc
        .array(literal(field), { minLength: 1, maxLength: 3 })
        .map((values) => `${name} ${operator} (${values.join(', ')})`);
    }
    return /LIKE|REGEXP/.test(operator)
      ? fc.constant(`${name} ${operator} 'x%'`)
      : literal(field).map((value) => `${name} ${operator} ${value}`);
  });

interface Asked {
  readonly resource: CatalogueResource;
  readonly selected: readonly CatalogueField[];
  readonly text: string;
}

/** Any fields of any resource, conditions on what is selected and ordered by it; a selected date is bounded. */
const asked: fc.Arbitrary<Asked> = fc
  .constantFrom(...[...CATALOGUE.resources.values()].filter(({ name }) => !SPECIAL.includes(name)))
  .chain((resource) => {
    // Segments of conversions exclude many metrics.
    const fields = selectableFields(CATALOGUE, resource).filter(({ name }) => !/^segments\.\w*conversion_/.test(name));
    return fc.uniqueArray(fc.constantFrom(...fields), { minLength: 1, maxLength: 8 }).chain((selected) => {
      const usable = selected.filter(
        ({ name, type, repeated }) => !isCoreDate(name) && (type !== 'MESSAGE' || repeated),
      );
      const conditions =
        usable.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...usable).chain(condition), { maxLength: 4 });
      return conditions.map((where) => {
        const dated = selected.some(({ name }) => isCoreDate(name)) ? ['segments.date DURING LAST_30_DAYS'] : [];
        const all = [...dated, ...where];
        const sorted = usable.find(({ repeated }) => !repeated);
        const order = sorted ? ` ORDER BY ${sorted.name} DESC` : '';
        const text = `SELECT ${selected.map(({ name }) => name).join(', ')} FROM ${resource.name}${all.length > 0 ? ` WHERE ${all.join(' AND ')}` : ''}${order}`;
        return { resource, selected, text };
      });
    });
  });

describe('any query of the catalogue', () => {
  it('has no error', () => {
    fc.assert(
      fc.property(asked, ({ text }) => {
        expect(errorsOf(text), text).toEqual([]);
      }),
      { numRuns: byEffort({ quick: 80, thorough: 200 }) },
    );
  });

  it('has its own column names, and either a key or a warning', () => {
    fc.assert(
      fc.property(asked, ({ text }) => {
        const { query, diagnostics } = check(text);
        const names = ['customer_id', ...(query?.columns.map(({ name }) => name) ?? [])];
        expect(new Set(names).size).toBe(names.length);
        expect((query?.key ?? []).filter((name) => !names.includes(name))).toEqual([]);
        const isWarned = diagnostics.some(({ code }) => code === 'MISSING_ROW_KEY');
        expect(query?.key.length === 0).toBe(isWarned || query?.resource === 'click_view');
      }),
      { numRuns: byEffort({ quick: 80, thorough: 200 }) },
    );
  });

  it('has one more error, on the misspelt word, if a letter of a field changes', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz_0');
    fc.assert(
      fc.property(asked, fc.nat(), fc.nat(), letter, ({ resource, selected }, which, where, other) => {
        const names = selected.map(({ name }) => name);
        const index = which % names.length;
        const name = names[index] ?? '';
        const at = where % name.length;
        const wrong = name.slice(0, at) + other + name.slice(at + 1);
        fc.pre(wrong !== name && /^[a-z]/.test(wrong) && !CATALOGUE.fields.has(wrong));
        const before = `SELECT ${names
          .slice(0, index)
          .map((earlier) => `${earlier}, `)
          .join('')}`;
        const rest = names
          .slice(index + 1)
          .map((later) => `, ${later}`)
          .join('');
        const dated = names.some(isCoreDate) ? ' WHERE segments.date DURING TODAY' : '';
        const source = `${before}${wrong}${rest} FROM ${resource.name}${dated}`;
        const first = before.length + 1;
        const last = before.length + wrong.length + 1;
        expect(
          errorsOf(source).map((found) => found.split(' ')[1]),
          source,
        ).toEqual([`1:${first}-1:${last}`]);
      }),
      { numRuns: byEffort({ quick: 60, thorough: 150 }) },
    );
  });
});
