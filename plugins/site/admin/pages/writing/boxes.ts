import { applySyncFilter } from '../../../../../kernel/index.ts'
import { html, type HtmlValue, type PageHtml } from '../../../../library/markup/index.ts'
import { checkbox, selectField, textField } from '../../parts/fields.ts'
import { mediaField } from '../../parts/media-picker.ts'
import { schemaFields } from '../../parts/schema-fields.ts'
import type { AdminView } from '../../frame/view.ts'
import { metaSchemas, type Draft } from './draft.ts'
import { focalFields, type Point } from './focal-point.ts'
import type { Shown } from './shown.ts'
import { has, type Item, type Kind } from './item.ts'
import { formatChoices } from '../content/filters.ts'
import { plain, termsField } from './terms.ts'

/** Maximum number of options of a select; a search finds the others. */
const MAX_CHOICES = 100

/** Renders a group of fields that users can close. */
export function box(title: string, content: HtmlValue, isOpen = true): PageHtml {
  const open = isOpen ? html` open` : null
  return html`<details class="box" ${open}>
    <summary><h2>${title}</h2></summary>
    ${content}
  </details>`
}

/** Renders a box for each taxonomy. */
export async function termBoxes(view: AdminView, { kind, draft, errors }: Shown): Promise<PageHtml[]> {
  const shown = kind.taxonomies.filter((taxonomy) => taxonomy.show_ui)
  return Promise.all(
    shown.map(async (taxonomy) =>
      box(
        view.t(taxonomy.labels['name'] ?? taxonomy.name),
        await termsField(view, taxonomy, draft, errors[taxonomy.rest_base]),
      ),
    ),
  )
}

/** Renders the box of the featured image. */
export async function imageBox(view: AdminView, { kind, draft, errors }: Shown): Promise<PageHtml | null> {
  if (!has(kind, 'thumbnail')) return null
  const { t } = view
  const image =
    draft.image === 0
      ? null
      : await view.find<FeaturedImage>(`media/${draft.image}`, { query: { _fields: IMAGE_FIELDS } })
  const alt = image?.alt_text ?? ''
  const file =
    image === null
      ? null
      : {
          title: plain(image.title?.rendered ?? ''),
          alt,
          thumbnail: image.media_details?.sizes?.['thumbnail']?.source_url ?? image.source_url ?? '',
        }
  const about =
    image === null
      ? null
      : html`<div data-of-image>
          <input type="hidden" name="image_alt_of" value="${draft.image}" />${textField({
            name: 'image_alt',
            label: t('Alt text of the image'),
            value: alt,
            hint: t('Describes the image for people who can’t see it.'),
          })}
          ${focalFields(view, largeUrl(image), image.media_details?.focal_point, errors['image_focal_x'])}
        </div>`
  const upload = view.can('upload_files')
    ? html`<noscript
        >${textField({ name: 'file', label: t('Or upload an image'), type: 'file', value: '', error: errors['file'], attributes: html` accept="image/*"` })}</noscript
      >`
    : null
  const chosen = {
    name: 'featured_media',
    label: t('Image'),
    value: draft.image,
    file,
    error: errors['featured_media'],
  }
  return box(t('Featured image'), html`${mediaField(view, chosen)}${about}${upload}`)
}

/** The featured image to show. */
interface FeaturedImage {
  readonly title?: { readonly rendered: string }
  readonly alt_text?: string
  readonly source_url?: string
  readonly media_details?: {
    readonly sizes?: Readonly<Record<string, { readonly source_url: string }>>
    readonly focal_point?: Point
  }
}

const largeUrl = ({ media_details: details, source_url: url = '' }: FeaturedImage) =>
  details?.sizes?.['medium_large']?.source_url ?? details?.sizes?.['medium']?.source_url ?? url

const IMAGE_FIELDS = 'id,title,alt_text,source_url,media_details'

/** Renders the box with author, parent, template, format and discussion. */
export async function attributesBox(view: AdminView, { kind, item, draft, errors }: Shown): Promise<PageHtml | null> {
  const { t, plugin } = view
  const fields: PageHtml[] = []
  if (has(kind, 'author') && view.can(kind.type.capabilities.edit_others_posts))
    fields.push(await authorField(view, draft, errors['author']))
  if (kind.type.hierarchical) fields.push(await parentField(view, kind, item, draft, errors['parent']))
  if (has(kind, 'page-attributes'))
    fields.push(
      textField({
        name: 'menu_order',
        label: t('page|Order'),
        type: 'number',
        value: draft.menuOrder,
        error: errors['menu_order'],
      }),
    )
  const templates = applySyncFilter(plugin.hooks.theme_templates, [], kind.type)
  if (templates.length > 0 || draft.template !== '') {
    const names = [...new Set([draft.template, ...templates])].filter((name) => name !== '')
    const choices = [{ value: '', label: t('Default template') }, ...names.map((value) => ({ value, label: value }))]
    fields.push(
      selectField({
        name: 'template',
        label: t('Template'),
        value: draft.template,
        choices,
        error: errors['template'],
      }),
    )
  }
  const formats = kind.properties['format']?.enum ?? []
  if (formats.length > 0) {
    const choices = formatChoices(view).filter(({ value }) => formats.includes(value))
    fields.push(
      selectField({ name: 'format', label: t('Format'), value: draft.format, choices, error: errors['format'] }),
    )
  }
  if (has(kind, 'comments')) {
    const flag = (name: string, label: string, checked: boolean) =>
      html`<input type="hidden" name="${name}" value="" />${checkbox({ name, label, checked, error: errors[name] })}`
    fields.push(flag('comment_status', t('Allow comments'), draft.comments))
    fields.push(flag('ping_status', t('Allow pingbacks and trackbacks'), draft.pings))
  }
  if (fields.length === 0) return null
  return box(t('More options'), fields)
}

async function authorField(view: AdminView, draft: Draft, error: string | undefined): Promise<PageHtml> {
  interface Author {
    readonly id: number
    readonly name: string
  }
  const query = { who: 'authors', per_page: MAX_CHOICES, _fields: 'id,name' }
  const { data, headers } = await view.ask<Author[]>('GET', 'users', { query })
  const isCut = Number(headers.get(view.plugin.branding.header('Total')) ?? 0) > data.length
  const own = data.some(({ id }) => id === draft.author)
    ? null
    : await view.find<Author>(`users/${draft.author}`, { query: { _fields: 'id,name' } })
  const choices = [...(own === null ? [] : [own]), ...data].map(({ id, name }) => ({
    value: String(id),
    label: plain(name),
  }))
  return searched(
    isCut ? '/users?who=authors' : null,
    selectField({ name: 'author', label: view.t('Author'), value: String(draft.author), choices, error }),
  )
}

async function parentField(
  view: AdminView,
  { route }: Kind,
  item: Item | null,
  draft: Draft,
  error: string | undefined,
): Promise<PageHtml> {
  const { t } = view
  interface Above {
    readonly id: number
    readonly title: { readonly raw: string }
  }
  const query = {
    context: 'edit',
    per_page: MAX_CHOICES,
    orderby: 'title',
    order: 'asc',
    status: 'publish,draft,pending,private,future',
    _fields: 'id,title.raw',
    ...(item !== null && { exclude: item.id }),
  }
  const { data, headers } = await view.ask<Above[]>('GET', route, { query })
  const isCut = Number(headers.get(view.plugin.branding.header('Total')) ?? 0) > data.length
  const own =
    draft.parent === 0 || data.some(({ id }) => id === draft.parent)
      ? null
      : await view.find<Above>(`${route}/${draft.parent}`, { query: { context: 'edit', _fields: 'id,title.raw' } })
  const choices = [...(own === null ? [] : [own]), ...data].map(({ id, title }) => ({
    value: String(id),
    label: title.raw === '' ? t('(no title, #{id})', { id }) : title.raw,
  }))
  // A parent that the user cannot read is preserved.
  if (draft.parent !== 0 && !choices.some(({ value }) => value === String(draft.parent)))
    choices.push({ value: String(draft.parent), label: String(draft.parent) })
  const field = selectField({
    name: 'parent',
    label: t('Parent'),
    value: String(draft.parent),
    choices: [{ value: '0', label: t('No parent') }, ...choices],
    error,
  })
  return searched(isCut ? `${route}?context=edit&exclude=${item?.id ?? 0}` : null, field)
}

/** Wraps a select with the first options; a script searches the others at a route. */
function searched(route: string | null, field: PageHtml): PageHtml {
  return route === null ? field : html`<div data-search="${route}">${field}</div>`
}

/** Renders the box with the registered meta. */
export function metaBox(view: AdminView, { kind, draft, errors }: Shown): PageHtml | null {
  const schemas = metaSchemas(kind)
  const fields = schemaFields(view, {
    schemas,
    values: draft.meta,
    name: 'meta',
    errors: { ...errors, ...draft.metaErrors },
  })
  if (fields.size === 0) return null
  return box(view.t('Custom fields'), [...fields.values()])
}
