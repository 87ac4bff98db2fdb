/** One meta value, as the file writes it: lists and objects in PHP's serialised form. */
export interface WxrMeta {
  key: string
  value: string
}

/** What the head of the file says about the site. Texts are `''` where the file says nothing. */
export interface WxrSite {
  kind: 'site'
  title: string
  description: string
  /** Language tag, `en-US`. */
  language: string
  /** Version of the format, `1.2`. */
  version: string
  /** URL of the home page. */
  home: string
}

/** A user who wrote something in the file. */
export interface WxrAuthor {
  kind: 'author'
  /** 0 where the file gives none. */
  id: number
  login: string
  email: string
  name: string
  firstName: string
  lastName: string
}

/** A category, tag, menu or other term. */
export interface WxrTerm {
  kind: 'term'
  /** 0 where the file gives none. */
  id: number
  taxonomy: string
  slug: string
  /** Slug of the parent, `''` for none. */
  parent: string
  name: string
  description: string
  meta: WxrMeta[]
}

/** A comment of an item. Dates as in {@link WxrItem}. */
export interface WxrComment {
  id: number
  author: string
  email: string
  url: string
  ip: string
  date: string
  dateGmt: string
  content: string
  /** `1`, `0`, `spam`, `trash` … */
  approved: string
  type: string
  /** ID of the comment that it replies to, 0 for none. */
  parent: number
  /** ID of the user, 0 for none. */
  userId: number
  meta: WxrMeta[]
}

export type WxrItemTerm = Pick<WxrTerm, 'taxonomy' | 'slug' | 'name'>

/** A post of any type. Dates are `YYYY-MM-DD HH:MM:SS`, `''` where the file has none or zeros. */
export interface WxrItem {
  kind: 'item'
  /** 0 where the file gives none. */
  id: number
  type: string
  status: string
  /** As in the file, percent-encoded where it is. */
  slug: string
  title: string
  link: string
  /** Login of the author. */
  creator: string
  guid: string
  content: string
  excerpt: string
  /** RFC 822, as in the file. */
  published: string
  date: string
  dateGmt: string
  modified: string
  modifiedGmt: string
  commentStatus: string
  pingStatus: string
  /** ID of the parent, 0 for none. */
  parent: number
  menuOrder: number
  password: string
  sticky: boolean
  /** URL of the file of an attachment. */
  attachmentUrl: string
  terms: WxrItemTerm[]
  meta: WxrMeta[]
  comments: WxrComment[]
}

/** Elements that this reader does not know, reported at the end of the file. */
export interface WxrUnknown {
  kind: 'unknown'
  /** Name of the element, below its parent: `item/wp:foo`. */
  name: string
  count: number
}

/** Characters that XML does not allow and that were left out, reported at the end of the file. */
export interface WxrDropped {
  kind: 'dropped'
  count: number
}

/** What the reader yields: the site first, then the rest in the order of the file. */
export type WxrRecord = WxrSite | WxrAuthor | WxrTerm | WxrItem | WxrUnknown | WxrDropped

/** Bounds of what is read. */
export interface WxrLimits {
  /** Characters of one item with its comments and meta; 64 Mi by default. */
  record?: number
  /** Levels of elements; 32 by default. */
  depth?: number
}
