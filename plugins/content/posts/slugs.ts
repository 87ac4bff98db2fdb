import { RequestCache, type PluginContext } from '../../../kernel/index.ts'
import { cutSlug, MAX_SLUG_BYTES, normalizeSlug } from '../../resources/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { TRASHED_SLUG_KEY } from '../meta-keys.ts'
import { freeSlugs, typesSharingSlugs, type SlugRequest } from './unique-slugs.ts'
import type { Post, PostChange } from './post.ts'

/** Suffix of the slug of a trashed post, which frees the slug for other posts. */
const TRASHED = '__trashed'

/** Determines the slugs of posts. */
export class PostSlugs {
  readonly #services: PluginContext['services']
  readonly #hooks: PluginContext['hooks']

  constructor({ hooks, services }: PluginContext) {
    this.#services = services
    this.#hooks = hooks
  }

  /** Whether posts of a status have no slug yet. */
  isUnnamed(status: string): boolean {
    return this.#services.statuses.get(status)?.date_floating === true
  }

  /**
   * The slug to store: from the change, the current slug, or one from the title.
   * @param before null for a new post; without a slug or title the result is '', because the post has no ID yet
   */
  async slugFor(tx: Store, before: Post | null, type: string, status: string, change: PostChange): Promise<string> {
    const { permalinks } = this.#services
    const returns = before?.status === 'trash' && status !== 'trash'
    const current = returns ? await this.#beforeTrash(before) : (before?.slug ?? '')
    const slug = change.slug === undefined ? current : normalizeSlug(change.slug)
    if (type === 'revision' || this.isUnnamed(status)) return slug
    const title = change.title ?? before?.title ?? ''
    const desired = slug || permalinks.slugify(title) || (before === null ? '' : String(before.id))
    const parent = change.parent_id ?? before?.parent_id ?? 0
    return desired === ''
      ? ''
      : this.free(tx, desired, { id: before?.id ?? 0, type, parent_id: parent, terms: change.terms })
  }

  /** Returns the slug, with a number appended if another post has it. */
  async free(
    tx: Store,
    desired: string,
    post: Pick<SlugRequest, 'id' | 'type' | 'parent_id' | 'terms'>,
  ): Promise<string> {
    if (this.#services.contentTypes.get(post.type)?.unique_slugs === false) return desired
    const hierarchical = typesSharingSlugs(this.#services.contentTypes, post.type)
    const [slug] = await freeSlugs(this.#hooks.slug_owners, tx, [{ ...post, desired, hierarchical }])
    return slug!
  }

  async #beforeTrash({ id, slug }: Post): Promise<string> {
    const stored = await this.#services.meta.single('post', id, TRASHED_SLUG_KEY, new RequestCache())
    return typeof stored === 'string' ? stored : untrashedSlug(slug)
  }
}

export function trashedSlug(slug: string): string {
  return slug.endsWith(TRASHED) ? slug : `${cutSlug(slug, MAX_SLUG_BYTES - TRASHED.length)}${TRASHED}`
}

/** Removes the suffix that `trashedSlug` adds. Used if meta lacks the slug from before the post was trashed. */
function untrashedSlug(slug: string): string {
  return slug.endsWith(TRASHED) ? slug.slice(0, -TRASHED.length) : slug
}
