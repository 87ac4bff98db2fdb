import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import { collectDependencies, dependsOn, VersionedCache } from '../../library/caching/index.ts'
import type { Post, PostWrite } from '../../content/posts/index.ts'
import { THEME_JSON_VERSION, isTree, type Tree } from './theme-json.ts'

/** Settings and styles that a user has changed, as they are stored. */
export interface OwnStyles {
  settings: Tree
  styles: Tree
}

const TITLE = 'Custom Styles'

/** The settings and styles in the content of a post; empty where it holds none. */
export function stylesIn(content: string): OwnStyles {
  let parsed: unknown = null
  try {
    parsed = JSON.parse(content)
  } catch {
    // As good as none.
  }
  const part = (name: string) => {
    const found = isTree(parsed) ? parsed[name] : undefined
    return isTree(found) ? found : {}
  }
  return { settings: part('settings'), styles: part('styles') }
}

/** Settings and styles as the content of a post. */
export function contentOf({ settings, styles }: OwnStyles): string {
  return JSON.stringify({ styles, settings, isGlobalStylesUserThemeJSON: true, version: THEME_JSON_VERSION })
}

/** What was found of a theme. */
interface Found {
  readonly post: Post | undefined
  readonly tags: readonly string[]
}

/** Of how many themes it is kept. */
const MOST_FOUND = 8

/** What users have changed of the styles of themes: a post for each theme, which has the theme as its term. */
export class UserStyles {
  readonly #plugin: PluginContext
  readonly type: string
  readonly #taxonomy: string
  /** What was found, by themes, as long as nothing of it changes: whatever shows layout asks for it. */
  readonly #found: VersionedCache<string, Found>

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    this.type = plugin.branding.typeName('global_styles')
    this.#taxonomy = plugin.branding.typeName('theme')
    this.#found = new VersionedCache(plugin.services.store.changes, { most: MOST_FOUND, tagsOf: ({ tags }) => tags })
  }

  /** The post of a theme; undefined where there is none. */
  async find(stylesheet: string, scope: RequestCache): Promise<Post | undefined> {
    const known = this.#found.get(stylesheet)
    if (known !== undefined) {
      dependsOn(...known.tags)
      return known.post
    }
    const begun = this.#found.begin()
    const found = await collectDependencies(async ({ tags }): Promise<Found> => {
      const post = await this.#read(stylesheet, scope)
      return { post, tags: [...tags] }
    })
    this.#found.keep(stylesheet, found, begun)
    return found.post
  }

  async #read(stylesheet: string, scope: RequestCache): Promise<Post | undefined> {
    const term = await this.#termOf(stylesheet, scope)
    if (term === undefined) return undefined
    const { items } = await this.#plugin.services.posts.query(
      {
        types: [this.type],
        statuses: ['publish'],
        terms: [{ taxonomy: this.#taxonomy, terms: [term], operator: 'in' }],
        orderby: 'id',
        order: 'asc',
        readScope: null,
        // One more than there is: so none need be counted.
        limit: 2,
      },
      scope,
    )
    return items[0]
  }

  /** ID of the post of a theme, which is made where there is none. */
  async idOf(stylesheet: string, write: PostWrite): Promise<number> {
    const found = await this.find(stylesheet, write.scope)
    if (found !== undefined) return found.id
    const { posts, terms, transactions } = this.#plugin.services
    return transactions.inTurn(async () => {
      // Another process may have made it meanwhile.
      const made = await this.find(stylesheet, write.scope)
      if (made !== undefined) return made.id
      const term =
        (await this.#termOf(stylesheet, write.scope)) ??
        (await terms.create({ taxonomy: this.#taxonomy, name: stylesheet, slug: stylesheet })).id
      const { id } = await posts.create(
        {
          type: this.type,
          status: 'publish',
          title: TITLE,
          slug: `${this.#plugin.branding.word}-global-styles-${stylesheet}`,
          content: contentOf({ settings: {}, styles: {} }),
          terms: new Map([[this.#taxonomy, [term]]]),
        },
        write,
      )
      return id
    })
  }

  async #termOf(stylesheet: string, scope: RequestCache): Promise<number | undefined> {
    const { terms } = this.#plugin.services
    const { items } = await terms.query({ taxonomy: this.#taxonomy, slug: [stylesheet], limit: 2 }, scope)
    return items[0]?.id
  }
}
