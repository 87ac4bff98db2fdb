import { realpath, unlink } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { runWork, Work, type PluginContext } from '../../../../kernel/index.ts'
import type { Row, Store } from '../../../storage/store/index.ts'
import { batches, unattachedFiles } from '../attachment-queries.ts'
import type { FileModes } from './file-modes.ts'
import { originalsOf } from './file-versions.ts'
import { errorCode } from './place-file.ts'
import { hasEnded, processId } from './process-id.ts'
import { isSafePath } from './safe-path.ts'
import { placeStaged, removeAbandoned } from './staging.ts'

type Task = Row<'pending_files'>

const TASKS_PER_TRANSACTION = 20
/** Milliseconds after which a task is released even if its owner cannot be checked. */
const TASK_LEASE_MS = 60 * 60 * 1000

/**
 * Pending tasks for files of the uploads folder. A task is stored in the transaction that requires it and runs
 * afterwards, so that files and rows stay consistent if the process ends. A file with a task is not served. Tasks:
 * `keep`, an uploaded file that is deleted unless the transaction of its attachment claims it; `remove`, a file to
 * delete; `place`, the staging folder of an import, whose files belong in the uploads folder.
 */
export class FileTasks {
  readonly #store: Store
  readonly #folder: string
  readonly #modes: FileModes
  readonly #log: PluginContext['log']
  /** Files whose failed deletion has been logged. */
  readonly #logged = new Set<string>()
  /** Files to delete when the open transactions have ended. */
  readonly #scheduled = new Set<string>()
  /** The current run; the next run waits for it. */
  #running: Promise<void> = Promise.resolve()

  constructor(store: Store, folder: string, modes: FileModes, log: PluginContext['log']) {
    this.#store = store
    this.#folder = folder
    this.#modes = modes
    this.#log = log
  }

  /**
   * Reserves the names of files that are about to be placed.
   * @param files relative to the uploads folder
   * @returns false if one of them already has a task
   */
  reserve(files: readonly string[]): Promise<boolean> {
    const rows = files.map((file) => ({ file, task: 'keep', owner: processId, since: Date.now() }))
    return detached(() =>
      this.#store.inTurn(async (tx) => {
        const { db } = tx
        const existing = await tx.first(db.selectFrom('pending_files').select('file').where('file', 'in', files))
        if (existing === undefined) await tx.run(db.insertInto('pending_files').values(rows))
        return existing === undefined
      }),
    )
  }

  /**
   * Makes the files of an upload permanent. Call it inside the transaction that stores their attachment.
   * @returns false if they were discarded in the meantime
   */
  async claim(files: readonly string[]): Promise<boolean> {
    const { db } = this.#store
    const own = db.deleteFrom('pending_files').where('task', '=', 'keep').where('owner', '=', processId)
    const { changes } = await this.#store.run(own.where('file', 'in', files))
    return changes === files.length
  }

  /** Deletes the files of a failed upload, unless they were claimed. */
  async discard(files: readonly string[]): Promise<void> {
    const { db } = this.#store
    const unclaimed = db.updateTable('pending_files').set({ task: 'remove' }).where('task', '=', 'keep')
    try {
      await detached(() => this.#store.run(unclaimed.where('file', 'in', files)))
    } catch (error) {
      // The files are deleted when their lease expires.
      this.#log.warn(
        { err: error, files },
        'could not schedule the deletion of a failed upload: its files are deleted when their lease expires',
      )
    }
    await this.run(files)
  }

  /** Schedules the deletion of files for the end of the open transaction, which deletes their attachment. */
  async scheduleRemoval(files: readonly string[]): Promise<void> {
    const { db } = this.#store
    for (const file of files) this.#scheduled.add(file)
    for (const batch of batches(files)) {
      const rows = batch.map((file) => ({ file, task: 'remove', owner: '', since: Date.now() }))
      const insert = db.insertInto('pending_files').values(rows)
      await this.#store.run(insert.onConflict((conflict) => conflict.column('file').doUpdateSet({ task: 'remove' })))
    }
  }

  /** Deletes the scheduled files, if the transaction that just ended was committed. */
  runScheduled(): void {
    if (this.#scheduled.size === 0) return
    const files = [...this.#scheduled]
    this.#scheduled.clear()
    void this.run(files)
  }

  /** Returns the files that have a task. */
  async pending(files: readonly string[]): Promise<string[]> {
    const { db } = this.#store
    const pending: string[] = []
    for (const batch of batches(files)) {
      // Runs for every file request.
      const query = this.#store.once(`pending files, ${batch.length}`, () =>
        db.selectFrom('pending_files').select('file').where('file', 'in', batch),
      )
      for (const { file } of await this.#store.all<{ file: string }>({ ...query, parameters: batch }))
        pending.push(file)
    }
    return pending
  }

  /**
   * Runs the tasks that no other process is running; failed tasks are retried in the next run. Never throws: errors are
   * logged.
   * @param files limits the run, so that a disk that rejects many deletions does not slow down every deletion
   */
  run(files?: readonly string[]): Promise<void> {
    const done = this.#running.then(() =>
      detached(() => this.#runAll(files)).catch((error: unknown) =>
        this.#log.warn({ err: error }, 'could not read the tasks of media files'),
      ),
    )
    this.#running = done
    return done
  }

  /** Waits for the current run. */
  idle(): Promise<void> {
    return this.#running
  }

  /** Removes staging folders that other processes abandoned, except those with a task. */
  async removeAbandoned(): Promise<void> {
    const { db } = this.#store
    const folders = await this.#store.all(db.selectFrom('pending_files').select('file').where('task', '=', 'place'))
    await removeAbandoned(this.#folder, new Set(folders.map(({ file }) => file)))
  }

  async #runAll(files: readonly string[] | undefined): Promise<void> {
    const tasks = this.#store.db.selectFrom('pending_files').selectAll().orderBy('file').limit(TASKS_PER_TRANSACTION)
    for (const batch of files === undefined ? [null] : batches(files)) {
      for (let after = ''; ;) {
        const next = tasks.where('file', '>', after)
        const page = await this.#store.all(batch === null ? next : next.where('file', 'in', batch))
        if (page.length === 0) break
        after = page.at(-1)!.file
        await this.#runBatch(page.filter(isDue))
      }
    }
  }

  async #runBatch(due: readonly Task[]): Promise<void> {
    const unwanted = due.filter(({ task }) => task !== 'place').map(({ file }) => file)
    if (unwanted.length > 0) await this.#removeAll(unwanted)
    for (const { file, task } of due) if (task === 'place') await this.#place(file)
  }

  /** Runs in the write turn, so that no other upload can get one of the names. */
  #removeAll(files: readonly string[]): Promise<void> {
    return this.#store.inTurn(async (tx) => {
      const tasks = tx.db.selectFrom('pending_files').selectAll().where('file', 'in', files)
      const done: string[] = []
      for (const task of (await tx.all(tasks)).filter(isDue)) {
        // An import can have added another attachment of the file.
        const { names } = originalsOf(task.file)
        const isAttached = (await unattachedFiles(tx, names)).length < names.length
        if (isAttached || (await this.#remove(task.file))) done.push(task.file)
      }
      if (done.length > 0) await tx.run(tx.db.deleteFrom('pending_files').where('file', 'in', done))
    })
  }

  /**
   * Deletes a file; a file that is missing or outside the folder counts as deleted. Returns false if the disk refuses.
   */
  async #remove(file: string): Promise<boolean> {
    const parts = file.split('/')
    if (!isSafePath(parts)) return true
    try {
      const [root, folder] = await Promise.all([
        realpath(this.#folder),
        realpath(join(this.#folder, ...parts.slice(0, -1))),
      ])
      if (folder === root || folder.startsWith(root + sep)) await unlink(join(folder, parts.at(-1)!))
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') {
        if (!this.#logged.has(file)) this.#log.warn({ err: error, file }, 'could not delete a media file')
        this.#logged.add(file)
        return false
      }
    }
    this.#logged.delete(file)
    return true
  }

  async #place(staging: string): Promise<void> {
    try {
      await placeStaged(this.#folder, staging, this.#modes)
      await deletePlaceTask(this.#store, staging)
    } catch (error) {
      this.#log.warn({ err: error, folder: staging }, 'could not place the files of an import')
    }
  }
}

/**
 * Stores, in the transaction of an import, the task to move the files of a staging folder into the uploads folder.
 * @param staging name of the folder, relative to the uploads folder
 */
export async function addPlaceTask(tx: Store, staging: string): Promise<void> {
  const row = { file: staging, task: 'place', owner: processId, since: Date.now() }
  await tx.run(tx.db.insertInto('pending_files').values(row))
}

/** Deletes the task of a staging folder whose files are placed. */
export async function deletePlaceTask(store: Store, staging: string): Promise<void> {
  await store.run(store.db.deleteFrom('pending_files').where('file', '=', staging))
}

/** Checks that no other process is running a task. */
function isDue({ task, owner, since }: Task): boolean {
  return task === 'remove' || hasEnded(owner) || Date.now() - since > TASK_LEASE_MS
}

/**
 * Runs `act` independently of the request: it continues if the request is aborted and does not count towards its
 * limits.
 */
function detached<T>(act: () => Promise<T>): Promise<T> {
  return runWork(new Work(), act)
}
