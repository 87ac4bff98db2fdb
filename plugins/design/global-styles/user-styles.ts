import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import { collectDependencies, dependsOn, VersionedCache } from '../../library/caching/index.ts'
import type { Post, PostWrite } from '../../content/posts/index.ts'
import { ensureThemeTerm, themeTerm } from '../themes/index.ts'
import { THEME_JSON_VERSION, isTree, type Tree } from './theme-json.ts'

/** Stored settings and styles of the user. */
export interface OwnStyles {
  settings: Tree
  styles: Tree
}

const TITLE = 'Custom Styles'

/** Parses the settings and styles in the content of a post; empty if the content is not valid. */
export function stylesIn(content: string): OwnStyles {
  let parsed: unknown = null
  try {
    parsed = JSON.parse(content)
  } catch {
    // Treat invalid JSON as empty.
  }
  const part = (name: string) => {
    const found = isTree(parsed) ? parsed[name] : undefined
    return isTree(found) ? found : {}
  }
  return { settings: part('settings'), styles: part('styles') }
}

/** Serializes settings and styles as the content of a post. */
export function contentOf({ settings, styles }: OwnStyles): string {
  return JSON.stringify({ styles, settings, isGlobalStylesUserThemeJSON: true, version: THEME_JSON_VERSION })
}

/** Cached look-up for one theme. */
interface Lookup {
  readonly post: Post | undefined
  readonly tags: readonly string[]
}

/** Maximum number of themes in the cache. */
const MAX_CACHED_THEMES = 8

/** Reads the user styles of themes: one post for each theme, linked to it by a term. */
export class UserStyles {
  readonly #plugin: PluginContext
  readonly type: string
  readonly #taxonomy: string
  /** Look-ups by theme until one of their tags changes. Cached, because each rendered layout needs them. */
  readonly #lookups: VersionedCache<string, Lookup>

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    this.type = plugin.branding.typeName('global_styles')
    this.#taxonomy = plugin.branding.typeName('theme')
    this.#lookups = new VersionedCache(plugin.services.store.changes, {
      maxEntries: MAX_CACHED_THEMES,
      tagsOf: ({ tags }) => tags,
    })
  }

  /** Returns the styles post of a theme, or undefined. */
  async find(stylesheet: string, scope: RequestCache): Promise<Post | undefined> {
    const cached = this.#lookups.get(stylesheet)
    if (cached !== undefined) {
      dependsOn(...cached.tags)
      return cached.post
    }
    const started = this.#lookups.begin()
    return collectDependencies(async (dependencies) => {
      const post = await this.#read(stylesheet, scope)
      // Reads in a transaction record no tags.
      if (dependencies.refusal === null) this.#lookups.set(stylesheet, { post, tags: [...dependencies.tags] }, started)
      return post
    })
  }

  async #read(stylesheet: string, scope: RequestCache): Promise<Post | undefined> {
    const term = await themeTerm(this.#plugin, stylesheet, scope)
    if (term === undefined) return undefined
    const { items } = await this.#plugin.services.posts.query(
      {
        types: [this.type],
        statuses: ['publish'],
        terms: [{ taxonomy: this.#taxonomy, terms: [term], operator: 'in' }],
        orderby: 'id',
        order: 'asc',
        readScope: null,
        // At most one post is expected. A page that is not full needs no query for the total.
        limit: 2,
      },
      scope,
    )
    return items[0]
  }

  /** Returns the ID of the styles post of a theme; creates the post if necessary. */
  async idOf(stylesheet: string, write: PostWrite): Promise<number> {
    const found = await this.find(stylesheet, write.scope)
    if (found !== undefined) return found.id
    const { posts, transactions } = this.#plugin.services
    return transactions.inTurn(async () => {
      // Check again: another process may have created it.
      const existing = await this.find(stylesheet, write.scope)
      if (existing !== undefined) return existing.id
      const term = await ensureThemeTerm(this.#plugin, stylesheet, write.scope)
      const { id } = await posts.create(
        {
          type: this.type,
          status: 'publish',
          title: TITLE,
          slug: `global-styles-${stylesheet}`,
          content: contentOf({ settings: {}, styles: {} }),
          terms: new Map([[this.#taxonomy, [term]]]),
        },
        write,
      )
      return id
    })
  }
}
