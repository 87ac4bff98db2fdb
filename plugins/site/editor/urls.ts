import { EXISTING_WORD } from '../../library/branding/index.ts'
import { trimEndSlashes, type Branding, type Urls } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'

/** What a request asks of the block editor. */
export type EditorAsked =
  | { readonly kind: 'post'; readonly type: string | null; readonly id: number }
  | { readonly kind: 'new'; readonly type: string }
  | { readonly kind: 'site' }
  | { readonly kind: 'list' }
  | { readonly kind: 'file'; readonly name: string }

/** The URLs of the block editor's pages, written and read. */
export class EditorUrls {
  /** Below the home URL, without the slash at its end. */
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

  /** URL of the page that edits a post, or makes a new one of its type. */
  post(type: string, id?: number): string {
    return this.#urls.site(`${this.base}/${type}/${id ?? 'new'}`)
  }

  /** URL of the page that edits templates, parts, navigation and styles. */
  get site(): string {
    return this.#urls.site(`${this.base}/site`)
  }

  /** URL of a file of the bundle. */
  file(name: string): string {
    return this.#urls.site(`${this.base}/files/${name}`)
  }

  /** What a request asks for; null for what is not of the editor. */
  read({ path, query }: Pick<SiteRequest, 'path' | 'query'>): EditorAsked | null {
    if (path.startsWith(`${this.base}/`)) return readOwn(path.slice(this.base.length + 1), query)
    if (!this.#hasOldNames || !path.startsWith(`${this.#admin}/`)) return null
    return readOld(path.slice(this.#admin.length + 1), query)
  }
}

function readOwn(below: string, query: URLSearchParams): EditorAsked | null {
  if (below === 'site') return { kind: 'site' }
  // The links that the editor makes itself are relative.
  const name = below.slice(below.lastIndexOf('/') + 1)
  if (name === 'edit.php') return { kind: 'list' }
  if (name.endsWith('.php')) return readOld(name, query)
  const [, type = '', last = ''] = /^([a-z0-9_-]{1,100})\/([^/]{1,200})$/.exec(below) ?? []
  if (type === 'files') return { kind: 'file', name: last }
  if (last === 'new') return { kind: 'new', type }
  return /^[1-9]\d{0,14}$/.test(last) ? { kind: 'post', type, id: Number(last) } : null
}

/** The names that links of other programs have. */
function readOld(name: string, query: URLSearchParams): EditorAsked | null {
  if (name === 'site-editor.php') return { kind: 'site' }
  if (name === 'post-new.php') return { kind: 'new', type: query.get('post_type') ?? 'post' }
  const id = query.get('post') ?? ''
  const isEdit = name === 'post.php' && query.get('action') === 'edit' && /^[1-9]\d{0,14}$/.test(id)
  return isEdit ? { kind: 'post', type: null, id: Number(id) } : null
}
