import { open, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { makePrivateFile, makePrivateFolder, warnAboutPermissions } from '../private-files.ts'
import { errors, StoreError } from '../errors.ts'
import { Flusher } from './flusher.ts'

/** Milliseconds between two checks that the file still exists. */
const CHECK_INTERVAL_MS = 1000

/**
 * The file of a SQLite database and its write-ahead log. Creates them as private files, flushes them to the disk and
 * watches them, because SQLite continues to use a deleted file.
 */
export class DatabaseFile {
  readonly path: string
  readonly #flusher = new Flusher(() => this.#flushLog())
  /** Identity of the file: another file may get its name. */
  #identity = ''
  #log: Promise<FileHandle> | undefined
  /** Whether SQLite uses the write-ahead log. */
  #logged = true
  #timer: NodeJS.Timeout | undefined

  /** @param path path of the database; its folder and the file are created if they are missing */
  static async create(path: string): Promise<DatabaseFile> {
    const folder = dirname(path)
    try {
      await makePrivateFolder(folder)
      await makePrivateFile(path)
    } catch (error) {
      throw unreadable(path, error as Error)
    }
    const file = new DatabaseFile(path)
    file.#identity = (await identityOf(path)) ?? ''
    return file
  }

  private constructor(path: string) {
    this.path = path
  }

  /** Warns of files that other accounts of the machine can open. */
  async warnAboutPermissions(log: Logger): Promise<void> {
    const { path } = this
    await warnAboutPermissions(log, [path, `${path}-wal`, `${path}-shm`])
  }

  /**
   * Resolves when everything committed so far would survive a power cut.
   *
   * With `synchronous = full`, SQLite would flush within the commit and block the process and the next writer. Here a
   * thread flushes, once for all commits in the meantime.
   *
   * @throws StoreError STORE_LOST; the disk's own error
   */
  flushed(): Promise<void> {
    return this.#flusher.flushed()
  }

  /** Flushes the folder, so that the names of newly created files are durable. */
  async flushFolder(): Promise<void> {
    // Windows cannot open folders.
    await using folder = await open(dirname(this.path), 'r').catch(() => null)
    await folder?.sync()
  }

  /**
   * Must be called before SQLite removes the log: SQLite itself then flushes the log's content and all later writes.
   */
  leaveLog(): void {
    this.#logged = false
    void this.#closeLog()
  }

  /** Must be called when SQLite uses a log again. */
  useLog(): void {
    this.#logged = true
  }

  /** Checks regularly that the file still exists. @param lost called once when it does not */
  watch(lost: (error: StoreError) => void): void {
    this.#timer = setInterval(() => {
      void this.#assertThere().catch((error: Error) => {
        // Other errors, such as a disk that does not respond, do not mean that the file is gone.
        if (!(error instanceof StoreError)) return
        clearInterval(this.#timer)
        lost(error)
      })
    }, CHECK_INTERVAL_MS).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#closeLog()
  }

  async #closeLog(): Promise<void> {
    const log = this.#log
    this.#log = undefined
    // Also closes a log that is still being opened.
    await (await log?.catch(() => undefined))?.close()
  }

  async #flushLog(): Promise<void> {
    if (this.#logged) this.#log ??= this.#openLog()
    await (await this.#log)?.datasync()
    await this.#assertThere()
  }

  #openLog(): Promise<FileHandle> {
    const opening = open(`${this.path}-wal`, 'r+').catch((error: NodeJS.ErrnoException) => {
      // The next flush tries again.
      if (this.#log === opening) this.#log = undefined
      throw error.code === 'ENOENT' ? this.#lost() : error
    })
    return opening
  }

  /** @throws StoreError STORE_LOST */
  async #assertThere(): Promise<void> {
    if ((await identityOf(this.path)) !== this.#identity) throw this.#lost()
    // A log without a name is deleted when the process ends.
    const log = this.#log
    const found = await log?.then((handle) => handle.stat()).catch(() => null)
    if (found?.nlink === 0 && this.#log === log) throw this.#lost()
  }

  #lost(): StoreError {
    return errors.STORE_LOST(this.path, 'was removed or replaced while it was in use')
  }
}

/** Returns the error for a database that cannot be opened. */
export function unreadable(path: string, cause: Error): StoreError {
  return errors.STORE_UNREADABLE(path, cause.message, { cause })
}

/** Returns device and inode of a file; undefined if it does not exist. Throws if they cannot be read. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true })
    return `${dev} ${ino}`
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
