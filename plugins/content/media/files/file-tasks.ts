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

/** How many tasks one transaction does. */
const TASKS_PER_TRANSACTION = 20
/** Milliseconds after which the owner of a task is taken for gone, even where nobody can tell. */
const TASK_LEASE_MS = 60 * 60 * 1000

/**
 * What is still to be done with files of the uploads folder. A task is stored before it is done, in the transaction that
 * asks for it: so files and rows agree whenever the process ends. A file with a task is sent to nobody. Tasks: `keep`, a
 * file of an upload, which is removed unless the transaction of its attachment claims it; `remove`, a file to remove;
 * `place`, a staging folder of an import, whose files belong into the uploads folder.
 */
export class FileTasks {
  readonly #store: Store
  readonly #folder: string
  readonly #modes: FileModes
  readonly #log: PluginContext['log']
  /** Files that could not be removed and that the log has named. */
  readonly #logged = new Set<string>()
  /** Files to remove once the transactions that are open now have ended. */
  readonly #scheduled = new Set<string>()
  /** The run under way; the next one waits for it. */
  #running: Promise<void> = Promise.resolve()

  constructor(store: Store, folder: string, modes: FileModes, log: PluginContext['log']) {
    this.#store = store
    this.#folder = folder
    this.#modes = modes
    this.#log = log
  }

  /**
   * Reserves the names of files that are about to be placed; false when one of them has a task already.
   * @param files below the uploads folder
   */
  reserve(files: readonly string[]): Promise<boolean> {
    const rows = files.map((file) => ({ file, task: 'keep', owner: processId, since: Date.now() }))
    return detached(() =>
      this.#store.inTurn(async (tx) => {
        const { db } = tx
        const taken = await tx.first(db.selectFrom('pending_files').select('file').where('file', 'in', files))
        if (taken === undefined) await tx.run(db.insertInto('pending_files').values(rows))
        return taken === undefined
      }),
    )
  }

  /**
   * Makes the files of an upload stay, in the transaction that stores their attachment.
   * @returns false where they have been discarded meanwhile
   */
  async claim(files: readonly string[]): Promise<boolean> {
    const { db } = this.#store
    const own = db.deleteFrom('pending_files').where('task', '=', 'keep').where('owner', '=', processId)
    const { changes } = await this.#store.run(own.where('file', 'in', files))
    return changes === files.length
  }

  /** Removes the files of an upload that failed, unless they have been claimed. */
  async discard(files: readonly string[]): Promise<void> {
    const { db } = this.#store
    const unclaimed = db.updateTable('pending_files').set({ task: 'remove' }).where('task', '=', 'keep')
    try {
      await detached(() => this.#store.run(unclaimed.where('file', 'in', files)))
    } catch (error) {
      // They are removed when their lease ends.
      this.#log.warn({ err: error, files }, 'the files of an upload that failed are removed later')
    }
    await this.run(files)
  }

  /** Schedules the removal of files for the end of the open transaction, which deletes their attachment. */
  async scheduleRemoval(files: readonly string[]): Promise<void> {
    const { db } = this.#store
    for (const file of files) this.#scheduled.add(file)
    for (const some of batches(files)) {
      const rows = some.map((file) => ({ file, task: 'remove', owner: '', since: Date.now() }))
      const insert = db.insertInto('pending_files').values(rows)
      await this.#store.run(insert.onConflict((conflict) => conflict.column('file').doUpdateSet({ task: 'remove' })))
    }
  }

  /** Removes what was scheduled, if the transaction that has just ended was committed. */
  runScheduled(): void {
    if (this.#scheduled.size === 0) return
    const files = [...this.#scheduled]
    this.#scheduled.clear()
    void this.run(files)
  }

  /** Those of the files that have a task. */
  async pending(files: readonly string[]): Promise<string[]> {
    const { db } = this.#store
    const found: string[] = []
    for (const some of batches(files)) {
      // Every file that is sent asks this.
      const query = this.#store.once(`pending files, ${some.length}`, () =>
        db.selectFrom('pending_files').select('file').where('file', 'in', some),
      )
      for (const { file } of await this.#store.all<{ file: string }>({ ...query, parameters: some })) found.push(file)
    }
    return found
  }

  /**
   * Does the tasks that nobody else is doing; what fails is tried again by the next run. Never throws: errors are logged.
   * @param files limits it to these, so that a disk that refuses much does not slow down every deletion
   */
  run(files?: readonly string[]): Promise<void> {
    const done = this.#running.then(() =>
      detached(() => this.#runAll(files)).catch((error: unknown) =>
        this.#log.warn({ err: error }, 'the tasks of media files could not be read'),
      ),
    )
    this.#running = done
    return done
  }

  /** Waits for the run under way. */
  idle(): Promise<void> {
    return this.#running
  }

  /** Removes the staging folders that other processes have abandoned, except those that have a task. */
  async removeAbandoned(): Promise<void> {
    const { db } = this.#store
    const folders = await this.#store.all(db.selectFrom('pending_files').select('file').where('task', '=', 'place'))
    await removeAbandoned(this.#folder, new Set(folders.map(({ file }) => file)))
  }

  async #runAll(files: readonly string[] | undefined): Promise<void> {
    const tasks = this.#store.db.selectFrom('pending_files').selectAll().orderBy('file').limit(TASKS_PER_TRANSACTION)
    for (const some of files === undefined ? [null] : batches(files)) {
      for (let after = ''; ;) {
        const next = tasks.where('file', '>', after)
        const page = await this.#store.all(some === null ? next : next.where('file', 'in', some))
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

  /** In turn, so that none of the names is given to another file meanwhile. */
  #removeAll(files: readonly string[]): Promise<void> {
    return this.#store.inTurn(async (tx) => {
      const tasks = tx.db.selectFrom('pending_files').selectAll().where('file', 'in', files)
      const done: string[] = []
      for (const task of (await tx.all(tasks)).filter(isDue)) {
        // An import may have added another attachment of the file.
        const { names } = originalsOf(task.file)
        const isAttached = (await unattachedFiles(tx, names)).length < names.length
        if (isAttached || (await this.#remove(task.file))) done.push(task.file)
      }
      if (done.length > 0) await tx.run(tx.db.deleteFrom('pending_files').where('file', 'in', done))
    })
  }

  /** Removes a file; one that is missing, or not below the folder, counts as removed. False where the disk refuses. */
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
        if (!this.#logged.has(file)) this.#log.warn({ err: error, file }, 'a media file could not be removed yet')
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
      this.#log.warn({ err: error, folder: staging }, 'the files of an import could not be placed yet')
    }
  }
}

/**
 * Stores, in the transaction of an import, that the files of a staging folder belong into the uploads folder.
 * @param staging name of the folder, below the uploads folder
 */
export async function addPlaceTask(tx: Store, staging: string): Promise<void> {
  const row = { file: staging, task: 'place', owner: processId, since: Date.now() }
  await tx.run(tx.db.insertInto('pending_files').values(row))
}

/** Deletes that task once the files are placed. */
export async function deletePlaceTask(store: Store, staging: string): Promise<void> {
  await store.run(store.db.deleteFrom('pending_files').where('file', '=', staging))
}

/** Whether nobody else is doing a task. */
function isDue({ task, owner, since }: Task): boolean {
  return task === 'remove' || hasEnded(owner) || Date.now() - since > TASK_LEASE_MS
}

/** Runs `act` outside the work of the request: it goes on when the request is aborted, and counts for none of its limits. */
function detached<T>(act: () => Promise<T>): Promise<T> {
  return runWork(new Work(), act)
}
