import type { Connection, Dialect } from '../backend.ts'
import { CAPTURED, type Capture } from '../changes/captured.ts'

/** Maximum number of staged rows; a transaction that changes more is recorded as a change of everything. */
export const MAX_STAGED_ROWS = 20_000
/** Maximum bytes staged in the setting: appending to a text costs more the longer it is. */
const MAX_SETTING_BYTES = 65_536

const EVENTS = ['insert', 'update', 'delete'] as const

/**
 * Creates the triggers, replacing those of an earlier version. They stage changes where that is cheapest, up to the
 * maximum.
 *
 * On PostgreSQL, the store's own transactions stage changes in a setting (`STAGING` in `changes/collect.ts`), which
 * leaves no dead rows, is rolled back with a savepoint and ends with the transaction. Its value is `-` and the rows,
 * one per line; beyond some length `#` and their number, while the rows are in the table; `*` if they are too many.
 * Changes of other programs are staged in the table.
 */
export async function stageChanges(connection: Connection, dialect: Dialect): Promise<void> {
  if (dialect === 'postgres') await connection.exec(`truncate table changing; ${stagingFunction}`)
  else await connection.exec(limitOfStaged)
  for (const [table, capture] of Object.entries<Capture>(CAPTURED)) {
    await connection.exec(dialect === 'postgres' ? postgresTrigger(table, capture) : sqliteTriggers(table, capture))
  }
}

/** Inserts a row of the kind `all` beyond the maximum. Triggers look it up by its ID 0. */
const limitOfStaged = `
  create trigger changing_limited after insert on changing
    when new.id > ${MAX_STAGED_ROWS} + (select min(id) from changing) begin
    insert or ignore into changing (id, kind, object, part, name) values (0, 'all', '', '', '');
  end;`

function sqliteTriggers(table: string, capture: Capture): string {
  const trigger = (name: string, event: string, condition: string, values: string) => `
    drop trigger if exists ${table}_${name}_captured;
    create trigger ${table}_${name}_captured after ${event} on ${table}
      when ${condition}not exists (select 1 from changing where id = 0) begin
      insert into changing (kind, object, part, name, before, after) values (${values});
    end;`
  const triggers = EVENTS.map((event) => {
    const columns = event === 'update' && capture.columns !== undefined ? ` of ${capture.columns.join(', ')}` : ''
    return trigger(event, `${event}${columns}`, '', stagedValues('sqlite', capture, event))
  })
  // If a row moves to another object, it is staged as deleted for the old one.
  const move = `update of ${keysOf(capture).join(', ')}`
  return [
    ...triggers,
    trigger('moved', move, `(${isMoved(capture)}) and `, stagedValues('sqlite', capture, 'delete')),
  ].join('\n')
}

const stagingFunction = `
  create function stage_change(kind text, object text, part text, name text, before text, after text)
    returns void language plpgsql as $$
  declare
    staged text := current_setting('svc.changing', true);
    how text := left(staged, 1);
    many integer;
  begin
    if how = '-' and octet_length(staged) < ${MAX_SETTING_BYTES} then
      perform set_config('svc.changing',
        staged || json_build_array(kind, object, part, name, before, after)::text || E'\\n', true);
      return;
    end if;
    if how = '-' then
      insert into changing (kind, object, part, name, before, after)
        select line->>0, line->>1, line->>2, line->>3, line->>4, line->>5
          from (select taken::json as line, place
            from unnest(string_to_array(substr(staged, 2), E'\\n')) with ordinality as split(taken, place)
            where taken <> '') as lines order by place;
      get diagnostics many = row_count;
      staged := '#' || many;
    end if;
    insert into changing (kind, object, part, name, before, after)
      values ($1, $2, $3, $4, $5, $6);
    if left(staged, 1) = '#' then
      many := substr(staged, 2)::integer + 1;
      perform set_config('svc.changing', case when many > ${MAX_STAGED_ROWS} then '*' else '#' || many end, true);
    end if;
  end $$;`

function postgresTrigger(table: string, capture: Capture): string {
  const stage = (event: (typeof EVENTS)[number]) => `perform stage_change(${stagedValues('postgres', capture, event)});`
  const columns = capture.columns === undefined ? '' : ` of ${capture.columns.join(', ')}`
  return `
    create or replace function capture_${table}() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then ${stage('insert')}
      elsif tg_op = 'UPDATE' then
        if ${isMoved(capture)} then ${stage('delete')} end if;
        ${stage('update')}
      else ${stage('delete')}
      end if;
      return null;
    end $$;
    drop trigger if exists ${table}_captured on ${table};
    create trigger ${table}_captured after insert or update${columns} or delete on ${table}
      for each row when (current_setting('svc.changing', true) is distinct from '*')
      execute function capture_${table}();`
}

/** Returns the values of a staged row. */
function stagedValues(dialect: Dialect, capture: Capture, event: (typeof EVENTS)[number]): string {
  const { kind, object, part, name } = capture
  const row = event === 'delete' ? 'old' : 'new'
  const json = dialect === 'sqlite' ? 'json_object' : 'json_build_object'
  const facts = (one: string) => `${json}(${pairs(capture, one)})${dialect === 'sqlite' ? '' : '::text'}`
  const values = [
    `'${kind}'`,
    `cast(${row}.${object} as text)`,
    `'${part}'`,
    name === undefined ? `''` : `cast(${row}.${name} as text)`,
    event === 'insert' ? 'null' : facts('old'),
    event === 'delete' ? 'null' : facts('new'),
  ]
  return values.join(', ')
}

/** Returns the columns that identify the object and part of a row. */
function keysOf({ object, name }: Capture): string[] {
  return name === undefined ? [object] : [object, name]
}

const isMoved = (capture: Capture) =>
  keysOf(capture)
    .map((column) => `old.${column} <> new.${column}`)
    .join(' or ')

function pairs({ facts }: Capture, row: string): string {
  return Object.entries(facts)
    .map(([name, sql]) => `'${name}', ${sql.replaceAll('row.', `${row}.`)}`)
    .join(', ')
}
