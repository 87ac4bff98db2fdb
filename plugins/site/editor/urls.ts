import { EXISTING_WORD } from '../../library/branding/index.ts'
import { trimEndSlashes, type Branding, type Urls } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'

/** The part of the block editor that a request addresses. */
export type EditorRequest =
  | { readonly kind: 'post'; readonly type: string | null; readonly id: number }
  | { readonly kind: 'new'; readonly type: string }
  | { readonly kind: 'site' }
  | { readonly kind: 'list' }
  | { readonly kind: 'file'; readonly name: string }

/** Builds and parses the URLs of the block editor. */
export class EditorUrls {
  /** Path below the home URL, without a trailing slash. */
  readonly base: string
  readonly #admin: string
  readonly #urls: Urls
  readonly #hasOldNames: boolean

  constructor({ adminPath, word }: Branding, urls: Urls) {
    this.#admin = trimEndSlashes(adminPath)
    this.base = `${this.#admin}/editor`
    this.#urls = urls
    this.#hasOldNames = word === EXISTING_WORD
  }

  /** Returns the URL of the page that edits a post, or creates one of its type. */
  post(type: string, id?: number): string {
    return this.#urls.site(`${this.base}/${type}/${id ?? 'new'}`)
  }

  /** URL of the page that edits templates, template parts, navigation and styles. */
  get site(): string {
    return this.#urls.site(`${this.base}/site`)
  }

  /** Returns the URL of a file of the bundle. */
  file(name: string): string {
    return this.#urls.site(`${this.base}/files/${name}`)
  }

  /**
   * Parses a request; null if it does not address the editor. If the config sets the prefix of WordPress as `word`,
   * also parses the URLs of its editor pages, directly below the admin.
   */
  read({ path, query }: Pick<SiteRequest, 'path' | 'query'>): EditorRequest | null {
    if (path.startsWith(`${this.base}/`)) return readOwn(path.slice(this.base.length + 1), query)
    if (!this.#hasOldNames || !path.startsWith(`${this.#admin}/`)) return null
    return readOld(path.slice(this.#admin.length + 1), query)
  }
}

function readOwn(below: string, query: URLSearchParams): EditorRequest | null {
  if (below === 'site') return { kind: 'site' }
  // The editor creates relative links to pages of WordPress, such as `post.php?post=12&action=edit`.
  const name = below.slice(below.lastIndexOf('/') + 1)
  if (name === 'edit.php') return { kind: 'list' }
  if (name.endsWith('.php')) return readOld(name, query)
  const [, type = '', last = ''] = /^([a-z0-9_-]{1,100})\/([^/]{1,200})$/.exec(below) ?? []
  if (type === 'files') return { kind: 'file', name: last }
  if (last === 'new') return { kind: 'new', type }
  return /^[1-9]\d{0,14}$/.test(last) ? { kind: 'post', type, id: Number(last) } : null
}

/** Parses a page name and query of WordPress, which the editor and other programs link to. */
function readOld(name: string, query: URLSearchParams): EditorRequest | null {
  if (name === 'site-editor.php') return { kind: 'site' }
  if (name === 'post-new.php') return { kind: 'new', type: query.get('post_type') ?? 'post' }
  const id = query.get('post') ?? ''
  const isEdit = name === 'post.php' && query.get('action') === 'edit' && /^[1-9]\d{0,14}$/.test(id)
  return isEdit ? { kind: 'post', type: null, id: Number(id) } : null
}
