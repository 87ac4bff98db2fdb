import type { ChangeSource } from '../backend.ts'
import type { Scope } from '../transaction-scope.ts'
import { EVERYTHING, type Change, type StoreChanges } from './change.ts'
import { changeOfRow } from './collect.ts'
import { Versions } from './versions.ts'

/** Own changes that are remembered, so that they are not taken for those of others. */
const MOST_OWN = 10_000

/** What this process knows of changes, its own and those of others. */
export class ChangeLog implements StoreChanges {
  readonly #source: ChangeSource
  readonly #versions = new Versions()
  readonly #own = new Set<number>()
  readonly #listeners = new Set<(changes: readonly Change[]) => void>()

  readonly #scope: () => Scope | undefined

  /** @param scope the transaction that the running code is in */
  constructor(source: ChangeSource, scope: () => Scope | undefined) {
    this.#source = source
    this.#scope = scope
  }

  state(tables?: readonly string[]): number | null {
    const scope = this.#scope()
    if (scope !== undefined && isWriting(scope, tables)) return null
    const rows = this.#source.take()
    if (rows === null) return null
    if (rows === 'all') this.#versions.changeAll(Date.now())
    else if (rows.length > 0) this.#learn(rows.filter((row) => !this.#own.delete(Number(row['id']))).map(changeOfRow))
    return this.#versions.state
  }

  unchanged(tags: readonly string[], since: number): boolean {
    return this.#versions.unchanged(tags, since)
  }

  changedAt(tags: readonly string[]): number {
    return this.#versions.changedAt(tags)
  }

  touch(tags: readonly string[]): void {
    this.#change(tags, Date.now())
  }

  onCommit(listener: (changes: readonly Change[]) => void): () => void {
    const entry = (changes: readonly Change[]) => listener(changes)
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** To be called as soon as changes of this process are committed. */
  committed(changes: readonly Change[]): void {
    if (changes.length === 0) return
    for (const { id } of changes) this.#own.add(id)
    for (const id of this.#own) {
      if (this.#own.size <= MOST_OWN) break
      this.#own.delete(id)
    }
    this.#learn(changes)
    for (const listener of this.#listeners) listener(changes)
  }

  #learn(changes: readonly Change[]): void {
    for (const { tags, time } of changes) this.#change(tags, time)
  }

  #change(tags: readonly string[], time: number): void {
    if (tags.includes(EVERYTHING)) this.#versions.changeAll(time)
    else this.#versions.change(tags, time)
  }
}

/** Whether the innermost open transaction has written something in tables, which nobody else sees yet. */
function isWriting(scope: Scope, tables: readonly string[] | undefined): boolean {
  let open: Scope | undefined = scope
  while (open?.over === true) open = open.parent
  const written = open?.shared.written ?? null
  return written !== null && (tables === undefined || tables.some((table) => written.has(table)))
}
