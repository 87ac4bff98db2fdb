import { randomUUID } from 'node:crypto'
import { sql, type Row, type Store } from '../../storage/store/index.ts'
import type { Job, JobQuery } from './job.ts'

/** What the change of jobs is told with. */
export const JOBS_TAG = 'jobs'
/** The key of the job of a schedule. */
export const SCHEDULE_KEY = '@schedule'

export type JobRow = Row<'jobs'>
export type RunningJob = Pick<JobRow, 'id' | 'name' | 'owner' | 'beat' | 'cancelled'>

/** What becomes of a run. */
export type Outcome =
  /** Gone, or waits for the next time of its schedule. */
  | { readonly is: 'done' }
  /** Begins again; with another attempt unless it was not to blame. */
  | { readonly is: 'again'; readonly due: number; readonly error: string; readonly attempts: number }
  | { readonly is: 'dead'; readonly error: string }

/** A job that is about to be stored. */
export interface NewJob {
  readonly name: string
  readonly key: string
  readonly plugin: string
  readonly due: number
  readonly payload: string
  readonly schedule: string
}

/** The jobs in the database. */
export class Queue {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Stores a job; with a key in place of one that waits or is dead, or behind one that runs. Returns its ID. */
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
   * The jobs that run, here or elsewhere, and when the next one of the names is due: Infinity without any. Both as of one
   * moment, so that a job that others take, or give back, is seen in one state or the other.
   */
  async look(names: readonly string[]): Promise<{ running: RunningJob[]; due: number }> {
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

  /** Takes a job of a name whatever its time, the one with an ID or a new one, which nobody else sees before. */
  take(name: string, job: number | NewJob): Promise<JobRow | undefined> {
    return this.#store.transaction(async () => {
      const id = typeof job === 'number' ? job : await this.add(job)
      return (await this.claim([name], Date.now(), 1, id))[0]
    })
  }

  /** Takes jobs of these names that are due: from now on nobody else does. @param id of the only one that is wanted */
  claim(names: readonly string[], now: number, most: number, id?: number): Promise<JobRow[]> {
    const { db, dialect } = this.#store
    let due = db.selectFrom('jobs').select('id').where('state', '=', sql.lit('waiting'))
    due = due.where(this.#store.isIn('name', names)).orderBy('due').orderBy('id').limit(most)
    due = id === undefined ? due.where('due', '<=', now) : due.where('id', '=', id)
    // PostgreSQL looks once for those in a list that is made, and might look again for those of a query.
    const ids = dialect === 'postgres' ? sql`any (array(${due.forUpdate().skipLocked()}))` : sql`(${due})`
    const take = db
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
    return this.#store.all(take.returningAll(), [])
  }

  /** Says of runs that who does them lives; gives the IDs of those that still are that one's. */
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
   * Ends a run. A job that was added under its key during the run takes its place. A cancelled job is over, whether its run
   * succeeded or not. Other processes are notified of a job that is due now.
   * @param next when it comes by its schedule; null for a job without one
   * @param beat nothing is done unless it is still the last one
   * @returns when it is due again; null where it is not; undefined where the run belongs to another process
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
        const again = { due: job.again_due, payload: job.again_payload ?? job.payload, attempts: 0, error: '' }
        await tx.run(change.set({ ...over, ...again, state: 'waiting' }))
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

  /** Forgets jobs that have been dead for long. */
  async forgetDead(before: number): Promise<void> {
    await this.#store.run(this.#store.db.deleteFrom('jobs').where('state', '=', 'dead').where('due', '<', before))
  }

  /** The rows of a query, those that are due first in front. */
  rows({ name, keys, state }: JobQuery = {}): Promise<JobRow[]> {
    let query = this.#store.db.selectFrom('jobs').selectAll().orderBy('due').orderBy('id')
    if (name !== undefined) query = query.where('name', '=', name)
    if (keys !== undefined) query = query.where(this.#store.isIn('key', keys))
    if (state !== undefined) query = query.where('state', '=', state)
    return this.#store.all(query, [])
  }

  /** How many jobs wait for names that are not among these. */
  waitingFor(others: readonly string[]): Promise<{ name: string; plugin: string; count: number }[]> {
    const { db } = this.#store
    const query = db.selectFrom('jobs').select(['name', 'plugin', sql<number>`count(*)`.as('count')])
    const not = sql<boolean>`not ${this.#store.isIn('name', others)}`
    return this.#store.all(query.where('state', '<>', 'dead').where(not).groupBy(['name', 'plugin']), [])
  }

  /** Changes a job that is in one of some states, and tells others; false without any. */
  change(id: number, states: readonly Job['state'][], values: Partial<JobRow> | null): Promise<boolean> {
    return this.#store.transaction(async (tx) => {
      const { db } = tx
      const which = sql<boolean>`id = ${id} and ${tx.isIn('state', states)}`
      const { changes } = await tx.run(
        values === null ? db.deleteFrom('jobs').where(which) : db.updateTable('jobs').set(values).where(which),
      )
      if (changes > 0) await tx.changes.touch([JOBS_TAG])
      return changes > 0
    })
  }
}

/** A row as plugins see it. */
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
