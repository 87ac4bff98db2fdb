import type { PluginContext, RestRequest } from '../../../public.ts'
import type { SeoHeads } from '../heads.ts'
import type { Head, SeoPage } from '../page.ts'
import { yoastHtml, yoastJson } from './presenters.ts'

type Data = Record<string, unknown>
type Find = (data: Data, request: RestRequest) => Promise<SeoPage | null>
const EVERYWHERE = ['view', 'edit', 'embed'] as const

/** Adds `yoast_head` and `yoast_head_json` to users and content types, whose routes are registered first. */
export function registerFirstFields(plugin: PluginContext, heads: SeoHeads): void {
  add(plugin, heads, 'user', (data, request) => userPage(plugin, Number(data['id']), request))
  add(plugin, heads, 'type', (data, request) => typePage(plugin, String(data['slug']), request))
}

/** Adds `yoast_head` and `yoast_head_json` to posts and terms of all types that are registered by now. */
export function registerYoastFields(plugin: PluginContext, heads: SeoHeads): void {
  const { contentTypes, taxonomies } = plugin.services
  for (const { name, show_in_rest: isShown, viewable } of contentTypes.all())
    if (isShown && viewable)
      add(plugin, heads, name, (data, request) => postPage(plugin, heads, Number(data['id']), request))
  for (const { objectType, show_in_rest: isShown, publicly_queryable: hasPages } of taxonomies.all())
    if (isShown && hasPages)
      add(plugin, heads, objectType, (data, request) => termPage(plugin, Number(data['id']), request))
}

function add({ services: { extraFields } }: PluginContext, heads: SeoHeads, objectType: string, find: Find): void {
  const headOf = (data: Data, request: RestRequest): Promise<Head | null> =>
    Promise.resolve(
      request.scope.getLater(`seo: head of ${objectType} ${String(data['id'] ?? data['slug'])}`, async () => {
        const page = await find(data, request)
        return page === null ? null : heads.of(page)
      }),
    )
  extraFields.register(objectType, 'yoast_head', {
    get_callback: async (data, _field, request) => {
      const head = await headOf(data, request)
      return head === null ? null : yoastHtml(head)
    },
    schema: {
      description: 'Head of the page as HTML.',
      type: ['string', 'null'],
      context: EVERYWHERE,
      readonly: true,
    },
  })
  extraFields.register(objectType, 'yoast_head_json', {
    get_callback: async (data, _field, request) => {
      const head = await headOf(data, request)
      return head === null ? null : yoastJson(head)
    },
    schema: { description: 'Head of the page.', type: ['object', 'null'], context: EVERYWHERE, readonly: true },
  })
}

const FIRST_PAGE = { page: 1, pages: 1, isFront: false }

async function postPage(
  { services }: PluginContext,
  heads: SeoHeads,
  id: number,
  { scope }: RestRequest,
): Promise<SeoPage | null> {
  const post = await services.posts.get(id, scope)
  if (post === undefined) return null
  const url = await services.permalinks.post(post, scope)
  return heads.resolver.of({ kind: 'post', post, commentPage: 0, url, page: 1 }, scope)
}

async function termPage({ services }: PluginContext, id: number, { scope }: RestRequest): Promise<SeoPage | null> {
  const term = await services.terms.get(id, scope)
  if (term === undefined) return null
  const perPage = Number(await services.options.get('posts_per_page', 10)) || 10
  // By the stored count, which needs no statement for each term of a list.
  const pages = Math.max(Math.ceil(term.count / Math.max(perPage, 1)), 1)
  return { ...FIRST_PAGE, kind: 'term', term, url: await services.permalinks.term(term, scope), pages, scope }
}

async function userPage({ services }: PluginContext, id: number, { scope }: RestRequest): Promise<SeoPage | null> {
  const user = await services.users.get(id, scope)
  if (user === undefined) return null
  return { ...FIRST_PAGE, kind: 'author', user, url: await services.permalinks.author(user, scope), scope }
}

/** The archive of a type; of posts, the page that lists them. */
async function typePage(plugin: PluginContext, name: string, { scope }: RestRequest): Promise<SeoPage | null> {
  const { contentTypes, permalinks } = plugin.services
  if (name === 'post') return { ...FIRST_PAGE, kind: 'home', isFront: true, url: plugin.urls.site('/'), scope }
  const type = contentTypes.get(name)
  if (type === undefined || !type.viewable || type.has_archive === false) return null
  return { ...FIRST_PAGE, kind: 'type', type, url: await permalinks.typeArchive(type, scope), scope }
}
