import { HeaderMap, RestError } from '../../../../../kernel/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { errorsByPath } from '../../parts/schema-fields.ts'
import { contentOf } from './content.ts'
import { metaSchemas, type Draft } from './draft.ts'
import { isFault, submittedPoint, type Point } from './focal-point.ts'
import { guardQuery, has, type Item, type Kind } from './item.ts'
import { keepMarkdown } from './markdown-source.ts'
import { routeOf } from '../content/types.ts'
import { termIds } from './terms.ts'

/** Reasons for a refused draft by field; `''` for a reason that belongs to no field. */
export type Refusal = Readonly<Record<string, string>>

/** The result of storing a draft. */
export type Outcome =
  | { readonly kind: 'stored'; readonly item: Item }
  | { readonly kind: 'refused'; readonly errors: Refusal }
  /** Another user has changed the post since it was opened; nothing was stored. */
  | { readonly kind: 'conflict' }

/** The data to store. */
interface Storing {
  readonly kind: Kind
  /** The stored post; null for a new post. */
  readonly item: Item | null
  readonly draft: Draft
  /** The initial values of the form: unchanged fields, except texts, are not sent. */
  readonly before: Draft
  /** Entity tag of the version that the user opened. */
  readonly tag: string
  readonly status: string
}

/** Stores a draft through the REST API as the user. */
export async function store(view: AdminView, storing: Storing): Promise<Outcome> {
  const { kind, item, draft, tag } = storing
  if (Object.keys(draft.metaErrors).length > 0) return { kind: 'refused', errors: draft.metaErrors }
  const errors: Record<string, string> = {}
  const image = await imageId(view, kind, draft, errors)
  const terms = await termBody(view, storing, errors)
  if (Object.keys(errors).length > 0) return { kind: 'refused', errors }
  try {
    const content = await contentOf(view, draft, item)
    const body = { ...bodyOf(storing, content), ...terms, ...(image !== null && { featured_media: image }) }
    const path = item === null ? kind.route : `${kind.route}/${item.id}`
    const headers = item === null || tag === '' ? undefined : new HeaderMap({ 'If-Match': tag })
    const { data } = await view.ask<Item>(item === null ? 'POST' : 'PUT', path, {
      body,
      query: guardQuery(kind),
      ...(headers !== undefined && { headers }),
    })
    await keepMarkdown(view, data.id, data.content?.raw ?? '', draft.mode === 'markdown' ? draft.content : null)
    return { kind: 'stored', item: data }
  } catch (error) {
    if (!(error instanceof RestError) || error.status >= 500) throw error
    if (error.status === 412) return { kind: 'conflict' }
    const found = errorsByPath(error)
    return { kind: 'refused', errors: Object.keys(found).length > 0 ? found : { '': error.message } }
  }
}

function bodyOf({ kind, draft, before, status }: Storing, content: string) {
  const body: Record<string, unknown> = { status }
  if (has(kind, 'title')) body['title'] = draft.title
  if (has(kind, 'editor')) body['content'] = content
  if (has(kind, 'excerpt')) body['excerpt'] = draft.excerpt
  const changed = (name: string, now: unknown, then: unknown) => {
    if (now !== then) body[name] = now
  }
  changed('slug', draft.slug, before.slug)
  // Date fields have no seconds.
  if (draft.date.slice(0, 16) !== before.date.slice(0, 16))
    body['date'] = draft.date === '' ? null : withSeconds(draft.date)
  changed('password', draft.password, before.password)
  changed('sticky', draft.sticky, before.sticky)
  changed('author', draft.author, before.author)
  changed('parent', draft.parent, before.parent)
  if (draft.menuOrder !== before.menuOrder)
    body['menu_order'] = /^-?\d+$/.test(draft.menuOrder) ? Number(draft.menuOrder) : 0
  changed('template', draft.template, before.template)
  changed('format', draft.format, before.format)
  const open = (isOpen: boolean) => (isOpen ? 'open' : 'closed')
  changed('comment_status', open(draft.comments), open(before.comments))
  changed('ping_status', open(draft.pings), open(before.pings))
  changed('featured_media', draft.image, before.image)
  const meta = Object.keys(metaSchemas(kind)).filter(
    (name) => Object.hasOwn(draft.meta, name) && !isSame(draft.meta[name], before.meta[name]),
  )
  const values = Object.fromEntries(meta.map((name) => [name, draft.meta[name]]))
  if (kind.hasFootnotes && draft.footnotes !== before.footnotes) values['footnotes'] = draft.footnotes
  if (Object.keys(values).length > 0) body['meta'] = values
  return body
}

async function termBody(
  view: AdminView,
  { kind, draft, before }: Storing,
  errors: Record<string, string>,
): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {}
  for (const taxonomy of kind.taxonomies) {
    const { rest_base: base } = taxonomy
    if (!view.can(taxonomy.capabilities.assign_terms)) continue
    try {
      const ids = await termIds(view, taxonomy, draft)
      const previousIds = before.terms[base] ?? []
      if (ids !== null && (ids.length !== previousIds.length || ids.some((id) => !previousIds.includes(id))))
        body[base] = ids
    } catch (error) {
      if (!(error instanceof RestError) || error.status >= 500) throw error
      errors[base] = `${routeOf(taxonomy)}: ${error.message}`
    }
  }
  return body
}

/**
 * Uploads the image of the form and returns its ID; null without an image. Also stores the alternative text and the
 * focal point of the shown image.
 */
async function imageId(
  view: AdminView,
  kind: Kind,
  draft: Draft,
  errors: Record<string, string>,
): Promise<number | null> {
  if (!has(kind, 'thumbnail')) return null
  try {
    const [file] = view.files.filter(({ name, filename }) => name === 'file' && filename !== '')
    const isOwn = view.text('image_alt_of') === String(draft.image) && draft.image !== 0
    if (file === undefined && isOwn && Object.hasOwn(view.form, 'image_alt')) {
      const point = submittedPoint(view)
      if (isFault(point)) errors['image_focal_x'] = point.fault
      else await storeImage(view, draft.image, point)
    }
    if (file === undefined) return null
    return (await view.ask<{ id: number }>('POST', 'media', { files: [file] })).data.id
  } catch (error) {
    if (!(error instanceof RestError) || error.status >= 500) throw error
    errors['file'] = error.message
    return null
  }
}

/** Stores the alternative text and the focal point of the featured image, if they have changed. */
async function storeImage(view: AdminView, id: number, point: Point | null | undefined): Promise<void> {
  const attachment = await view.find<Image>(`media/${id}`)
  if (attachment === null) return
  const alt = view.text('image_alt')
  const { alt_text: storedAlt, media_details: details } = attachment
  const body = {
    ...(storedAlt !== alt && { alt_text: alt }),
    ...(point !== undefined && !isSame(point, details?.focal_point ?? null) && { focal_point: point }),
  }
  if (Object.keys(body).length > 0) await view.ask('PUT', `media/${id}`, { body })
}

interface Image {
  readonly alt_text?: string
  readonly media_details?: { readonly focal_point?: Point }
}

const withSeconds = (date: string) => (/T\d\d:\d\d$/.test(date) ? `${date}:00` : date)

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
