import { realpath, unlink } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { runWork, Work, type PluginContext } from '../../../../kernel/index.ts'
import type { Row, Store } from '../../../storage/store/index.ts'
import { originalsOf } from './file-versions.ts'
import { isPlain } from './file-server.ts'
import { codeOf, removeAbandoned, type Modes } from './place-file.ts'
import { batches, filesOfNobody } from '../attachment-queries.ts'
import { hasEnded, thisProcess } from './process-id.ts'
import { placeStaged } from './staging.ts'

type Task = Row<'pending_files'>

/** How many files are looked at in one transaction. */
const AT_ONCE = 20
/** Milliseconds after which nobody is believed to be at a task any more, wherever they are. */
const LEASE = 60 * 60 * 1000

/**
 * What is still to be done with files, written before it is done, and with the rows that ask for it: so files and rows agree
 * whenever the process ends. A file among these is sent to nobody. Tasks: `keep`, a file that an upload places and that
 * goes unless the transaction of its attachment takes the task back; `remove`, one that goes; `place`, a folder of
 * imported files whose content belongs among the uploads.
 */
export class PendingFiles {
  readonly #store: Store
  readonly #folder: string
  readonly #modes: Modes
  readonly #log: PluginContext['log']
  /** Files that could not be removed, which the log has told of. */
  readonly #told = new Set<string>()
  /** Files that transactions which are not over yet have condemned. */
  readonly #condemned = new Set<string>()
  /** The sweep under way; the next one waits for it. */
  #sweeping: Promise<void> = Promise.resolve()

  constructor(store: Store, folder: string, modes: Modes, log: PluginContext['log']) {
    this.#store = store
    this.#folder = folder
    this.#modes = modes
    this.#log = log
  }

  /**
   * Takes names for files that are about to be placed; false when one of them is still that of another task.
   * @param files below the uploads folder
   */
  reserve(files: readonly string[]): Promise<boolean> {
    const rows = files.map((file) => ({ file, task: 'keep', owner: thisProcess, since: Date.now() }))
    return apart(() =>
      this.#store.inTurn(async (tx) => {
        const { db } = tx
        const there = await tx.first(db.selectFrom('pending_files').select('file').where('file', 'in', files))
        if (there === undefined) await tx.run(db.insertInto('pending_files').values(rows))
        return there === undefined
      }),
    )
  }

  /**
   * Makes the files of an upload stay, in the transaction that stores what they belong to.
   * @returns false where somebody has given them up meanwhile
   */
  async claim(files: readonly string[]): Promise<boolean> {
    const { db } = this.#store
    const mine = db.deleteFrom('pending_files').where('task', '=', 'keep').where('owner', '=', thisProcess)
    const { changes } = await this.#store.run(mine.where('file', 'in', files))
    return changes === files.length
  }

  /** Removes the files of an upload that came to nothing; those that stay by now stay. */
  async giveUp(files: readonly string[]): Promise<void> {
    const { db } = this.#store
    const given = db.updateTable('pending_files').set({ task: 'remove' }).where('task', '=', 'keep')
    try {
      await apart(() => this.#store.run(given.where('file', 'in', files)))
    } catch (error) {
      // It is done when their time is over.
      this.#log.warn({ err: error, files }, 'the files of an upload that failed are removed later')
    }
    await this.sweep(files)
  }

  /** Has files removed by `settled`, once the transaction, which deletes what they belong to, is through. */
  async condemn(files: readonly string[]): Promise<void> {
    const { db } = this.#store
    for (const file of files) this.#condemned.add(file)
    for (const some of batches(files)) {
      const rows = some.map((file) => ({ file, task: 'remove', owner: '', since: Date.now() }))
      const insert = db.insertInto('pending_files').values(rows)
      await this.#store.run(insert.onConflict((conflict) => conflict.column('file').doUpdateSet({ task: 'remove' })))
    }
  }

  /** A transaction is over: removes what it has condemned, if it was committed. */
  settled(): void {
    if (this.#condemned.size === 0) return
    const files = [...this.#condemned]
    this.#condemned.clear()
    void this.sweep(files)
  }

  /** Those of some files with which something is still to be done. */
  async among(files: readonly string[]): Promise<string[]> {
    const { db } = this.#store
    const found: string[] = []
    for (const some of batches(files)) {
      // Asked for each file that is sent.
      const query = this.#store.once(`pending files, ${some.length}`, () =>
        db.selectFrom('pending_files').select('file').where('file', 'in', some),
      )
      for (const { file } of await this.#store.all<{ file: string }>({ ...query, parameters: some })) found.push(file)
    }
    return found
  }

  /**
   * Does what is still to be done by nobody else; what cannot be done now stays. Never fails: the log tells.
   * @param files what alone is looked at, so that a disk which refuses much does not make every deletion slow
   */
  sweep(files?: readonly string[]): Promise<void> {
    const swept = this.#sweeping.then(() =>
      apart(() => this.#sweepAll(files)).catch((error: unknown) =>
        this.#log.warn({ err: error }, 'files that are to be removed were not looked for'),
      ),
    )
    this.#sweeping = swept
    return swept
  }

  /** Waits for what is being swept. */
  idle(): Promise<void> {
    return this.#sweeping
  }

  /** Removes what processes left waiting in folders of their own that did not live to place it. */
  async tidy(): Promise<void> {
    const { db } = this.#store
    const folders = await this.#store.all(db.selectFrom('pending_files').select('file').where('task', '=', 'place'))
    await removeAbandoned(this.#folder, new Set(folders.map(({ file }) => file)))
  }

  async #sweepAll(files: readonly string[] | undefined): Promise<void> {
    const tasks = this.#store.db.selectFrom('pending_files').selectAll().orderBy('file').limit(AT_ONCE)
    for (const some of files === undefined ? [null] : batches(files)) {
      for (let after = ''; ;) {
        const next = tasks.where('file', '>', after)
        const page = await this.#store.all(some === null ? next : next.where('file', 'in', some))
        if (page.length === 0) break
        after = page.at(-1)!.file
        await this.#sweepSome(page.filter(isDue))
      }
    }
  }

  async #sweepSome(due: readonly Task[]): Promise<void> {
    const gone = due.filter(({ task }) => task !== 'place').map(({ file }) => file)
    if (gone.length > 0) await this.#removeAll(gone)
    for (const { file, task } of due) if (task === 'place') await this.#place(file)
  }

  /** In turn, so that none of the names is given to another file meanwhile. */
  #removeAll(files: readonly string[]): Promise<void> {
    return this.#store.inTurn(async (tx) => {
      const tasks = tx.db.selectFrom('pending_files').selectAll().where('file', 'in', files)
      const done: string[] = []
      for (const task of (await tx.all(tasks)).filter(isDue)) {
        // An import may have brought another attachment of the file.
        const { names } = originalsOf(task.file)
        const isKept = (await filesOfNobody(tx, names)).length < names.length
        if (isKept || (await this.#remove(task.file))) done.push(task.file)
      }
      if (done.length > 0) await tx.run(tx.db.deleteFrom('pending_files').where('file', 'in', done))
    })
  }

  /** Removes a file; what is not there, or not below the folder, is removed. False where the disk refuses. */
  async #remove(file: string): Promise<boolean> {
    const parts = file.split('/')
    if (!isPlain(parts)) return true
    try {
      const [root, folder] = await Promise.all([
        realpath(this.#folder),
        realpath(join(this.#folder, ...parts.slice(0, -1))),
      ])
      if (folder === root || folder.startsWith(root + sep)) await unlink(join(folder, parts.at(-1)!))
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') {
        if (!this.#told.has(file)) this.#log.warn({ err: error, file }, 'a media file could not be removed yet')
        this.#told.add(file)
        return false
      }
    }
    this.#told.delete(file)
    return true
  }

  async #place(stage: string): Promise<void> {
    try {
      await placeStaged(this.#folder, stage, this.#modes)
      await notePlaced(this.#store, stage)
    } catch (error) {
      this.#log.warn({ err: error, folder: stage }, 'the files of an import could not be put in place yet')
    }
  }
}

/**
 * Notes, in the transaction of an import, that the files of a folder belong among the uploads.
 * @param stage name of the folder, below the uploads
 */
export async function notePlacing(tx: Store, stage: string): Promise<void> {
  const row = { file: stage, task: 'place', owner: thisProcess, since: Date.now() }
  await tx.run(tx.db.insertInto('pending_files').values(row))
}

/** Notes that they are there. */
export async function notePlaced(store: Store, stage: string): Promise<void> {
  await store.run(store.db.deleteFrom('pending_files').where('file', '=', stage))
}

/** Whether nobody is at a task any more. */
function isDue({ task, owner, since }: Task): boolean {
  return task === 'remove' || hasEnded(owner) || Date.now() - since > LEASE
}

/** Runs `act` apart from the request that asked for it: it is neither stopped with it nor what it answers for. */
function apart<T>(act: () => Promise<T>): Promise<T> {
  return runWork(new Work(), act)
}
