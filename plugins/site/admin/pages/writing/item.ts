import type { PropertySchema } from '../../../../resources/index.ts'
import type { ContentType } from '../../../../content/content-types/index.ts'
import type { Taxonomy } from '../../../../content/taxonomies/index.ts'
import { errors } from '../../errors.ts'
import type { AdminView } from '../../frame/view.ts'
import { shownMeta } from '../../parts/locked-meta.ts'

/** A text of a post in the context `edit`. */
interface RawText {
  readonly raw: string
}

/** A post as the REST API returns it in the context `edit`; types lack the fields that they do not support. */
export interface Item extends Readonly<Record<string, unknown>> {
  readonly id: number
  readonly link: string
  readonly modified_gmt: string
  readonly status: string
  readonly slug: string
  readonly date: string | null
  readonly password?: string
  readonly title?: RawText
  readonly content?: RawText
  readonly excerpt?: RawText
  readonly author?: number
  readonly parent?: number
  readonly menu_order?: number
  readonly template?: string
  readonly format?: string
  readonly sticky?: boolean
  readonly comment_status?: string
  readonly ping_status?: string
  readonly featured_media?: number
  readonly meta?: Readonly<Record<string, unknown>> | readonly never[]
}

/** A revision or an autosave. */
export interface Saved extends Readonly<Record<string, unknown>> {
  readonly id: number
  readonly author: number
  readonly modified_gmt: string
  readonly date_gmt: string
  readonly title?: RawText
  readonly content?: RawText
  readonly excerpt?: RawText
  readonly meta?: Readonly<Record<string, unknown>> | readonly never[]
}

/** The content type of the page. */
export interface Kind {
  readonly type: ContentType
  readonly taxonomies: readonly Taxonomy[]
  /** Route of the list: `/svc/v2/posts`. */
  readonly route: string
  /** Whether posts of this type have the meta with the texts of footnotes. */
  readonly hasFootnotes: boolean
  /** Schema properties of a post of this type, by name. */
  readonly properties: Readonly<Record<string, PropertySchema>>
}

/** Types that this editor does not edit. */
const EXCLUDED_TYPES: ReadonlySet<string> = new Set(['attachment', 'nav_menu_item'])

/** Fields for conflict detection. Rendered fields are excluded, because they change without an edit. */
const CONFLICT_FIELDS =
  'id,link,modified_gmt,title.raw,content.raw,excerpt.raw,slug,status,date,password,author,parent,menu_order,template,format,sticky,comment_status,ping_status,featured_media,meta'

/** Plugins that the editor requires. */
const REQUIRED_PLUGINS = ['posts', 'content-types', 'taxonomies', 'media', 'meta', 'html', 'content-rendering']

/** Returns the content type of the URL. @throws admin_page_not_found, admin_forbidden */
export async function kindOf(view: AdminView): Promise<Kind> {
  const { plugin } = view
  if (!REQUIRED_PLUGINS.every((name) => plugin.has(name))) throw errors.admin_page_not_found()
  const { contentTypes, taxonomies } = plugin.services
  const type = contentTypes.get(view.params['type'] ?? '')
  if (type === undefined || !type.show_in_rest || !type.show_ui || EXCLUDED_TYPES.has(type.name))
    throw errors.admin_page_not_found()
  if (!view.can(type.capabilities.edit_posts)) throw errors.admin_forbidden()
  const route = `/${type.rest_namespace}/${type.rest_base}`
  const { data } = await view.ask<{ schema?: { properties?: Record<string, PropertySchema> } }>('OPTIONS', route)
  const { properties } = data.schema ?? {}
  if (properties?.['slug'] === undefined || properties['status'] === undefined) throw errors.admin_page_not_found()
  const { meta } = properties
  const open = meta?.properties && {
    meta: { ...meta, properties: shownMeta(view, 'post', type.name, meta.properties) },
  }
  const shown = { ...properties, ...open }
  return {
    type,
    route,
    hasFootnotes: meta?.properties?.['footnotes'] !== undefined,
    properties: shown,
    taxonomies: taxonomies.ofType(type.name).filter((one) => one.show_in_rest),
  }
}

/**
 * Returns the post of the URL; null for a new post. @throws RestError if the post does not exist or the user cannot
 * read it
 */
export async function itemOf(view: AdminView, kind: Kind): Promise<Item | null> {
  const id = view.params['id']
  if (id === undefined) return null
  if (!/^[1-9]\d{0,14}$/.test(id)) throw errors.admin_page_not_found()
  return (await view.ask<Item>('GET', `${kind.route}/${id}`, { query: { context: 'edit' } })).data
}

/** Returns the query for reading and writing a post with its entity tag. */
export function guardQuery({ taxonomies }: Kind): Record<string, string> {
  return { context: 'edit', _fields: [CONFLICT_FIELDS, ...taxonomies.map((one) => one.rest_base)].join(',') }
}

/** Whether a type supports a feature. */
export const has = ({ type }: Kind, feature: string): boolean => Object.hasOwn(type.supports, feature)

/** Returns the user's autosave if it is newer than the post and differs from it; otherwise null. */
export async function newerAutosave(view: AdminView, kind: Kind, item: Item): Promise<Saved | null> {
  const all = await view.find<Saved[]>(`${kind.route}/${item.id}/autosaves`, { query: { context: 'edit' } })
  const own = (all ?? []).filter(({ author }) => author === view.user.id)
  const [newest] = own.sort((one, other) => other.modified_gmt.localeCompare(one.modified_gmt))
  if (newest === undefined || newest.modified_gmt < item.modified_gmt) return null
  const differs = (['title', 'content', 'excerpt'] as const).some(
    (name) => newest[name] !== undefined && item[name] !== undefined && newest[name].raw !== item[name].raw,
  )
  return differs ? newest : null
}
