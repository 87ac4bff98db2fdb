/** The root of the REST API. */
const SVC_URL = (process.env.SVC_URL ?? 'http://127.0.0.1:8080/svc-json').replace(/\/$/, '')

/** The location whose menu is shown; '' for pages. */
const MENU = process.env.SVC_MENU ?? ''

export interface Text {
  /** HTML, which the server has sanitised. */
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
/** A post or a page, as far as these pages show it. */
export interface Post {
  id: number
  slug: string
  date: string
  /** ID of the page above it; 0 for none. */
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
  /** HTML, which the server has sanitised. */
  title: string
}
/** An item of a menu, as far as links are made of it. */
interface MenuItem {
  id: number
  title: Text
  url: string
  /** What it leads to: `page`, `post`, `category` … */
  object: string
  /** ID of the item above it; 0 for none. */
  parent: number
  /** Whether what it leads to is not there, or not for everybody. */
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
  /** How many pages the list has. */
  pages: number
}

const IN_LISTS = '_embed=author,svc:featuredmedia&_fields=id,slug,date,title,excerpt,_links,_embedded'
const ALONE = '_embed=author,svc:featuredmedia,svc:term&_fields=id,slug,date,title,content,_links,_embedded'

// What is not asked for is no reason to ask again: pages show no author, so that new posts do not concern them.
const OF_PAGES = '_embed=svc:featuredmedia&_fields=id,slug,date,title,content,_links,_embedded'
const OF_MENU = 'per_page=100&orderby=menu_order&order=asc&_fields=id,slug,title,parent'
const OF_ITEMS = '_embed=svc:menu-item-object&_fields=id,title,url,object,parent,invalid,_links,_embedded'

/** Where this front end shows what menus lead to, before its slug. */
const FOLDERS: Readonly<Record<string, string>> = { page: '', post: '/posts', category: '/categories' }

/** Name and description of the site. */
export async function getSite(): Promise<Site> {
  // The index of the API carries no tags: these are the names of the options that it shows.
  return (await ask('/?_fields=name,description', ['option:title', 'option:description'])).json()
}

/** The newest posts, those of one category if one is given. Null if there is no such page of the list. */
export async function getPosts(page: number, category?: number): Promise<List<Post> | null> {
  const filter = category === undefined ? '' : `&categories=${category}`
  const answer = await ask(`/svc/v2/posts?page=${page}&per_page=10${filter}&${IN_LISTS}`)
  if (answer.status === 400) return null
  return { items: await answer.json(), pages: Number(answer.headers.get('x-svc-totalpages')) }
}

/** The post with this slug. */
export function getPost(slug: string): Promise<Post | undefined> {
  return first<Post>(`/svc/v2/posts?slug=${encodeURIComponent(slug)}&${ALONE}`)
}

/** The page with this slug. */
export function getPage(slug: string): Promise<Post | undefined> {
  return first<Post>(`/svc/v2/pages?slug=${encodeURIComponent(slug)}&${OF_PAGES}`)
}

/** The category with this slug. */
export function getCategory(slug: string): Promise<Term | undefined> {
  return first<Term>(`/svc/v2/categories?slug=${encodeURIComponent(slug)}&_fields=id,name,slug`)
}

/** What the menu shows: what editors put at its location, or the pages without a parent in the order that they gave them. */
export async function getMenu(): Promise<MenuLink[]> {
  const menu = await getMenuAtLocation()
  if (menu !== 0) {
    const items: MenuItem[] = await (await ask(`/svc/v2/menu-items?menus=${menu}&${OF_ITEMS}`)).json()
    const shown = items.filter(({ parent, invalid }) => parent === 0 && !invalid)
    return shown.map((item) => ({ id: item.id, href: hrefOf(item), title: item.title.rendered }))
  }
  const pages: Post[] = await (await ask(`/svc/v2/pages?${OF_MENU}`)).json()
  const top = pages.filter(({ parent }) => parent === 0)
  return top.map(({ id, slug, title }) => ({ id, href: `/${slug}`, title: title.rendered }))
}

/** ID of the menu at the location; 0 for none. */
async function getMenuAtLocation(): Promise<number> {
  if (MENU === '') return 0
  const location: { menu: number } = await (
    await ask(`/svc/v2/menu-locations/${encodeURIComponent(MENU)}?_fields=menu`)
  ).json()
  return location.menu
}

/** Where an item leads: to the page of this front end that shows the same. */
function hrefOf({ object, url, _embedded: embedded }: MenuItem): string {
  const slug = embedded?.['svc:menu-item-object']?.[0]?.slug
  const folder = FOLDERS[object]
  return slug === undefined || folder === undefined ? url : `${folder}/${slug}`
}

/** The categories that have posts. */
export async function getCategories(): Promise<Term[]> {
  return (await ask('/svc/v2/categories?hide_empty=true&per_page=20&_fields=id,name,slug')).json()
}

/** What a preview link shows: a draft, or changes that nobody else sees yet. Null if the link is not good any more. */
export async function getPreview(restBase: string, id: string, token: string): Promise<Post | null> {
  // Both come from the URL, and must not lead anywhere else in the API.
  if (!/^[\w-]+$/.test(restBase) || !/^\d+$/.test(id)) return null
  const path = `/svc/v2/${restBase}/${id}?preview_token=${encodeURIComponent(token)}&${ALONE}`
  const answer = await fetch(SVC_URL + path, { cache: 'no-store' })
  if (answer.status >= 500) throw new Error(`The REST API answers ${answer.status}.`)
  return answer.ok ? answer.json() : null
}

async function first<T>(path: string): Promise<T | undefined> {
  const items: T[] = await (await ask(path)).json()
  return items[0]
}

/**
 * Asks the REST API, or takes the answer that is kept: cache-handler.ts reads its tags from `Cache-Tag`, and the webhook
 * has it forgotten when something of it changes.
 * @param tags further tags
 * @throws Error when the API fails; status 400 is left to the caller, it says that a list ends before this page
 */
async function ask(path: string, tags: string[] = []): Promise<Response> {
  const answer = await fetch(SVC_URL + path, { cache: 'force-cache', next: { tags } })
  if (!answer.ok && answer.status !== 400) throw new Error(`${path}: the REST API answers ${answer.status}.`)
  return answer
}
