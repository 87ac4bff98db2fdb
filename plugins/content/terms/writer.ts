import { randomUUID } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import {
  invalidParam,
  isThenable,
  runAction,
  type Awaitable,
  type PluginContext,
  type RestError,
} from '../../../kernel/index.ts'
import { sanitizeValue } from '../../requests/arguments/index.ts'
import { firstFreeSlug, normalizeSlug, slugify, slugOwners, type SlugOwner } from '../../resources/index.ts'
import { sql, type RowChange, type Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import type { Term } from './query.ts'
import { COLUMNS } from './reader.ts'

/** A term to be created. */
export interface NewTerm {
  taxonomy: string
  /** Plain text; markup is removed, and the result is stored as HTML. */
  name: string
  /** Generated from the name if empty, and made unique. */
  slug?: string
  /** HTML; markup that comments do not allow is removed. */
  description?: string
  /** ID of the parent term; 0 for none. */
  parent?: number
  /** Facts about the term for taps of `slug_owners`, such as its language. They are not stored. */
  facts?: Readonly<Record<string, unknown>>
}

/** Changes to a term. */
export type TermChange = Partial<Omit<NewTerm, 'taxonomy'>>

/** Maximum length of names and slugs in characters; both are indexed. */
const MAX_NAME_LENGTH = 200

type ExistingTerm = Pick<Term, 'id' | 'name' | 'slug' | 'parent_id'>
/** The place of a term that gets a slug. */
interface SlugPlace {
  readonly taxonomy: string
  readonly parent: number
  /** 0 for a new term. */
  readonly id: number
  readonly facts: Readonly<Record<string, unknown>>
}

/**
 * Writes terms. The caller of `create` and `update` (a controller or the service) must hold the write turn. Other
 * methods run in one transaction, or join the open one.
 */
export class TermWriter {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  async create(input: NewTerm): Promise<Term> {
    const { taxonomy } = input
    const { html, store: tx } = this.#plugin.services
    const name = this.#nameOf(input.name)
    const requestedSlug = normalizeSlug(input.slug ?? '')
    const slug = requestedSlug || slugify(name)
    const description = await html.filterLong(input.description ?? '', 'comment')
    const parent = await parentOf(tx, taxonomy, input.parent ?? 0, null)
    const place = { taxonomy, parent, id: 0, facts: input.facts ?? {} }
    const duplicate = await this.#findDuplicate(tx, place, { name, slug, isSlugRequested: requestedSlug !== '' })
    if (duplicate !== undefined) throw termExists(duplicate)
    const free = slug === '' ? randomUUID() : await this.#freeSlug(tx, slug, place)
    const row = { taxonomy, name, slug: free, description, parent_id: parent }
    const term = (await tx.first<Term>(tx.db.insertInto('terms').values(row).returning(COLUMNS)))!
    if (slug !== '') return term
    // The name contains no character that a slug can have, so the slug is the ID.
    return change(tx, term.id, { slug: await this.#freeSlug(tx, String(term.id), place) })
  }

  async update(id: number, input: TermChange): Promise<Term> {
    const { html, store: tx } = this.#plugin.services
    const name = input.name === undefined ? undefined : this.#nameOf(input.name)
    const description =
      input.description === undefined ? undefined : await html.filterLong(input.description, 'comment')
    const before = await termOf(tx, id)
    const row: RowChange<'terms'> = {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
    }
    if (input.parent !== undefined) row.parent_id = await parentOf(tx, before.taxonomy, input.parent, id)
    const after = { name: row.name ?? before.name, parent_id: row.parent_id ?? before.parent_id }
    if (input.slug !== undefined)
      row.slug = await this.#slugFor(tx, before, input.slug, { ...after, facts: input.facts })
    return Object.keys(row).length === 0 ? before : change(tx, id, row)
  }

  async delete(id: number): Promise<void> {
    await this.#plugin.services.store.inTurn(async (tx) => {
      const term = await termOf(tx, id)
      const { taxonomy, parent_id: parent } = term
      const fallback = await this.#defaultNow(taxonomy)
      if (fallback === id) throw errors.rest_cannot_delete()
      await runAction(this.#plugin.hooks.before_delete_term, term)
      const { db } = tx
      const below = db.updateTable('terms').set({ parent_id: parent })
      await tx.run(below.where('taxonomy', '=', taxonomy).where('parent_id', '=', id))
      const replacement = await tx.first(
        db.selectFrom('terms').select('id').where('taxonomy', '=', taxonomy).where('id', '=', fallback),
      )
      if (replacement !== undefined) await reassignPosts(tx, taxonomy, id, replacement.id)
      await tx.run(db.deleteFrom('terms').where('id', '=', id))
      if (replacement !== undefined) await recount(tx, [replacement.id])
    })
  }

  /** ID of the default term of a taxonomy; 0 for none. */
  async defaultOf(taxonomy: string): Promise<number> {
    const name = this.#optionOfDefault(taxonomy)
    return name === null ? 0 : Number(await this.#plugin.services.options.get(name, 0)) || 0
  }

  /** The same from the database, because another process may have changed it. */
  async #defaultNow(taxonomy: string): Promise<number> {
    const name = this.#optionOfDefault(taxonomy)
    return name === null ? 0 : Number((await this.#plugin.services.options.fresh([name]))[name]) || 0
  }

  /** Name of the option for the default term of a taxonomy; null if the taxonomy has no default term. */
  #optionOfDefault(taxonomy: string): string | null {
    if (taxonomy === 'category') return 'default_category'
    return this.#plugin.services.taxonomies.get(taxonomy)?.default_term ? `default_term_${taxonomy}` : null
  }

  /** Takes the write turn; otherwise concurrent changes would not be counted. */
  async recount(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    await this.#plugin.services.store.inTurn((tx) => recount(tx, [...new Set(ids)]))
  }

  /** Increments the counts: recounting a large term for each of its posts would take ever longer. */
  async count(gained: readonly number[], lost: readonly number[]): Promise<void> {
    const { store } = this.#plugin.services
    const add = async (ids: readonly number[], count: RawBuilder<number>) => {
      if (ids.length > 0) await store.run(store.db.updateTable('terms').set({ count }).where('id', 'in', ids))
    }
    await add(gained, sql`count + 1`)
    await add(lost, sql`case when count > 0 then count - 1 else 0 end`)
  }

  /** @throws empty_term_name, rest_invalid_param */
  #nameOf(name: string): string {
    const plain = sanitizeValue(name, { type: 'string', format: 'text-field' }) as string
    if (plain === '') throw errors.empty_term_name()
    if (plain.length > MAX_NAME_LENGTH) {
      throw invalidParam('name', `name is longer than the ${MAX_NAME_LENGTH} characters allowed here.`)
    }
    return this.#plugin.services.html.filter(plain, 'strip')
  }

  /**
   * ID of the term that prevents the creation of a new one. Names are unique among siblings, or within a flat taxonomy,
   * unless the request contains a slug that is free.
   */
  async #findDuplicate(
    tx: Store,
    place: SlugPlace,
    { name, slug, isSlugRequested }: { name: string; slug: string; isSlugRequested: boolean },
  ): Promise<number | undefined> {
    const { taxonomy, parent } = place
    const all: ExistingTerm[] = await tx.all(
      tx.db
        .selectFrom('terms')
        .select(['id', 'name', 'slug', 'parent_id'])
        .where('taxonomy', '=', taxonomy)
        .where((of) => of.or([of('name', '=', name), of('slug', '=', slug)]))
        .orderBy('id'),
    )
    const shown = this.#owners(all, [slug], place)
    const owners = new Set((isThenable(shown) ? await shown : shown).map(({ id }) => id))
    const rows = all.filter(({ id }) => owners.has(id))
    const same = rows.filter((row) => row.name.toLowerCase() === name.toLowerCase())
    const owner = rows.find((row) => row.slug === slug)
    if (same.length === 0 || (isSlugRequested && owner === undefined)) return undefined
    if (!this.#plugin.services.taxonomies.get(taxonomy)?.hierarchical) return same[0]!.id
    const sibling = same.find((row) => row.parent_id === parent && (!isSlugRequested || row === owner))
    return (sibling ?? (owner?.parent_id === parent ? owner : undefined))?.id
  }

  /** The slug for a change that sets one. @throws duplicate_term_slug */
  async #slugFor(
    tx: Store,
    before: Term,
    slug: string,
    after: Pick<Term, 'name' | 'parent_id'> & { facts: TermChange['facts'] },
  ): Promise<string> {
    const { id, taxonomy } = before
    // Imported slugs can differ from the result of `slugify`.
    if (slug === before.slug) return slug
    const requestedSlug = normalizeSlug(slug)
    const desired = requestedSlug || slugify(after.name) || String(id)
    const { facts = {}, parent_id: parent } = after
    const free = await this.#freeSlug(tx, desired, { taxonomy, parent, id, facts })
    const forced = requestedSlug !== '' && parent === before.parent_id
    if (forced && free !== desired) throw errors.duplicate_term_slug()
    return free
  }

  /** Returns the slug. If another term has it, appends the slugs of the ancestors or a number. */
  async #freeSlug(tx: Store, desired: string, place: SlugPlace): Promise<string> {
    const { taxonomy, parent, id } = place
    const findTaken = async (slugs: readonly string[]) => {
      const query = tx.db.selectFrom('terms').select(['id', 'slug']).where('taxonomy', '=', taxonomy)
      const rows = await tx.all(query.where('slug', 'in', slugs).where('id', '<>', id))
      const owners = this.#owners(rows, slugs, place)
      return new Set((isThenable(owners) ? await owners : owners).map(({ slug }) => slug))
    }
    if (!(await findTaken([desired])).has(desired)) return desired
    let longer = desired
    for (let above = parent; above !== 0;) {
      const term: Pick<Term, 'slug' | 'parent_id'> | undefined = await tx.first(
        tx.db.selectFrom('terms').select(['slug', 'parent_id']).where('id', '=', above),
      )
      longer += `-${term?.slug ?? ''}`
      if (term === undefined || longer.length > MAX_NAME_LENGTH) break
      if (!(await findTaken([longer])).has(longer)) return longer
      above = term.parent_id
    }
    return firstFreeSlug(desired, findTaken, { first: 2 })
  }

  #owners(rows: readonly SlugOwner[], slugs: readonly string[], place: SlugPlace): Awaitable<readonly SlugOwner[]> {
    const { taxonomy: type, parent, id, facts } = place
    return slugOwners(this.#plugin.hooks.slug_owners, rows, type, () => ({
      kind: 'term',
      type,
      id,
      parent,
      slugs,
      terms: new Map(),
      facts,
    }))
  }
}

/** @throws rest_term_invalid */
async function termOf(tx: Store, id: number): Promise<Term> {
  const term = await tx.first<Term>(tx.db.selectFrom('terms').select(COLUMNS).where('id', '=', id))
  if (term === undefined) throw errors.rest_term_invalid()
  return term
}

async function change(tx: Store, id: number, row: RowChange<'terms'>): Promise<Term> {
  return (await tx.first<Term>(tx.db.updateTable('terms').set(row).where('id', '=', id).returning(COLUMNS)))!
}

/**
 * Returns the parent to store; 0 if the term would become its own ancestor.
 * @param below ID of the term; null for a new one
 * @throws rest_term_invalid if the taxonomy has no term with this ID
 */
async function parentOf(tx: Store, taxonomy: string, parent: number, below: number | null): Promise<number> {
  if (parent === 0) return 0
  const above = tx.db
    .withRecursive('above(id, parent_id)', (cte) =>
      cte
        .selectFrom('terms')
        .select(['terms.id', 'terms.parent_id'])
        .where('id', '=', parent)
        .where('taxonomy', '=', taxonomy)
        .union(
          cte
            .selectFrom('terms')
            .innerJoin('above', 'above.parent_id', 'terms.id')
            .select(['terms.id', 'terms.parent_id']),
        ),
    )
    .selectFrom('above')
    .select('above.id')
  const ids = (await tx.all(above)).map(({ id }) => id)
  if (ids.length === 0) throw errors.rest_term_invalid({ data: { status: 400 } })
  return below !== null && ids.includes(below) ? 0 : parent
}

/** Assigns another term to posts whose only term of the taxonomy is `from`. */
async function reassignPosts(tx: Store, taxonomy: string, from: number, to: number): Promise<void> {
  const { db } = tx
  const content = db
    .selectFrom('term_relationships as link')
    .select(['link.post_id', sql<number>`cast(${to} as bigint)`.as('term_id')])
    .where('link.term_id', '=', from)
    .where((of) => {
      const others = of
        .selectFrom('term_relationships as other')
        .innerJoin('terms', 'terms.id', 'other.term_id')
        .select('other.post_id')
        .whereRef('other.post_id', '=', 'link.post_id')
        .where('other.term_id', '<>', from)
        .where('terms.taxonomy', '=', taxonomy)
      return of.not(of.exists(others))
    })
  await tx.run(db.insertInto('term_relationships').columns(['post_id', 'term_id']).expression(content))
}

/** Recounts the published posts of terms. */
async function recount(tx: Store, ids: readonly number[]): Promise<void> {
  await tx.run(
    tx.db
      .updateTable('terms')
      .set((of) => ({
        count: of
          .selectFrom('term_relationships as link')
          .innerJoin('posts', 'posts.id', 'link.post_id')
          .whereRef('link.term_id', '=', 'terms.id')
          .where('posts.status', '=', 'publish')
          .select((counted) => counted.fn.countAll<number>().as('total')),
      }))
      .where('terms.id', 'in', ids),
  )
}

/**
 * The `term_exists` error with the ID of the existing term, in its data and in the additional data where WordPress
 * clients look for it.
 */
function termExists(id: number): RestError {
  const error = errors.term_exists({ data: { term_id: id } })
  error.additionalData.push(id, id)
  return error
}
