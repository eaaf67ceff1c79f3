/** Functions and operators of SQLite that the statements of the records use, with the same results. */
export const VOCABULARY: readonly string[] = [
  // Not in parallel, because it catches an error.
  `CREATE FUNCTION json_valid(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT AS $$
    BEGIN PERFORM $1::json; RETURN true; EXCEPTION WHEN others THEN RETURN false; END $$`,
  // As in SQLite, true and false are 1 and 0.
  `CREATE FUNCTION json_member(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN json_typeof(value) <> 'boolean' THEN value #>> '{}' WHEN value::text = 'true' THEN '1' ELSE '0' END
    FROM (SELECT CASE WHEN $2 LIKE '$.%' THEN $1::json #> string_to_array(substr($2, 3), '.') ELSE $1::json -> $2 END
      AS value) AS member WHERE value IS NOT NULL $$`,
  `CREATE FUNCTION json_part(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ($1::json -> $2)::text $$`,
  `CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_member)`,
  `CREATE OPERATOR -> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_part)`,
  // Keeps the order and the spelling of all other members.
  `CREATE FUNCTION json_remove(text, VARIADIC text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT '{' || coalesce(string_agg(to_json(key)::text || ':' || value::text, ',' ORDER BY place), '') || '}'
    FROM json_each($1::json) WITH ORDINALITY AS member(key, value, place) WHERE '$.' || key <> ALL ($2) $$`,
  // Rounds a half away from zero, like SQLite's round().
  `CREATE FUNCTION millionths(double precision) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (CASE WHEN abs($1 * 1000000) >= 4503599627370496 THEN $1 * 1000000 WHEN $1 < 0 THEN -floor(0.5 - $1 * 1000000)
      ELSE floor($1 * 1000000 + 0.5) END)::bigint $$`,
  // The compensated sum of SQLite, in which the order of rows hardly matters.
  `CREATE FUNCTION float_sum_step(double precision[], double precision) RETURNS double precision[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$ DECLARE sum double precision := $1[1] + $2; BEGIN RETURN ARRAY[sum, $1[2] +
      CASE WHEN abs($1[1]) > abs($2) THEN ($1[1] - sum) + $2 ELSE ($2 - sum) + $1[1] END]; END $$`,
  `CREATE FUNCTION float_sum_end(double precision[]) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT $1[1] + $1[2] $$`,
  `CREATE AGGREGATE float_sum(double precision)
    (SFUNC = float_sum_step, STYPE = double precision[], INITCOND = '{0,0}', FINALFUNC = float_sum_end)`,
  // In the published views, in models and for readers of `warehouse`.
  `CREATE AGGREGATE warehouse.total(double precision)
    (SFUNC = float_sum_step, STYPE = double precision[], INITCOND = '{0,0}', FINALFUNC = float_sum_end)`,
  `CREATE FUNCTION warehouse.date(date, VARIADIC text[]) RETURNS date LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE day date := $1; change text; BEGIN
      FOREACH change IN ARRAY $2 LOOP
        day := CASE WHEN change LIKE 'start of %' THEN date_trunc(substr(change, 10), day::timestamp)::date
          WHEN change LIKE 'weekday _' THEN day + (7 + right(change, 1)::int - extract(dow FROM day)::int) % 7
          ELSE (day + change::interval)::date END;
      END LOOP;
      RETURN day; END $$`,
  `CREATE FUNCTION warehouse.strftime(format text, instant timestamp) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE sign text[]; BEGIN
      FOREACH sign SLICE 1 IN ARRAY ARRAY[['Y', 'YYYY'], ['m', 'MM'], ['d', 'DD'], ['H', 'HH24'], ['M', 'MI'], ['S', 'SS'],
        ['f', 'SS.MS'], ['j', 'DDD'], ['G', 'IYYY'], ['V', 'IW'], ['u', 'ID']] LOOP
        format := replace(format, '%' || sign[1], '"' || sign[2] || '"');
      END LOOP;
      RETURN to_char(instant, '"' || format || '"'); END $$`,
  `CREATE FUNCTION warehouse.strftime(format text, instant text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    BEGIN RETURN warehouse.strftime($1, $2::timestamp); END $$`,
  `CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT strpos($1, $2) $$`,
  `CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT greatest($1, $2) $$`,
];

/** The triggers of SQLite that protect the audit trail, with the same words. */
export const GUARDS: readonly string[] = [
  `CREATE FUNCTION budget_event_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.id <> coalesce((SELECT max(id) FROM pacekeeper.budget_event), 0) + 1
      OR NEW.previous_hash <> coalesce((SELECT hash FROM pacekeeper.budget_event ORDER BY id DESC LIMIT 1), repeat('0', 64))
    THEN RAISE EXCEPTION 'budget_event only grows: an event follows the last one'; END IF;
    -- A command that began before the move must not add to the old record.
    IF EXISTS (SELECT FROM pacekeeper.store_move WHERE state <> 'arriving')
    THEN RAISE EXCEPTION 'the records moved to another store, where they go on'; END IF;
    RETURN NEW; END $$`,
  `CREATE FUNCTION budget_event_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'budget_event only grows: an event is never %',
      CASE TG_OP WHEN 'UPDATE' THEN 'changed' ELSE 'deleted' END; END $$`,
  `CREATE TRIGGER budget_event_goes_on BEFORE INSERT ON budget_event
    FOR EACH ROW EXECUTE FUNCTION budget_event_goes_on()`,
  `CREATE TRIGGER budget_event_is_not_changed BEFORE UPDATE ON budget_event
    FOR EACH ROW EXECUTE FUNCTION budget_event_stays()`,
  `CREATE TRIGGER budget_event_is_not_deleted BEFORE DELETE ON budget_event
    FOR EACH ROW EXECUTE FUNCTION budget_event_stays()`,
  `CREATE TRIGGER budget_event_is_not_emptied BEFORE TRUNCATE ON budget_event
    FOR EACH STATEMENT EXECUTE FUNCTION budget_event_stays()`,
];
