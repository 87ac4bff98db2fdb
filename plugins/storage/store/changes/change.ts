/** What tells an object from others of its kind: status, slug, author, parent …, by name. */
export type Facts = Readonly<Record<string, string | number | null>>

/** Something that has changed. */
export interface Change {
  /** Number of the change, in the order of commits. */
  readonly id: number
  /** Unix milliseconds. */
  readonly time: number
  /**
   * `post`, `term`, `comment`, `user`, `option`, `session`, `application_password`; `table` for a table of a plugin;
   * `tag` for what a plugin says by `touch`; `all` where so much has changed that it is not told one by one.
   */
  readonly kind: string
  /** ID of the object; the name of an option or a table; of sessions and application passwords the ID of their user. */
  readonly object: string
  /** Content type, taxonomy, type of the comment; '' for others. */
  readonly type: string
  readonly change: 'create' | 'update' | 'delete'
  /** What caches know it by: the object, the lists that it was or is in, the tables. */
  readonly tags: readonly string[]
  /** The object as it was; null for one that is new. */
  readonly before: Facts | null
  /** The object as it is; null for one that is gone. */
  readonly after: Facts | null
  /** Keys of its meta that changed. */
  readonly meta: readonly string[]
}

/** A change that has no number yet. */
export type NewChange = Omit<Change, 'id' | 'time'>

/** The tag of a change after which nothing is as it was. */
export const EVERYTHING = '*'

/** The changes of the data and their times, for caches. */
export interface StoreChanges {
  /**
   * Looks for changes of other processes and returns the state of the data: a number that grows with each change. A cache
   * calls it before it reads the data of a new entry, and before it uses an entry. Null while the state is unknown, and
   * within a transaction that has written to these tables: a cache must then neither store nor use an entry.
   * @param tables the tables in question; all tables by default
   */
  state(tables?: readonly string[]): number | null
  /** Whether nothing that the tags name has changed since a state. */
  unchanged(tags: readonly string[], since: number): boolean
  /** When something that the tags name changed last, in Unix milliseconds; not before the start of the process. */
  changedAt(tags: readonly string[]): number
  /**
   * Reports a change of data that has no row in the database: `stock:7`; the tag `*` says that any data may have changed.
   * Caches of this process see it immediately, or once the open transaction is committed.
   * @returns resolves when other processes can see it, rejects if it could not be stored for them
   */
  touch(tags: readonly string[]): Promise<void>
  /** Calls the listener with the changes of each transaction of this process once it is committed; returns its removal. */
  onCommit(listener: (changes: readonly Change[]) => void): () => void
  /**
   * Calls the listener with what other processes have changed, when this one looks (`state`), which requests do, and jobs
   * twice a second; with null where that is not told one by one. Returns its removal.
   */
  onOthers(listener: (changes: readonly Change[] | null) => void): () => void
  /**
   * Calls the listener when the database has lost changes that this process knows: after a fail-over to a standby that was
   * behind, or when a backup was restored. Numbers of changes that were read before mean nothing then. Listeners of
   * `onOthers` are called with null right after. Returns its removal.
   */
  onRestored(listener: () => void): () => void
}
