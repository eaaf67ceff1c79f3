/** The script of Explore only. Without it, the text area takes the query. */
import { editSql } from './sql-editor.ts';

editSql();
