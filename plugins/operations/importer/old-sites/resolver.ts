import { withoutPassword } from '../../../content/posts/index.ts'
import type { ImportContext } from '../context.ts'
import { padded } from '../lists.ts'
import type { Value } from '../php-values.ts'
import { revisionSlug } from '../posts/slugs.ts'
import type { ValueOwner } from '../values.ts'
import { fingerprint } from './fingerprint.ts'
import type { Target, TargetKind } from './links.ts'
import { fingerprintOf, readStates, writeState, type ObjectState } from './object-state.ts'
import type { StoredPendingValue } from './pending-values.ts'
import type { MappedKind } from './tables.ts'

/** Note about references whose objects are not imported. */
const LOST = 'reference to an object that is not in the file; removed'
/** Note about references in texts that keep their IDs. */
const KEPT_REFERENCE = 'reference in a text to an object that is not in the file; unchanged'

/** The result for a pending value: it is done, or remains with these properties. */
type Rest = Pick<StoredPendingValue, 'targets' | 'source' | 'written'> | 'done'

/**
 * Resolves values with references to objects that came later: in this import, or since an earlier one. A value that was
 * changed here in the meantime is kept. Call it after all records are written.
 */
export class PendingResolver {
  readonly #context: ImportContext
  readonly #lastBefore: number
  readonly #preserved: readonly TargetKind[]
  #unsaved: ReadonlySet<number> = new Set()
  /** Keys of missing objects whose old IDs no object of this site has or will get. */
  #unused: ReadonlySet<string> = new Set()

  /**
   * @param lastBefore the highest ID of a pending value of earlier imports
   * @param preserved kinds of objects that keep their old IDs on this site
   */
  constructor(context: ImportContext, lastBefore: number, preserved: readonly TargetKind[]) {
    this.#context = context
    this.#lastBefore = lastBefore
    this.#preserved = preserved
  }

  async run(): Promise<void> {
    const { links, oldSite, pending } = this.#context
    this.#context.isResolving = true
    links.expect([])
    for await (const page of pending.pages()) {
      await links.load(page.flatMap(({ targets }) => targets))
      this.#unsaved = await oldSite.unsavedAmong(page.flatMap(parentsOf))
      this.#unused = await this.#unusedAmong(page.filter(isText).flatMap(({ targets }) => targets))
      await this.#resolve(page)
    }
    await oldSite.flush()
  }

  async #resolve(page: readonly StoredPendingValue[]): Promise<void> {
    const { links, pending } = this.#context
    const open: StoredPendingValue[] = []
    const lost: StoredPendingValue[] = []
    const done: number[] = []
    for (const value of page) {
      const isComplete = value.written === 0 && value.targets.every((target) => this.#hasOldId(target))
      if (isComplete && value.field !== 'parent_id') done.push(value.id)
      else if (value.written === 0 || links.hasAny(value.targets) || this.#isOfUnsaved(value)) open.push(value)
      else if (value.id > this.#lastBefore) lost.push(value)
    }
    await this.#noteAllLost(lost)
    const byHolder = Map.groupBy(open, ({ holder }) => holder)
    for (const [holder, values] of byHolder) {
      if (holder !== 'option') done.push(...(await this.#resolveObjects(holder, values)))
      else for (const value of values) if (await this.#resolveOption(value)) done.push(value.id)
    }
    await pending.remove(done)
  }

  /** Resolves values of objects of one kind. Returns the IDs of values that are done. */
  async #resolveObjects(kind: MappedKind, values: readonly StoredPendingValue[]): Promise<number[]> {
    const { links, oldSite, pending, tx } = this.#context
    const done: number[] = []
    const ids = [...new Set(values.map(({ holderId }) => holderId))]
    const states = await readStates(tx, kind, ids)
    const entries = await oldSite.findByNewIds(kind, ids)
    // A source also refers to objects that were here before.
    await links.load(values.flatMap((value) => this.#targetsOf(kind, value, states.get(value.holderId))))
    for (const [id, ofObject] of Map.groupBy(values, ({ holderId }) => holderId)) {
      const before = states.get(id)
      if (before === undefined) {
        done.push(...ofObject.map((value) => value.id))
        continue
      }
      const after: ObjectState = {
        row: { ...before.row },
        meta: before.meta.map((row) => [...row]),
        terms: before.terms,
      }
      for (const value of ofObject) {
        const rest = await this.#apply(kind, value, after)
        if (rest === 'done') done.push(value.id)
        else if (rest.written !== value.written || rest.targets.length !== value.targets.length) {
          await pending.replace(value.id, rest)
        }
      }
      await writeState(tx, kind, id, before, after)
      const written = fingerprintOf(kind, before)
      for (const entry of entries.get(id) ?? []) {
        // An object that was changed here stays changed.
        if (entry.written === written) oldSite.set(entry, { ...entry, written: fingerprintOf(kind, after) })
      }
    }
    return done
  }

  /** All objects to which the source of a value refers. */
  #targetsOf(kind: MappedKind, value: StoredPendingValue, state: ObjectState | undefined): Target[] {
    const { field, source } = value
    if (state === undefined || field === 'parent_id' || field === 'author_id') return []
    const { links, values } = this.#context
    const owner = ownerOf(kind, value, state)
    return links.collect(() => {
      if (field.startsWith('meta ')) values.mapMeta(owner, field.slice('meta '.length), source)
      else values.mapField(owner, field, source || String(state.row[field]))
    })
  }

  /** Resolves a value in the state of its object. */
  async #apply(kind: MappedKind, value: StoredPendingValue, state: ObjectState): Promise<Rest> {
    const { field } = value
    if (field === 'parent_id' || field === 'author_id') return await this.#applyId(kind, value, state)
    const { links, values } = this.#context
    const owner = ownerOf(kind, value, state)
    if (field.startsWith('meta ')) {
      const key = field.slice('meta '.length)
      const place = state.meta.findIndex(([name, text]) => {
        return name === key && (value.written === 0 || fingerprint([text]) === value.written)
      })
      if (place === -1) return 'done'
      const mapped = links.resolve(() => values.mapMeta(owner, key, value.source))
      state.meta[place] = mapped.value
      return this.#rest(value, mapped.missing, value.source, mapped.value[1], state)
    }
    const text = String(state.row[field])
    if (value.written !== 0 && fingerprint([text]) !== value.written) return 'done'
    const source = value.source || text
    const mapped = links.resolve(
      () => values.mapField(owner, field, source),
      (targetKind, oldId) => isText(value) && this.#unused.has(keyOf(targetKind, oldId)),
    )
    state.row[field] = mapped.value
    return this.#rest(value, mapped.missing, source, mapped.value, state)
  }

  #rest(value: StoredPendingValue, missing: Target[], source: string, written: string, state: ObjectState): Rest {
    if (missing.length === 0) return 'done'
    this.#noteLost({ ...value, targets: missing }, String(state.row['title'] ?? ''))
    return { targets: missing, source, written: fingerprint([written]) }
  }

  /** Resolves a parent or an author. */
  async #applyId(kind: MappedKind, value: StoredPendingValue, { row }: ObjectState): Promise<Rest> {
    const { counters, links } = this.#context
    const { field, holderId: id, targets, written } = value
    const [target] = targets
    if (target === undefined || row[field] !== (written === 0 ? target[2] : 0)) return 'done'
    const [targetKind, taxonomy, oldId] = target
    const newId = targetKind === 'later' ? 0 : links.find(targetKind, oldId, taxonomy)
    row[field] = newId
    if (newId === 0) {
      if (this.#isOfUnsaved(value)) {
        // An item attached to a draft that was never saved was not public.
        if (row['status'] === 'inherit') Object.assign(row, { status: 'private', ...withoutPassword('private') })
        return 'done'
      }
      this.#noteLost(value, '')
      return { targets, source: value.source, written: 1 }
    }
    if (field === 'author_id') return 'done'
    if (kind !== 'user' && (await this.#context.isAbove(`${kind}s`, id, newId))) {
      row[field] = 0
      const name = kind === 'post' ? 'item' : kind
      counters.note(`${name} that was its own ancestor; parent removed`, `ID ${id}`)
    } else if (row['type'] === 'revision') row['slug'] = revisionSlug(String(row['slug']), newId)
    return 'done'
  }

  /** Resolves an option. Returns whether it is done. */
  async #resolveOption(value: StoredPendingValue): Promise<boolean> {
    const { links, pending, tx, values } = this.#context
    const { field: name, id, source, written } = value
    const row = await tx.first(tx.db.selectFrom('options').select('value').where('name', '=', name))
    if (row === undefined || fingerprint([row.value]) !== written) return true
    const map = () => values.mapOption(name, JSON.parse(source) as Value)
    await links.load(links.collect(map))
    const mapped = links.resolve(map)
    const text = JSON.stringify(mapped.value)
    await tx.run(tx.db.updateTable('options').set({ value: text }).where('name', '=', name))
    if (mapped.missing.length === 0) return true
    await pending.replace(id, { targets: mapped.missing, source, written: fingerprint([text]) })
    return false
  }

  /** Whether an object has its old ID, so that values with the old ID need no change. */
  #hasOldId([kind, taxonomy, oldId]: Target): boolean {
    return kind !== 'later' && this.#context.links.find(kind, oldId, taxonomy) === oldId
  }

  #isOfUnsaved(value: StoredPendingValue): boolean {
    return parentsOf(value).some((oldId) => this.#unsaved.has(oldId))
  }

  /** Reports values of this import that were not resolved. */
  async #noteAllLost(values: readonly StoredPendingValue[]): Promise<void> {
    const { tx } = this.#context
    const posts = values.filter(isText).map(({ holderId }) => holderId)
    const query = tx.db.selectFrom('posts').select(['id', 'title']).where('id', 'in', padded(posts))
    const titles = new Map(posts.length === 0 ? [] : (await tx.all(query)).map(({ id, title }) => [id, title]))
    for (const value of values) this.#noteLost(value, isText(value) ? (titles.get(value.holderId) ?? '') : '')
  }

  /** @param title of the post whose text has the references */
  #noteLost({ field, holder, holderId, id, targets }: StoredPendingValue, title: string): void {
    if (id <= this.#lastBefore) return
    const { counters } = this.#context
    if (field === 'parent_id') {
      // The parents of comments are reported when the comments are written.
      if (holder === 'post') counters.note('item whose parent is not in the file; parent removed', `ID ${holderId}`)
      else if (holder === 'term')
        counters.note('term whose parent is not in the file; parent removed', `ID ${holderId}`)
      return
    }
    if (field === 'author_id') return
    for (const [kind, taxonomy, oldId] of targets) {
      if (kind === 'later') continue
      const isMeta = field.startsWith('meta ')
      const name = isMeta ? taxonomy || field.slice('meta '.length) : field
      if (isText({ field })) {
        counters.note(this.#unused.has(keyOf(kind, oldId)) ? KEPT_REFERENCE : LOST, `${title}: ${oldId}`)
      } else counters.note(LOST, `${name} ${oldId}`)
    }
  }

  /**
   * Returns the keys of targets whose old IDs no object of this site has or will get: new objects get IDs above the
   * highest one. Texts keep these IDs.
   */
  async #unusedAmong(targets: readonly Target[]): Promise<Set<string>> {
    const { tx } = this.#context
    const unused = new Set<string>()
    for (const kind of this.#preserved) {
      const ids = new Set(targets.flatMap(([one, , oldId]) => (one === kind ? [oldId] : [])))
      if (ids.size === 0) continue
      const rows = tx.db.selectFrom(`${kind}s`).select('id')
      const highest = await tx.first(rows.orderBy('id', 'desc').limit(1))
      for (const { id } of await tx.all(rows.where('id', 'in', padded([...ids])))) ids.delete(id)
      for (const id of ids) if (id < (highest?.id ?? 0)) unused.add(keyOf(kind, id))
    }
    return unused
  }
}

function isText({ field }: Pick<StoredPendingValue, 'field'>): boolean {
  return field === 'content' || field === 'excerpt'
}

function keyOf(kind: TargetKind, oldId: number): string {
  return `${kind} ${oldId}`
}

/** Old IDs of the parents of posts. */
function parentsOf({ holder, field, targets }: StoredPendingValue): number[] {
  return holder === 'post' && field === 'parent_id' ? targets.map(([, , oldId]) => oldId) : []
}

function ownerOf(kind: MappedKind, { holderId }: StoredPendingValue, { row, meta }: ObjectState): ValueOwner {
  const objectType = String(row['type'] ?? row['taxonomy'] ?? '')
  return { holder: kind, holderId, objectType, other: (key) => meta.find(([name]) => name === key)?.[1] }
}
