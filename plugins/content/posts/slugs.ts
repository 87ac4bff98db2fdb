import { RequestCache, type PluginContext } from '../../../kernel/index.ts'
import { cutSlug, LONGEST_SLUG } from '../../resources/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { TRASHED_SLUG_KEY } from '../meta-keys.ts'
import { freeSlugs, typesSharingSlugs, type WantedSlug } from './unique-slugs.ts'
import type { Post, PostChange } from './post.ts'

/** What the slug of a post in the trash ends with, so that others can take it. */
const TRASHED = '__trashed'

/** Which slug a post gets. */
export class PostSlugs {
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services']) {
    this.#services = services
  }

  /** Whether posts of a status have no slug yet. */
  isUnnamed(status: string): boolean {
    return this.#services.statuses.get(status)?.date_floating === true
  }

  /**
   * The slug of a post that is stored: the one given, the one it has, or one that its title gives.
   * @param before null for a new post, which gets '' where neither gives one: it has no ID yet
   */
  async of(tx: Store, before: Post | null, type: string, status: string, change: PostChange): Promise<string> {
    const { permalinks } = this.#services
    const returns = before?.status === 'trash' && status !== 'trash'
    const had = returns ? await this.#beforeTrash(before) : (before?.slug ?? '')
    const given = change.slug === undefined ? had : toSlug(change.slug, (title) => permalinks.slugify(title))
    if (type === 'revision' || this.isUnnamed(status)) return given
    const title = change.title ?? before?.title ?? ''
    const wanted = given || permalinks.slugify(title) || (before === null ? '' : String(before.id))
    const parent = change.parent_id ?? before?.parent_id ?? 0
    return wanted === '' ? '' : this.free(tx, wanted, { id: before?.id ?? 0, type, parent_id: parent })
  }

  /** The slug, or where another post has it, one that nobody has. */
  async free(tx: Store, wanted: string, post: Pick<WantedSlug, 'id' | 'type' | 'parent_id'>): Promise<string> {
    if (this.#services.contentTypes.get(post.type)?.unique_slugs === false) return wanted
    const hierarchical = typesSharingSlugs(this.#services.contentTypes, post.type)
    const [slug] = await freeSlugs(tx, [{ ...post, wanted, hierarchical }])
    return slug!
  }

  async #beforeTrash({ id, slug }: Post): Promise<string> {
    const kept = await this.#services.meta.single('post', id, TRASHED_SLUG_KEY, new RequestCache())
    return typeof kept === 'string' ? kept : untrashedSlug(slug)
  }
}

/** A slug as it was given: one that is already written as slugs are stays as it is. */
export function toSlug(given: string, slugify: (title: string) => string): string {
  const text = given.trim()
  if (!/^(?:[a-z0-9_-]|%[0-9a-f]{2})*$/.test(text)) return slugify(text)
  return cutSlug(text.replace(/-{2,}/g, '-').replace(/^-|-$/g, ''))
}

export function trashedSlug(slug: string): string {
  return slug.endsWith(TRASHED) ? slug : `${cutSlug(slug, LONGEST_SLUG - TRASHED.length)}${TRASHED}`
}

/** The slug before the trash, where it was not kept. */
function untrashedSlug(slug: string): string {
  return slug.endsWith(TRASHED) ? slug.slice(0, -TRASHED.length) : slug
}
