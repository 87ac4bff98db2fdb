import { rowsQuery, sql, type RowColumns, type Store } from '../../storage/store/index.ts'

/** A delivery about to be stored. */
export interface Planned {
  readonly message: string
  readonly webhook: number
  readonly change_id: number
  readonly type: string
  readonly subject: string
  readonly payload: string
}

/** The result of an attempt, as it is stored. */
export interface StoredOutcome {
  readonly id: number
  readonly state: 'waiting' | 'done' | 'dead'
  readonly attempts: number
  readonly due: number
  readonly status: number
  readonly error: string
  /** Unix milliseconds; 0 if the delivery will be tried again. */
  readonly finished: number
}

const PLANNED: RowColumns<Planned & { position: number; first: number }> = {
  message: 'text',
  webhook: 'bigint',
  change_id: 'bigint',
  type: 'text',
  subject: 'text',
  payload: 'text',
  position: 'bigint',
  first: 'bigint',
}
const OUTCOME: RowColumns<StoredOutcome> = {
  id: 'bigint',
  state: 'text',
  attempts: 'bigint',
  due: 'bigint',
  status: 'bigint',
  error: 'text',
  finished: 'bigint',
}

/**
 * Stores deliveries in order. A delivery waits until it is due, or is queued after an open delivery with the same
 * subject.
 */
export async function insertPlanned(tx: Store, planned: readonly Planned[]): Promise<void> {
  const now = Date.now()
  const seen = new Set<string>()
  const rows = planned.map((row, position) => {
    const key = `${row.webhook} ${row.subject}`
    const first = seen.has(key) ? 0 : 1
    seen.add(key)
    return { ...row, position, first }
  })
  await tx.run(sql`
    insert into webhook_deliveries (message, webhook, change_id, type, subject, payload, state, due, created)
    select message, webhook, change_id, type, subject, payload,
      case when first = 1 and not exists (
        select 1 from webhook_deliveries as other where other.webhook = planned.webhook
          and other.subject = planned.subject and other.state in ('queued', 'waiting')
      ) then 'waiting' else 'queued' end,
      cast(${now} as bigint), cast(${now} as bigint)
    from (${rowsQuery(tx.dialect, rows, PLANNED)}) as planned
    where exists (select 1 from webhooks where webhooks.id = planned.webhook)
    order by position`)
}

/**
 * Stores the results of attempts. If another process has attempted a delivery in the meantime, because this process was
 * considered dead, only a success is stored.
 */
export async function storeOutcomes(tx: Store, outcomes: readonly StoredOutcome[]): Promise<void> {
  await tx.run(sql`
    update webhook_deliveries set state = outcome.state, attempts = outcome.attempts, due = outcome.due,
      status = outcome.status, error = outcome.error, finished = outcome.finished
    from (${rowsQuery(tx.dialect, outcomes, OUTCOME)}) as outcome where outcome.id = webhook_deliveries.id
      and webhook_deliveries.state = 'waiting'
      and (outcome.state = 'done' or webhook_deliveries.attempts = outcome.attempts - 1)`)
}

/**
 * Makes the first queued delivery of each subject of `ids` due, unless a delivery with that subject is waiting. The
 * redundant condition `state in ('queued', 'waiting')` lets the database use the partial index on open deliveries.
 * @returns the number of deliveries that became due
 */
export async function promoteBehind(tx: Store, ids: readonly number[], now: number): Promise<number> {
  const { changes } = await tx.run(sql`
    update webhook_deliveries set state = 'waiting', due = ${now} where id in (
      select (
        select min(later.id) from webhook_deliveries as later where later.webhook = given.webhook
          and later.subject = given.subject and later.state = 'queued' and later.state in ('queued', 'waiting')
      ) from webhook_deliveries as given where ${tx.isIn('given.id', ids)}
    ) and not exists (
      select 1 from webhook_deliveries as other where other.webhook = webhook_deliveries.webhook
        and other.subject = webhook_deliveries.subject and other.state = 'waiting'
        and other.state in ('queued', 'waiting')
    )`)
  return changes
}

/** Makes the first queued delivery of each subject of a webhook due, unless a delivery with that subject is waiting. */
export async function promoteFirst(tx: Store, webhook: number, now: number): Promise<void> {
  await tx.run(sql`
    update webhook_deliveries set state = 'waiting', due = ${now} where id in (
      select min(one.id) from webhook_deliveries as one
        where one.webhook = ${webhook} and one.state in ('queued', 'waiting')
        group by one.subject having max(case when one.state = 'waiting' then 1 else 0 end) = 0
    )`)
}
