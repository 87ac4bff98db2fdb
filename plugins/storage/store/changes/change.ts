/** Facts about an object by which readers and lists select it: status, slug, author, parent … */
export type Facts = Readonly<Record<string, string | number | null>>

/** A change of one object. */
export interface Change {
  /** Number of the change, in the order of commits. */
  readonly id: number
  /** Unix milliseconds. */
  readonly time: number
  /**
   * `post`, `term`, `comment`, `user`, `option`, `session`, `application_password`; `table` for a table of a plugin;
   * `tag` for tags that a plugin touches; `all` if a transaction changed too much to list the objects.
   */
  readonly kind: string
  /**
   * ID of the object; the name of an option or a table; for sessions and application passwords the ID of their user.
   */
  readonly object: string
  /** Content type, taxonomy or comment type; otherwise ''. */
  readonly type: string
  readonly change: 'create' | 'update' | 'delete'
  /** Tags by which caches depend on it: the object, the lists that it was or is in, the tables. */
  readonly tags: readonly string[]
  /** The object before the change; null if it is new. */
  readonly before: Facts | null
  /** The object after the change; null if it was deleted. */
  readonly after: Facts | null
  /** Changed meta keys. */
  readonly meta: readonly string[]
}

/** A change that is not numbered yet. */
export type NewChange = Omit<Change, 'id' | 'time'>

/** Tag of a change after which all cached data is stale. */
export const EVERYTHING = '*'

/** Changes of the data and their times, for caches. */
export interface StoreChanges {
  /**
   * Checks for changes of other processes and returns the state of the data: a number that grows with each change. A
   * cache calls it before it reads the data of a new entry, and before it uses an entry. Null while the state is
   * unknown, and within a transaction that has written to these tables: a cache must then neither store nor use an
   * entry.
   * @param tables the tables in question; all tables by default
   */
  state(tables?: readonly string[]): number | null
  /** Whether nothing with these tags has changed since a state. */
  unchanged(tags: readonly string[], since: number): boolean
  /**
   * Returns when data with one of the tags last changed, in Unix milliseconds; at the earliest the start of the
   * process.
   */
  changedAt(tags: readonly string[]): number
  /**
   * Reports a change of data that has no row in the database: `stock:7`; with the tag `*`, all data counts as changed.
   * Caches of this process see it immediately, or after the open transaction commits.
   * @returns resolves when other processes can see it; rejects if it could not be stored for them
   */
  touch(tags: readonly string[]): Promise<void>
  /**
   * Calls the listener with the changes of each transaction of this process after its commit. Returns a function that
   * removes it.
   */
  onCommit(listener: (changes: readonly Change[]) => void): () => void
  /**
   * Calls the listener with the changes of other processes when this process checks for them (`state`): in each
   * request, and twice a second while jobs run. The list is null if there are too many changes. Returns a function that
   * removes it.
   */
  onOthers(listener: (changes: readonly Change[] | null) => void): () => void
  /**
   * Calls the listener when the database has lost changes that this process knows, after a failover to a lagging
   * standby or the restore of a backup. Numbers of earlier changes are then invalid. Listeners of `onOthers` are called
   * with null right after. Returns a function that removes it.
   */
  onRestored(listener: () => void): () => void
}
