import type { AdminView } from '../../frame/view.ts'
import { schemaValues, type Schemas } from '../../parts/schema-fields.ts'
import { type Item, type Kind, type Saved, has } from './item.ts'
import { markdownOf } from './markdown-source.ts'

/** Format of the content in the editor. */
export type Mode = 'markdown' | 'html'

/** The values of the editor fields: stored, or submitted with a form. */
export interface Draft {
  readonly mode: Mode
  readonly title: string
  /** In Markdown or HTML, by the mode. */
  readonly content: string
  readonly excerpt: string
  /** The notes of the content, a JSON list; `''` without notes. */
  readonly footnotes: string
  readonly slug: string
  readonly status: string
  /** In the time zone of the site; `''` if unset. */
  readonly date: string
  readonly password: string
  readonly sticky: boolean
  readonly author: number
  readonly parent: number
  readonly menuOrder: string
  readonly template: string
  readonly format: string
  readonly comments: boolean
  readonly pings: boolean
  readonly image: number
  /** Term IDs by the `rest_base` of the taxonomy. */
  readonly terms: Readonly<Record<string, readonly number[]>>
  /** Submitted names of terms by the `rest_base` of the taxonomy. */
  readonly names: Readonly<Record<string, string>>
  readonly meta: Readonly<Record<string, unknown>>
  /** Errors in meta values by path. */
  readonly metaErrors: Readonly<Record<string, string>>
}

/** Returns the schemas of the registered meta of a content type; empty if it has no meta. */
export function metaSchemas(kind: Kind): Schemas {
  return kind.properties['meta']?.properties ?? {}
}

/** Returns the fields of a stored post, with the texts of a revision or autosave if given. */
export async function storedDraft(view: AdminView, kind: Kind, item: Item, saved: Saved | null = null): Promise<Draft> {
  const content = (saved ?? item).content?.raw ?? item.content?.raw ?? ''
  const source = await markdownOf(view, saved?.id ?? item.id, content)
  const mode = source !== null || content === '' ? 'markdown' : 'html'
  return {
    mode,
    title: (saved ?? item).title?.raw ?? item.title?.raw ?? '',
    content: source ?? content,
    excerpt: (saved ?? item).excerpt?.raw ?? item.excerpt?.raw ?? '',
    footnotes: footnotesOf(saved ?? item) ?? footnotesOf(item) ?? '',
    slug: item.slug,
    status: item.status,
    date: item.date ?? '',
    password: item.password ?? '',
    sticky: item.sticky === true,
    author: item.author ?? 0,
    parent: item.parent ?? 0,
    menuOrder: String(item.menu_order ?? 0),
    template: item.template ?? '',
    format: item.format ?? 'standard',
    comments: item.comment_status === 'open',
    pings: item.ping_status === 'open',
    image: item.featured_media ?? 0,
    terms: Object.fromEntries(
      kind.taxonomies.map(({ rest_base: base }) => {
        const ids = item[base]
        return [base, Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : []]
      }),
    ),
    names: {},
    meta: Array.isArray(item.meta) ? {} : ((item.meta ?? {}) as Readonly<Record<string, unknown>>),
    metaErrors: {},
  }
}

function footnotesOf({ meta }: Item | Saved): string | undefined {
  const value = Array.isArray(meta) ? undefined : (meta as Readonly<Record<string, unknown>> | undefined)?.['footnotes']
  return typeof value === 'string' ? value : undefined
}

/** Returns the fields of a new post. */
export function newDraft(view: AdminView, kind: Kind): Draft {
  const isOpen = has(kind, 'comments')
  return {
    mode: view.query.get('mode') === 'html' ? 'html' : 'markdown',
    title: '',
    content: '',
    excerpt: '',
    footnotes: '',
    slug: '',
    status: 'draft',
    date: '',
    password: '',
    sticky: false,
    author: view.user.id,
    parent: 0,
    menuOrder: '0',
    template: '',
    format: 'standard',
    comments: isOpen,
    pings: isOpen,
    image: 0,
    terms: {},
    names: {},
    meta: {},
    metaErrors: {},
  }
}

/** Returns the submitted fields; missing fields are taken from `before`. */
export function sentDraft(view: AdminView, kind: Kind, before: Draft): Draft {
  const sent = (name: string) => Object.hasOwn(view.form, name)
  const text = (name: string, other: string) => (sent(name) ? view.text(name).replaceAll('\r\n', '\n') : other)
  const number = (name: string, other: number) => {
    const value = view.text(name).trim()
    return sent(name) ? (/^\d{1,15}$/.test(value) ? Number(value) : 0) : other
  }
  const flag = (name: string, other: boolean) => (sent(name) ? view.text(name) === '1' : other)
  const terms = { ...before.terms }
  const names: Record<string, string> = {}
  for (const { rest_base: base } of kind.taxonomies) {
    if (sent(`terms-${base}`)) {
      const ids = view.texts(`terms-${base}`).filter((id) => /^\d{1,15}$/.test(id))
      terms[base] = ids.map(Number)
    }
    if (sent(`names-${base}`)) names[base] = view.text(`names-${base}`)
  }
  const { values, errors } = schemaValues(view, { schemas: metaSchemas(kind), name: 'meta' }, view.form['meta'])
  return {
    mode: view.text('mode') === 'html' ? 'html' : view.text('mode') === 'markdown' ? 'markdown' : before.mode,
    title: text('title', before.title),
    content: text('content', before.content),
    excerpt: text('excerpt', before.excerpt),
    footnotes: text('footnotes', before.footnotes),
    slug: text('slug', before.slug),
    status: text('status', before.status),
    date: text('date', before.date),
    password: text('password', before.password),
    sticky: flag('sticky', before.sticky),
    author: number('author', before.author),
    parent: number('parent', before.parent),
    menuOrder: text('menu_order', before.menuOrder),
    template: text('template', before.template),
    format: text('format', before.format),
    comments: flag('comment_status', before.comments),
    pings: flag('ping_status', before.pings),
    image: number('featured_media', before.image),
    terms,
    names,
    meta: { ...before.meta, ...values },
    metaErrors: errors,
  }
}
