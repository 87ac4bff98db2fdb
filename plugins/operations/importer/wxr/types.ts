import type { ReportReason } from '../phrases.ts'
import type { Repair } from '../repairs.ts'

/** A meta value as in the file: lists and objects are serialized by PHP. */
export interface WxrMeta {
  key: string
  value: string
}

/** The place of a record, for reports. */
export interface Place {
  /** Line of the file; undefined if the source has no lines. */
  line?: number | undefined
  /** Name of the file, if the import reads several. */
  file?: string | undefined
}

/** The head of the file, which describes the site. Missing texts are `''`. */
export interface WxrSite extends Place {
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

/** An author of the export. */
export interface WxrAuthor extends Place {
  kind: 'author'
  /** 0 if the file has none. */
  id: number
  login: string
  email: string
  name: string
  firstName: string
  lastName: string
}

/** A category, tag, menu or other term. */
export interface WxrTerm extends Place {
  kind: 'term'
  /** 0 if the file has none. */
  id: number
  taxonomy: string
  slug: string
  /** Slug of the parent; `''` for none. */
  parent: string
  name: string
  description: string
  /** URL of the page of the term; exports have none. */
  link?: string
  meta: WxrMeta[]
}

/** A comment on an item. Dates as in {@link WxrItem}. */
export interface WxrComment {
  id: number
  author: string
  email: string
  url: string
  ip: string
  date: string
  dateGmt: string
  content: string
  /** `1`, `0`, `spam`, `trash` …; `''` if the file has none: the comment is not approved. */
  approved: string
  type: string
  /** ID of the parent comment; 0 for none. */
  parent: number
  /** ID of the user; 0 for none. */
  userId: number
  meta: WxrMeta[]
}

export type WxrItemTerm = Pick<WxrTerm, 'taxonomy' | 'slug' | 'name'>

/** A post of any type. Dates are `YYYY-MM-DD HH:MM:SS`, `''` if they are missing or zeros. */
export interface WxrItem extends Place {
  kind: 'item'
  /** 0 if the file has none. */
  id: number
  /** `''` if the file has none: the item is skipped. */
  type: string
  /** `''` if the file has none: the item becomes a draft. */
  status: string
  /** As in the file, which may percent-encode it. */
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
  /** `open` or `closed`; `''` if the file has none: the default of the site applies. */
  commentStatus: string
  pingStatus: string
  /** ID of the parent; 0 for none. */
  parent: number
  menuOrder: number
  password: string
  sticky: boolean
  /** URL of an attachment's file. */
  attachmentUrl: string
  terms: WxrItemTerm[]
  meta: WxrMeta[]
  comments: WxrComment[]
}

/** An element that the reader does not know, reported at the end of the file. */
export interface WxrUnknown {
  kind: 'unknown'
  /** Name of the element with its parent: `item/wp:foo`. */
  name: string
  count: number
}

/** A repair of the file or of one of its values. Repairs of a record follow it. */
export interface WxrRepair extends Repair {
  kind: 'repair'
}

/** Objects that cannot be read, such as a comment outside of an item. */
export interface WxrLost {
  kind: 'lost'
  /** Kind of the objects in the report: `comments`. */
  objects: string
  reason: ReportReason
  count: number
}

/** The records of a file: the site first, then the others in the order of the file. */
export type WxrRecord = WxrSite | WxrAuthor | WxrTerm | WxrItem | WxrUnknown | WxrRepair | WxrLost

/** Limits of the reader. */
export interface WxrLimits {
  /** Characters of one item with its comments and meta. Default: 64 Mi. */
  record?: number
  /** Levels of nested elements. Default: 32. */
  depth?: number
}
