import {
  forbidden,
  type Arguments,
  type PluginContext,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import {
  ResourceController,
  type ItemList,
  type ResourcePermissions,
  type ResourceReader,
} from '../../resources/index.ts'
import type { NewPost, Post, PostQuery, ScopedPostQuery } from '../../content/posts/index.ts'
import { errors } from './errors.ts'

/** Stored fields of a font, except its type. */
export type FontChange = Omit<NewPost, 'type'>

/** The `theme.json` version of font settings. */
export const THEME_JSON_VERSION = 3

/** Common base of the font routes. Fonts are posts of a custom type, for users who can edit the theme. */
export abstract class FontsController extends ResourceController<Post, PostQuery, FontChange> {
  protected override readonly permissions: ResourcePermissions<Post>
  protected override readonly reader: ResourceReader<PostQuery, Post>
  protected readonly type: string

  constructor(plugin: PluginContext, base: string, type: string) {
    super(plugin, plugin.branding.namespace('v2'), base, type)
    this.type = type
    this.permissions = permissionsOf(plugin)
    this.reader = { query: (query, request) => this.#query(query, request) }
  }

  /** @throws rest_post_invalid_id for a missing font, whether or not the user may see fonts */
  override async mayRead(request: RestRequest): Promise<boolean | RestError> {
    await this.stored(request)
    return this.#mayAndIsThere(await this.permissions.list(request), request)
  }

  override async mayUpdate(request: RestRequest): Promise<boolean | RestError> {
    await this.stored(request)
    return this.#mayAndIsThere(updates(this.plugin, request), request)
  }

  override async mayDelete(request: RestRequest): Promise<boolean | RestError> {
    await this.stored(request)
    return this.#mayAndIsThere(deletes(this.plugin, request), request)
  }

  /** Returns the font with the ID in the URL. @throws rest_post_invalid_id */
  protected async stored({ captures, scope }: RestRequest): Promise<Post> {
    const post = await this.plugin.services.posts.get(Number(captures['id']), scope)
    if (post?.type !== this.type) throw errors.rest_post_invalid_id()
    return post
  }

  async #mayAndIsThere(may: boolean | RestError, request: RestRequest): Promise<boolean | RestError> {
    if (may === true) await this.itemOf(request)
    return may
  }

  override collectionParams(): Arguments {
    const { search: _, ...params } = super.collectionParams()
    return params
  }

  protected override listArguments(): Arguments {
    const ids = (description: string) =>
      ({ description, type: 'array', items: { type: 'integer' }, default: [] }) as const
    return {
      exclude: ids('Excludes these fonts.'),
      include: ids('Limits the list to these fonts.'),
      ...(this.plugin.since('6.7') && {
        search_semantics: {
          description:
            'Accepted for compatibility with lists of posts; has no effect, because fonts cannot be searched.',
          type: 'string',
          enum: ['exact'],
        },
      }),
      offset: { description: 'Number of fonts to skip; overrides the page.', type: 'integer' },
      order: { description: 'Direction of the order.', type: 'string', default: 'desc', enum: ['asc', 'desc'] },
      orderby: {
        description: 'Field the fonts are ordered by.',
        type: 'string',
        default: 'id',
        enum: ['id', 'include'],
      },
    }
  }

  /** Returns the query parameters that families and faces have in common. */
  protected queryOf(request: RestRequest): PostQuery {
    const [page, perPage] = [request.get('page') as number, request.get('per_page') as number]
    const [include, exclude] = [request.get('include') as number[], request.get('exclude') as number[]]
    return {
      types: [this.type],
      statuses: ['publish'],
      ...(include.length > 0 && { include }),
      ...(exclude.length > 0 && { exclude }),
      order: request.get('order') as 'asc' | 'desc',
      orderby: request.get('orderby') as 'id' | 'include',
      limit: perPage,
      offset: Math.abs((request.get('offset') as number | undefined) ?? (page - 1) * perPage),
      readScope: null,
    }
  }

  /** @throws rest_post_invalid_page_number */
  async #query(query: PostQuery, request: RestRequest): Promise<ItemList<Post>> {
    // Users who can list fonts can see all of them.
    const unscoped: ScopedPostQuery = { ...query, readScope: null }
    const list = await this.plugin.services.posts.query(unscoped, request.scope)
    const pages = Math.ceil(list.total / (request.get('per_page') as number))
    if (list.total > 0 && (request.get('page') as number) > pages) throw errors.rest_post_invalid_page_number()
    return list
  }
}

/** Users who can edit the theme have all permissions; all other users have none. */
function permissionsOf(plugin: PluginContext): ResourcePermissions<Post> {
  const check = (error: keyof typeof errors & `rest_cannot_${string}`) => (request: RestRequest) =>
    mayEditTheme(plugin, request) || forbidden(request, errors[error])
  const read = check('rest_cannot_read')
  return {
    list: read,
    read: (_item, request) => read(request),
    create: check('rest_cannot_create'),
    update: (_item, request) => updates(plugin, request),
    delete: (_item, request) => deletes(plugin, request),
  }
}

/** Whether the user can edit the theme, including its fonts. */
export function mayEditTheme({ services }: PluginContext, { user }: RestRequest): boolean {
  return services.capabilities.can(user, 'edit_theme_options')
}

const updates = (plugin: PluginContext, request: RestRequest) =>
  mayEditTheme(plugin, request) || forbidden(request, errors.rest_cannot_edit)
const deletes = (plugin: PluginContext, request: RestRequest) =>
  mayEditTheme(plugin, request) || forbidden(request, errors.rest_cannot_delete)
