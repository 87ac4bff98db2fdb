import { SVC_MENU, SVC_URL } from 'astro:env/server'
import { TaggedCache } from './tagged-cache'

/** A response of the REST API. */
interface ApiResponse {
  status: number
  /** Number of pages, if the body is a list. */
  pages: number
  body: unknown
}

/** Responses by path, in the memory of this process. With several processes, each needs a webhook endpoint. */
export const responses = new TaggedCache<ApiResponse>(1000)

/** Root URL of the REST API, without a trailing slash. */
const ROOT = SVC_URL.replace(/\/$/, '')

/** Menu location to show; '' to show pages instead. */
const MENU = SVC_MENU ?? ''

export interface Text {
  /** HTML that the server has sanitized. */
  rendered: string
}
export interface Term {
  id: number
  name: string
  slug: string
  taxonomy: string
}
export interface Image {
  source_url: string
  alt_text: string
  media_details: { width?: number; height?: number; sizes?: Record<string, ImageSize> }
}
export interface ImageSize {
  source_url: string
  width: number
  height: number
}
/** A post or a page, with the fields that this front end shows. */
export interface Post {
  id: number
  slug: string
  date: string
  /** ID of the parent page; 0 for none. */
  parent?: number
  title: Text
  excerpt?: Text
  content: Text
  _embedded?: { author?: { name?: string }[]; 'svc:featuredmedia'?: Partial<Image>[]; 'svc:term'?: Term[][] }
}
/** A link of the menu. */
export interface MenuLink {
  id: number
  href: string
  /** HTML that the server has sanitized. */
  title: string
}
/** An item of a menu, with the fields that its link needs. */
interface MenuItem {
  id: number
  title: Text
  url: string
  /** Type of the linked object: `page`, `post`, `category` … */
  object: string
  /** ID of the parent item; 0 for none. */
  parent: number
  /** Whether the linked object does not exist or is not public. */
  invalid: boolean
  _embedded?: { 'svc:menu-item-object'?: { slug?: string }[] }
}
export interface Site {
  name: string
  description: string
}
/** A page of a list. */
export interface List<T> {
  items: T[]
  /** Number of pages of the list. */
  pages: number
}

const IN_LISTS = '_embed=author,svc:featuredmedia&_fields=id,slug,date,title,excerpt,_links,_embedded'
const ALONE = '_embed=author,svc:featuredmedia,svc:term&_fields=id,slug,date,title,content,_links,_embedded'

// A response has cache tags only for the data it contains. Pages omit the author, so that new posts do not invalidate them.
const OF_PAGES = '_embed=svc:featuredmedia&_fields=id,slug,date,title,content,_links,_embedded'
const OF_MENU = 'per_page=100&orderby=menu_order&order=asc&_fields=id,slug,title,parent'
const OF_ITEMS = '_embed=svc:menu-item-object&_fields=id,title,url,object,parent,invalid,_links,_embedded'

/** Path that precedes the slug in the URLs of this front end, by type of the linked object. */
const FOLDERS: Readonly<Record<string, string>> = { page: '', post: '/posts', category: '/categories' }

/** Returns the name and description of the site. */
export async function getSite(): Promise<Site> {
  return (await fetchCached('/?_fields=name,description')).body as Site
}

/**
 * Returns a page of the newest posts, optionally of one category.
 * @returns null if the list has no such page
 */
export async function getPosts(page: number, category?: number): Promise<List<Post> | null> {
  const filter = category === undefined ? '' : `&categories=${category}`
  const answer = await fetchCached(`/svc/v2/posts?page=${page}&per_page=10${filter}&${IN_LISTS}`)
  if (answer.status === 400) return null
  return { items: answer.body as Post[], pages: answer.pages }
}

/** Returns the post with this slug. */
export function getPost(slug: string): Promise<Post | undefined> {
  return first<Post>(`/svc/v2/posts?slug=${encodeURIComponent(slug)}&${ALONE}`)
}

/** Returns the page with this slug. */
export function getPage(slug: string): Promise<Post | undefined> {
  return first<Post>(`/svc/v2/pages?slug=${encodeURIComponent(slug)}&${OF_PAGES}`)
}

/** Returns the category with this slug. */
export function getCategory(slug: string): Promise<Term | undefined> {
  return first<Term>(`/svc/v2/categories?slug=${encodeURIComponent(slug)}&_fields=id,name,slug`)
}

/** Returns the links of the menu at the location, or else the pages without a parent, in the order that editors set. */
export async function getMenu(): Promise<MenuLink[]> {
  const menu = await getMenuAtLocation()
  if (menu !== 0) {
    const items = (await fetchCached(`/svc/v2/menu-items?menus=${menu}&${OF_ITEMS}`)).body as MenuItem[]
    const shown = items.filter(({ parent, invalid }) => parent === 0 && !invalid)
    return shown.map((item) => ({ id: item.id, href: hrefOf(item), title: item.title.rendered }))
  }
  const pages = (await fetchCached(`/svc/v2/pages?${OF_MENU}`)).body as Post[]
  const top = pages.filter(({ parent }) => parent === 0)
  return top.map(({ id, slug, title }) => ({ id, href: `/${slug}`, title: title.rendered }))
}

/** Returns the ID of the menu at the location; 0 for none. */
async function getMenuAtLocation(): Promise<number> {
  if (MENU === '') return 0
  const location = (await fetchCached(`/svc/v2/menu-locations/${encodeURIComponent(MENU)}?_fields=menu`)).body as {
    menu: number
  }
  return location.menu
}

/** Returns the URL of the linked object on this front end, or the URL of the item if this front end does not show it. */
function hrefOf({ object, url, _embedded: embedded }: MenuItem): string {
  const slug = embedded?.['svc:menu-item-object']?.[0]?.slug
  const folder = FOLDERS[object]
  return slug === undefined || folder === undefined ? url : `${folder}/${slug}`
}

/** Returns up to 20 categories that have posts. */
export async function getCategories(): Promise<Term[]> {
  const answer = await fetchCached('/svc/v2/categories?hide_empty=true&per_page=20&_fields=id,name,slug')
  return answer.body as Term[]
}

/** Returns the draft or the unpublished changes that a preview link shows; null if the link is invalid or has expired. */
export async function getPreview(restBase: string, id: string, token: string): Promise<Post | null> {
  // Both come from the URL, and must not reach other routes of the API.
  if (!/^[\w-]+$/.test(restBase) || !/^\d+$/.test(id)) return null
  const path = `/svc/v2/${restBase}/${id}?preview_token=${encodeURIComponent(token)}&${ALONE}`
  const answer = await fetch(ROOT + path)
  if (answer.status >= 500) throw new Error(`The REST API responded to a preview with status ${answer.status}.`)
  return answer.ok ? answer.json() : null
}

async function first<T>(path: string): Promise<T | undefined> {
  const items = (await fetchCached(path)).body as T[]
  return items[0]
}

/**
 * Returns the response of the REST API, from the cache if possible. `Cache-Tag` lists the data that the response depends on;
 * the webhook removes the response from the cache when any of it changes.
 * @returns also responses with status 400, which mean that the list has no such page
 * @throws Error if the API responds with another error
 */
async function fetchCached(path: string): Promise<ApiResponse> {
  const cached = responses.get(path)
  if (cached !== undefined) return cached
  const response = await fetch(ROOT + path)
  const { status, headers } = response
  if (!response.ok && status !== 400) throw new Error(`The REST API responded to ${path} with status ${status}.`)
  const answer = { status, pages: Number(headers.get('x-svc-totalpages')), body: await response.json() }
  const tags =
    headers
      .get('cache-tag')
      ?.split(',')
      .map((tag) => tag.trim()) ?? []
  if (response.ok) responses.set(path, answer, tags)
  return answer
}
