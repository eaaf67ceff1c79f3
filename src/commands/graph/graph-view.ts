import type { PageToken, Permission } from '../../channels/graph/diagnose-pages.ts';
import type { PhoneNumber } from '../../channels/graph/phone-numbers.ts';
import { type Column, id, list, text } from '../../storage/columns/column.ts';
import { oneList } from '../../views/kit/listing.ts';

const PHONE_NUMBER_COLUMNS: readonly Column<PhoneNumber>[] = [
  id('id', 'The id for GRAPH_PHONE_NUMBER_ID.', 'id', { title: 'Id' }),
  text('display_phone_number', 'The number as people see it.', 'displayNumber', { title: 'Number' }),
  text('verified_name', 'The name that recipients see.', 'verifiedName', { title: 'Name', wraps: true }),
  text('quality_rating', 'The provider’s quality rating.', 'qualityRating', { title: 'Quality' }),
];

export const PAGE_COLUMNS: readonly Column<PageToken>[] = [
  id('id', 'The id of the page.', 'id', { title: 'Id' }),
  text('name', 'The name of the page.', 'name', { title: 'Name', wraps: true }),
  text('category', 'The category of the page.', 'category', { title: 'Category', wraps: true }),
  list('tasks', 'Tasks that the user may perform on the page.', 'tasks', { title: 'Tasks', wraps: true }),
  text(
    'token',
    'held if a token is available, otherwise none.',
    ({ accessToken }) => (accessToken === undefined ? 'none' : 'held'),
    {
      title: 'Token',
    },
  ),
];

const PERMISSION_COLUMNS: readonly Column<Permission>[] = [
  text('permission', 'The permission, such as pages_show_list.', 'permission', { title: 'Permission', wraps: true }),
  text('status', 'granted, declined or expired.', 'status', { title: 'Status' }),
];

export const GRAPH_PHONE_NUMBERS = oneList({
  name: 'graph phone-numbers',
  about: 'The numbers that the business account can send from.',
  evident: ['display_phone_number', 'verified_name', 'quality_rating'],
  none: 'The business account has no number.',
  columns: PHONE_NUMBER_COLUMNS,
});

export const GRAPH_PAGE_TOKENS = oneList({
  name: 'graph page-tokens',
  about: "The pages that the user's token reaches. No token is shown.",
  evident: ['name', 'category', 'tasks'],
  none: 'The token reaches no page. Run pacekeeper graph diagnose-pages to find out why.',
  columns: PAGE_COLUMNS,
});

export const GRAPH_PERMISSIONS = oneList({
  name: 'graph permissions',
  about: 'The permissions that the user granted to the app or declined.',
  evident: ['permission'],
  none: 'The user granted nothing.',
  columns: PERMISSION_COLUMNS,
});
