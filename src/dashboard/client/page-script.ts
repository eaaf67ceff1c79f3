/** The script of the dashboard. Without it, every page can be read and every act be done. */
import { actInPlace } from './act-in-place.ts';
import { focusSearchByKey } from './search-key.ts';
import { showNews } from './show-news.ts';
import { sortTables } from './sort-tables.ts';

showNews();
focusSearchByKey();
actInPlace();
sortTables();
