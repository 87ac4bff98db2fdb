import { randomUUID } from 'node:crypto'
import { sql, type Row, type Store } from '../../storage/store/index.ts'
import type { Job, JobQuery } from './job.ts'

/** Cache tag that every change of jobs invalidates. */
export const JOBS_TAG = 'jobs'
/** Key of the job of a schedule. */
export const SCHEDULE_KEY = '@schedule'

export type JobRow = Row<'jobs'>
export type RunningJob = Pick<JobRow, 'id' | 'name' | 'owner' | 'beat' | 'cancelled'>

/** Result of a run. */
export type Outcome =
  /** Deleted, or waits for the next time of its schedule. */
  | { readonly is: 'done' }
  /** Runs again, with the given number of used attempts. */
  | { readonly is: 'again'; readonly due: number; readonly error: string; readonly attempts: number }
  | { readonly is: 'dead'; readonly error: string }

/** A job to store. */
export interface NewJob {
  readonly name: string
  readonly key: string
  readonly plugin: string
  readonly due: number
  readonly payload: string
  readonly schedule: string
}

/** Stores jobs in the database. */
export class Queue {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Stores a job and returns its ID. With a key, it replaces a waiting or dead job, or runs after a running one. */
  add(job: NewJob): Promise<number> {
    return this.#store.transaction(async (tx) => {
      const insert = tx.db.insertInto('jobs').values({ ...job, created: Date.now() })
      const isRunning = sql<boolean>`jobs.state = 'running'`
      const whenRunning = <T>(then: unknown, otherwise: unknown) =>
        sql<T>`case when ${isRunning} then ${then} else ${otherwise} end`
      const query =
        job.key === ''
          ? insert
          : insert.onConflict((conflict) =>
              conflict
                .columns(['name', 'key'])
                .where(sql<boolean>`key <> ''`)
                .doUpdateSet({
                  plugin: sql.ref<string>('excluded.plugin'),
                  schedule: sql.ref<string>('excluded.schedule'),
                  state: sql`case when ${isRunning} then 'running' else 'waiting' end`,
                  due: whenRunning(sql.ref('jobs.due'), sql.ref('excluded.due')),
                  payload: whenRunning(sql.ref('jobs.payload'), sql.ref('excluded.payload')),
                  attempts: whenRunning(sql.ref('jobs.attempts'), sql`0`),
                  error: whenRunning(sql.ref('jobs.error'), sql`''`),
                  again_due: whenRunning(sql.ref('excluded.due'), sql`null`),
                  again_payload: whenRunning(sql.ref('excluded.payload'), sql`null`),
                }),
            )
      const row = await tx.first(query.returning('id'), [])
      await tx.changes.touch([JOBS_TAG])
      return row!.id
    })
  }

  /**
   * Returns all running jobs, and the next due time for the names (Infinity without a job). Both come from one
   * statement, so that a job that another process claims or releases appears in exactly one state.
   */
  async readState(names: readonly string[]): Promise<{ running: RunningJob[]; due: number }> {
    const { db } = this.#store
    const waiting = db.selectFrom('jobs').select('id').where('state', '=', sql.lit('waiting'))
    const next = waiting.where(this.#store.isIn('name', names)).orderBy('due').orderBy('id').limit(1)
    const query = db
      .selectFrom('jobs')
      .select(['id', 'name', 'owner', 'beat', 'cancelled', 'state', 'due'])
      .where(sql<boolean>`(state = ${sql.lit('running')} or id = (${next}))`)
    const rows = await this.#store.all(query, [])
    return {
      running: rows.filter(({ state }) => state === 'running'),
      due: rows.find(({ state }) => state === 'waiting')?.due ?? Infinity,
    }
  }

  /**
   * Claims a job of a name regardless of its due time: the job with an ID, or a new one that no other process sees
   * first.
   */
  claimByHand(name: string, job: number | NewJob): Promise<JobRow | undefined> {
    return this.#store.transaction(async () => {
      const id = typeof job === 'number' ? job : await this.add(job)
      return (await this.claim([name], Date.now(), 1, id))[0]
    })
  }

  /** Claims due jobs of these names for this process. @param id limits it to one job */
  claim(names: readonly string[], now: number, limit: number, id?: number): Promise<JobRow[]> {
    const { db, dialect } = this.#store
    let due = db.selectFrom('jobs').select('id').where('state', '=', sql.lit('waiting'))
    due = due.where(this.#store.isIn('name', names)).orderBy('due').orderBy('id').limit(limit)
    due = id === undefined ? due.where('due', '<=', now) : due.where('id', '=', id)
    // PostgreSQL evaluates an array once, but may evaluate a subquery again.
    const ids = dialect === 'postgres' ? sql`any (array(${due.forUpdate().skipLocked()}))` : sql`(${due})`
    const update = db
      .updateTable('jobs')
      .set({
        state: 'running',
        owner: randomUUID(),
        beat: sql`beat + 1`,
        attempts: sql`attempts + 1`,
        due: now,
        cancelled: 0,
      })
      .where(dialect === 'postgres' ? sql<boolean>`id = ${ids}` : sql<boolean>`id in ${ids}`)
    return this.#store.all(update.returningAll(), [])
  }

  /** Sends heartbeats for runs; returns the IDs of the runs that still belong to this process. */
  async beat(runs: readonly Pick<JobRow, 'id' | 'owner'>[]): Promise<ReadonlySet<number>> {
    const { db } = this.#store
    const alive = await this.#store.all(
      db
        .updateTable('jobs')
        .set({ beat: sql`beat + 1` })
        .where(
          this.#store.isIn(
            'id',
            runs.map(({ id }) => id),
          ),
        )
        .where(
          this.#store.isIn(
            'owner',
            runs.map(({ owner }) => owner),
          ),
        )
        .returning('id'),
      [],
    )
    return new Set(alive.map(({ id }) => id))
  }

  /**
   * Ends a run. A job added under its key during the run replaces it. A canceled job is removed, whether its run
   * succeeded or not. Other processes are notified of a job that is due now.
   * @param next next time of its schedule; null for a job without a schedule
   * @param beat the last known heartbeat; if it has changed, nothing is stored
   * @returns the next due time; null without one; undefined if the run belongs to another process
   */
  end(
    { id, owner }: Pick<JobRow, 'id' | 'owner'>,
    outcome: Outcome,
    next: number | null,
    beat?: number,
  ): Promise<number | null | undefined> {
    return this.#store.transaction(async (tx) => {
      const { db } = tx
      let select = db.selectFrom('jobs').selectAll().where('id', '=', id).where('owner', '=', owner)
      if (beat !== undefined) select = select.where('beat', '=', beat)
      const job = await tx.first(tx.dialect === 'postgres' ? select.forUpdate() : select, [])
      if (job === undefined) return undefined
      const over = { owner: '', cancelled: 0, again_due: null, again_payload: null }
      const change = db.updateTable('jobs').where('id', '=', id)
      if (job.again_due !== null) {
        const rerun = { due: job.again_due, payload: job.again_payload ?? job.payload, attempts: 0, error: '' }
        await tx.run(change.set({ ...over, ...rerun, state: 'waiting' }))
        return job.again_due
      }
      const comes: Outcome = next === null ? { is: 'done' } : { is: 'again', due: next, error: '', attempts: 0 }
      const then = outcome.is === 'done' || job.cancelled === 1 ? comes : outcome
      if (then.is === 'again') {
        const { due, error, attempts } = then
        await tx.run(change.set({ ...over, state: 'waiting', due, error, attempts }))
        if (due <= Date.now()) await tx.changes.touch([JOBS_TAG])
        return due
      }
      if (then.is === 'done') await tx.run(db.deleteFrom('jobs').where('id', '=', id))
      else await tx.run(change.set({ ...over, state: 'dead', error: then.error }))
      return null
    })
  }

  /** Deletes dead jobs that were due before a time. */
  async forgetDead(before: number): Promise<void> {
    await this.#store.run(this.#store.db.deleteFrom('jobs').where('state', '=', 'dead').where('due', '<', before))
  }

  /** Returns the rows of a query, sorted by due time. */
  rows({ name, keys, state }: JobQuery = {}): Promise<JobRow[]> {
    let query = this.#store.db.selectFrom('jobs').selectAll().orderBy('due').orderBy('id')
    if (name !== undefined) query = query.where('name', '=', name)
    if (keys !== undefined) query = query.where(this.#store.isIn('key', keys))
    if (state !== undefined) query = query.where('state', '=', state)
    return this.#store.all(query, [])
  }

  /** Counts the jobs by name whose names are not in the list. */
  waitingFor(others: readonly string[]): Promise<{ name: string; plugin: string; count: number }[]> {
    const { db } = this.#store
    const query = db.selectFrom('jobs').select(['name', 'plugin', sql<number>`count(*)`.as('count')])
    const not = sql<boolean>`not ${this.#store.isIn('name', others)}`
    return this.#store.all(query.where('state', '<>', 'dead').where(not).groupBy(['name', 'plugin']), [])
  }

  /** Changes a job in one of some states and notifies other processes; returns false if no job matches. */
  change(id: number, states: readonly Job['state'][], values: Partial<JobRow> | null): Promise<boolean> {
    return this.#store.transaction(async (tx) => {
      const { db } = tx
      const condition = sql<boolean>`id = ${id} and ${tx.isIn('state', states)}`
      const { changes } = await tx.run(
        values === null ? db.deleteFrom('jobs').where(condition) : db.updateTable('jobs').set(values).where(condition),
      )
      if (changes > 0) await tx.changes.touch([JOBS_TAG])
      return changes > 0
    })
  }
}

/** Converts a row to the public job. */
export function jobOf(row: JobRow): Job {
  const { id, name, key, plugin, state, due, payload, schedule, attempts, error } = row
  return {
    id,
    name,
    key: key === SCHEDULE_KEY ? '' : key,
    plugin,
    state: state as Job['state'],
    due: new Date(due),
    payload: JSON.parse(payload) as unknown,
    schedule,
    attempts,
    error,
  }
}
