import { open, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { makePrivateFile, makePrivateFolder, warnOfLoose } from '../private-files.ts'
import { errors, StoreError } from '../errors.ts'
import { Flusher } from './flusher.ts'

/** Milliseconds between two looks at whether the file is still there. */
const lookInterval = 1000

/**
 * The file of a SQLite database and its write-ahead log, as the disk has them: made for nobody else to read, brought to the
 * disk, and watched, because SQLite goes on with a file that has long been removed.
 */
export class DatabaseFile {
  readonly path: string
  readonly #flusher = new Flusher(() => this.#flushLog())
  /** Which file it is: another one may come to have its name. */
  #identity = ''
  #log: Promise<FileHandle> | undefined
  /** Whether SQLite writes a log. */
  #logged = true
  #timer: NodeJS.Timeout | undefined

  /** @param path of the database; its folder and the file are made where they are missing */
  static async make(path: string): Promise<DatabaseFile> {
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

  /** Warns of what other accounts of the machine can open. */
  async warnOfLoose(log: Logger): Promise<void> {
    const { path } = this
    await warnOfLoose(log, [path, `${path}-wal`, `${path}-shm`])
  }

  /**
   * Resolves once everything committed so far would survive a power cut.
   *
   * SQLite would do the same within the commit (`synchronous = full`), while nothing else runs in this process and the
   * next writer waits. Here a thread does it, and who commits meanwhile shares the next turn.
   *
   * @throws StoreError STORE_LOST; the disk's own error
   */
  flushed(): Promise<void> {
    return this.#flusher.flushed()
  }

  /** Brings the names of the files to the disk as well; once, after they were made. */
  async flushFolder(): Promise<void> {
    // Windows opens no folders.
    await using folder = await open(dirname(this.path), 'r').catch(() => null)
    await folder?.sync()
  }

  /** To be called before SQLite removes the log in good order: it brings to the disk what is in it, and all later writes. */
  leaveLog(): void {
    this.#logged = false
    void this.#closeLog()
  }

  /** To be called when SQLite writes a log again. */
  useLog(): void {
    this.#logged = true
  }

  /** Looks from time to time whether the file is still there. @param lost is called once, when it is not */
  watch(lost: (error: StoreError) => void): void {
    this.#timer = setInterval(() => {
      void this.#assertThere().catch((error: Error) => {
        // That the disk does not answer says nothing.
        if (!(error instanceof StoreError)) return
        clearInterval(this.#timer)
        lost(error)
      })
    }, lookInterval).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#closeLog()
  }

  async #closeLog(): Promise<void> {
    const log = this.#log
    this.#log = undefined
    // One that is being opened is closed as well.
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
    // What has no name any more will be gone with the process.
    const log = this.#log
    const found = await log?.then((handle) => handle.stat()).catch(() => null)
    if (found?.nlink === 0 && this.#log === log) throw this.#lost()
  }

  #lost(): StoreError {
    return errors.STORE_LOST(this.path, 'was removed or replaced while it was in use')
  }
}

/** The error for a database that cannot be opened. */
export function unreadable(path: string, cause: Error): StoreError {
  return errors.STORE_UNREADABLE(path, cause.message, { cause })
}

/** What tells a file from every other of the disk; undefined when there is none. Whether it cannot be told is thrown. */
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
