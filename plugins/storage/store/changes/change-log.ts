import { OwnedList } from '../../../../kernel/index.ts'
import type { ChangeSource } from '../backend.ts'
import type { Scope } from '../transaction-scope.ts'
import { EVERYTHING, type Change, type StoreChanges } from './change.ts'
import { changeOfRow } from './collect.ts'
import { Versions } from './versions.ts'

/** Maximum number of remembered changes of this process, which are not reported as changes of other processes. */
const MAX_OWN_CHANGES = 10_000

/** Tracks the changes of this process and of others. */
export class ChangeLog implements StoreChanges {
  readonly #source: ChangeSource
  readonly #versions = new Versions()
  readonly #own = new Set<number>()
  readonly #listeners = new OwnedList<(changes: readonly Change[]) => void>('changes listener')
  readonly #othersListeners = new OwnedList<(changes: readonly Change[] | null) => void>('listener of others')
  readonly #restoredListeners = new OwnedList<() => void>('listener of a restored database')

  readonly #scope: () => Scope | undefined
  readonly #storeTags: (tags: readonly string[]) => Promise<void>
  /** Tags in the next change to be stored; null without such a change. */
  #pendingTags: Set<string> | null = null
  /** Resolves when all touched tags so far are stored. */
  #stored: Promise<void> = Promise.resolve()

  /**
   * @param scope returns the transaction of the running code
   * @param storeTouched stores tags as a change
   */
  constructor(
    source: ChangeSource,
    scope: () => Scope | undefined,
    storeTouched: (tags: readonly string[]) => Promise<void>,
  ) {
    this.#source = source
    this.#scope = scope
    this.#storeTags = storeTouched
  }

  state(tables?: readonly string[]): number | null {
    const scope = this.#scope()
    if (scope !== undefined && isWriting(scope, tables)) return null
    const rows = this.#source.readNew()
    if (rows === null) return null
    if (rows === 'all' || rows === 'restored') {
      this.#versions.changeAll(Date.now())
      if (rows === 'restored') {
        // Other processes may have used these numbers again.
        this.#own.clear()
        for (const listener of this.#restoredListeners) listener()
      }
      for (const listener of this.#othersListeners) listener(null)
    } else if (rows.length > 0) {
      const changes = rows.filter((row) => !this.#own.delete(Number(row['id']))).map(changeOfRow)
      this.#recordAll(changes)
      if (changes.length > 0) for (const listener of this.#othersListeners) listener(changes)
    }
    return this.#versions.state
  }

  unchanged(tags: readonly string[], since: number): boolean {
    return this.#versions.unchanged(tags, since)
  }

  changedAt(tags: readonly string[]): number {
    return this.#versions.changedAt(tags)
  }

  touch(tags: readonly string[]): Promise<void> {
    const scope = openScope(this.#scope())
    if (scope !== undefined) {
      for (const tag of tags) (scope.shared.touched ??= new Set()).add(tag)
      return Promise.resolve()
    }
    this.#record(tags, Date.now())
    const storing = this.#storeSoon(tags)
    // The promise may not be awaited: its rejection must not be unhandled.
    storing.catch(() => {})
    return storing
  }

  /** Stores tags as a change; tags touched while an earlier change is being stored are stored together. */
  #storeSoon(tags: readonly string[]): Promise<void> {
    if (this.#pendingTags === null) {
      const all = (this.#pendingTags = new Set<string>())
      const storePending = () => {
        this.#pendingTags = null
        return this.#storeTags([...all])
      }
      this.#stored = this.#stored.then(storePending, storePending)
    }
    for (const tag of tags) this.#pendingTags.add(tag)
    return this.#stored
  }

  onCommit(listener: (changes: readonly Change[]) => void): () => void {
    return this.#listeners.add(listener)
  }

  onOthers(listener: (changes: readonly Change[] | null) => void): () => void {
    return this.#othersListeners.add(listener)
  }

  onRestored(listener: () => void): () => void {
    return this.#restoredListeners.add(listener)
  }

  /** Must be called right after changes of this process are committed. */
  committed(changes: readonly Change[]): void {
    const last = changes.at(-1)
    if (last === undefined) return
    this.#source.committed(last)
    for (const { id } of changes) this.#own.add(id)
    for (const id of this.#own) {
      if (this.#own.size <= MAX_OWN_CHANGES) break
      this.#own.delete(id)
    }
    this.#recordAll(changes)
    for (const listener of this.#listeners) listener(changes)
  }

  #recordAll(changes: readonly Change[]): void {
    for (const { tags, time } of changes) this.#record(tags, time)
  }

  #record(tags: readonly string[], time: number): void {
    if (tags.includes(EVERYTHING)) this.#versions.changeAll(time)
    else this.#versions.change(tags, time)
  }
}

/** Whether the innermost open transaction has written to one of the tables, which no other connection sees yet. */
function isWriting(scope: Scope, tables: readonly string[] | undefined): boolean {
  const written = openScope(scope)?.shared.written ?? null
  return written !== null && (tables === undefined || tables.some((table) => written.has(table)))
}

/** Returns the innermost open scope. */
function openScope(scope: Scope | undefined): Scope | undefined {
  let open = scope
  while (open?.over === true) open = open.parent
  return open
}
