import type { CivilDate } from '../../domain/civil-date.ts';
import type { AddedFields, CatalogueChange } from '../../language/gaql/catalogue/compare-catalogues.ts';
import { type Column, count, day, flag, id, instant, list, text } from '../../storage/columns/column.ts';
import { type Listing, memberPart } from '../../views/kit/listing.ts';
import { count as counted } from '../../views/text/text-layout.ts';

export interface ListedCatalogue {
  readonly name: string;
  readonly origin: 'shipped' | 'refreshed';
  readonly isUsed: boolean;
  readonly source?: string;
  readonly readAt?: string;
  readonly ageDays?: number;
  readonly resources?: number;
  readonly fields?: number;
  readonly failure?: string;
  readonly endsOn?: CivilDate | undefined;
}

const CATALOGUE_COLUMNS: readonly Column<ListedCatalogue>[] = [
  id('version', 'The version of the interface.', 'name', { title: 'Version' }),
  text('origin', 'shipped or refreshed.', 'origin', { title: 'Origin' }),
  flag('used', '`true` if queries are checked against it.', 'isUsed', {
    title: 'Used',
    shown: ({ isUsed }) => (isUsed ? 'yes' : ''),
  }),
  text('source', 'The service that it was read from.', 'source', { title: 'From', wraps: true }),
  instant('read_at', 'When it was read.', 'readAt', { title: 'Read' }),
  count('age_days', 'Its age in whole days.', 'ageDays', {
    title: 'Age',
    shown: ({ ageDays }) => (ageDays === undefined ? undefined : counted(ageDays, 'day')),
  }),
  count('resources', 'Number of resources.', 'resources', { title: 'Resources' }),
  count('fields', 'Number of fields.', 'fields', { title: 'Fields' }),
  day('ends_on', 'The day when the service ends the version, if it is known.', 'endsOn', { title: 'Ends' }),
  text('failure', 'Why it cannot be used.', 'failure', { title: 'Failed', long: true }),
];

export interface MissingName {
  readonly query: string;
  readonly name: string;
  readonly problem: 'unknown' | 'renamed' | 'not offered';
  readonly instead: string | undefined;
}

const MISSING_COLUMNS: readonly Column<MissingName>[] = [
  id('query', 'The query.', 'query', { title: 'Query' }),
  id('name', 'A resource or field.', 'name', { title: 'Name' }),
  text('problem', 'unknown, renamed, or not offered by the resource.', 'problem', { title: 'Problem' }),
  id('instead', 'The new name.', 'instead', { title: 'Write' }),
];

interface CatalogueStatus {
  readonly version: string;
  readonly chosen: string;
  readonly problem: string | undefined;
  readonly catalogues: readonly ListedCatalogue[];
  readonly queries: readonly MissingName[];
}

export const CATALOGUE_STATUS: Listing<CatalogueStatus> = {
  name: 'catalogue status',
  about: '`row` is `catalogue`, or `query` for a name in a query that the current catalogue lacks.',
  evident: ['version', 'read_at', 'age_days', 'resources', 'fields', 'query'],
  order: ['version', 'origin', 'used', 'source', 'read_at', 'age_days', 'resources', 'fields', 'ends_on', 'failure'],
  json: ({ version, chosen, problem }) => ({ version, chosen, problem }),
  parts: [
    memberPart('catalogues', { row: 'catalogue', title: 'Catalogues', columns: CATALOGUE_COLUMNS }),
    memberPart('queries', {
      row: 'query',
      title: 'Names that your queries use and the catalogue lacks',
      columns: MISSING_COLUMNS,
    }),
  ],
  after: ({ problem, queries }) => [
    ...(problem === undefined ? [] : [problem]),
    queries.length === 0 ? 'No query is affected.' : 'Run pacekeeper check.',
  ],
};

interface UsedChange extends CatalogueChange {
  readonly queries: readonly string[];
}

const CHANGE_COLUMNS: readonly Column<UsedChange>[] = [
  id('name', 'A resource or field of the earlier version.', 'name', { title: 'Name' }),
  text('change', 'removed, renamed, type, facts (selectable, filterable or sortable changed) or constants.', 'kind', {
    title: 'Change',
  }),
  text('before', 'The earlier name, type, facts, or removed constants.', 'before', {
    title: 'Before',
    wraps: true,
    shown: ({ kind, before }) => (kind === 'removed' || kind === 'renamed' ? '' : before),
  }),
  text('after', 'The new name, type or facts. For a removed field: a similar new one.', 'after', {
    title: 'After',
    wraps: true,
    shown: ({ kind, after }) => (kind === 'removed' && after !== undefined ? `perhaps ${after}` : after),
  }),
  list('queries', 'Queries that use it.', 'queries', { title: 'Used by', wraps: true }),
];

const ADDED_COLUMNS: readonly Column<AddedFields>[] = [
  id('name', 'A resource, `metrics` or `segments`.', 'owner', { title: 'Name' }),
  flag('new_resource', '`true` if the earlier version lacks the resource.', 'isNew', {
    title: 'Resource',
    shown: ({ isNew }) => (isNew ? 'new' : ''),
  }),
  count('added_fields', 'Number of new fields.', 'fields', { title: 'New fields' }),
];

interface CatalogueDiff {
  readonly earlier: string;
  readonly later: string;
  readonly changes: readonly UsedChange[];
  readonly added: readonly AddedFields[];
}

export const CATALOGUE_DIFF: Listing<CatalogueDiff> = {
  name: 'catalogue diff',
  about: '`row` is `change` or `added`. Changed names that a query uses come first.',
  order: ['name', 'change', 'before', 'after', 'queries'],
  json: ({ earlier, later }) => ({ earlier, later }),
  parts: [
    memberPart('changes', { row: 'change', title: 'Removed or changed', columns: CHANGE_COLUMNS }),
    memberPart('added', { row: 'added', title: 'Added', columns: ADDED_COLUMNS }),
  ],
  after: ({ earlier, later, changes }) => {
    const used = changes.filter(({ queries }) => queries.length > 0).length;
    const all = `${counted(changes.length, 'name')} of ${earlier} changed in ${later}`;
    return [used === 0 ? `${all}. No query is affected.` : `${all}, ${used} of them used by queries.`];
  },
};
