import { type Catalogue, type CatalogueField, isSelectable } from '../../gaql/catalogue/catalogue.ts';
import { columnName, MICROS } from '../../gaql/check/column.ts';
import type { QueryFile } from '../../gaql/query-file.ts';

/** What is known of the fields of a rule's table beyond its columns. */
export interface TableFields {
  /** The field that a column of the table holds. */
  fieldOf(column: string): CatalogueField | undefined;
  /** A field that the query could select, by the name that its column, or the amount beside it, would have. */
  selectable(name: string): CatalogueField | undefined;
}

export function tableFields({ columns, resource }: QueryFile, { fields, resources }: Catalogue): TableFields {
  const from = resources.get(resource);
  return {
    fieldOf(name) {
      const column = columns.find((each) => each.name === name);
      return column && fields.get(column.field);
    },
    selectable(name) {
      const candidates = new Set([name, `${name}${MICROS}`]);
      const found = [...fields.values()].filter((field) => candidates.has(columnName(field.name)));
      return from && found.find((field) => isSelectable(from, field));
    },
  };
}
