import { applySyncFilter } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { checkbox, selectField, textArea, textField, type Choice } from '../../parts/fields.ts'
import { mediaField } from '../../parts/media-picker.ts'
import { panelBoxes } from '../../parts/panels.ts'
import { schemaFields } from '../../parts/schema-fields.ts'
import type { AdminView } from '../../frame/view.ts'
import { metaSchemas, type Draft } from './draft.ts'
import { has, type Item, type Kind } from './item.ts'
import { formatChoices } from '../content/filters.ts'
import { plain, termsField } from './terms.ts'

/** The data of the editor form. */
export interface Shown {
  readonly kind: Kind
  /** Null for a new post. */
  readonly item: Item | null
  readonly draft: Draft
  /** Entity tag of the version that the user opened; `''` for a new post. */
  readonly tag: string
  /** Messages by field. */
  readonly errors: Readonly<Record<string, string>>
  /** Name of another user who currently edits the post, or null. */
  readonly lockedBy: string | null
}

/** Maximum number of options of a select; a search finds the others. */
const MAX_CHOICES = 100

/** Renders the editor form. */
export async function formHtml(view: AdminView, shown: Shown): Promise<PageHtml> {
  const { t, plugin } = view
  const { kind, item, draft, tag, errors, lockedBy } = shown
  const { branding, urls } = plugin
  const off = lockedBy === null ? null : html` disabled`
  const error = (name: string) => errors[name]
  const title = has(kind, 'title')
    ? textField({ name: 'title', label: t('Title'), value: draft.title, error: error('title') })
    : null
  const excerpt = has(kind, 'excerpt')
    ? textArea({
        name: 'excerpt',
        label: t('Excerpt'),
        value: draft.excerpt,
        rows: 3,
        error: error('excerpt'),
        hint: t('A short summary shown in lists and feeds. Leave empty to use the beginning of the content.'),
      })
    : null
  const boxes = [
    publishBox(view, shown),
    ...(await termBoxes(view, shown)),
    await imageBox(view, shown),
    await attributesBox(view, shown),
  ].filter((one) => one !== null)
  const locks = item !== null && plugin.has('editor-ajax')
  const words = {
    saved: t('Saved at {time}'),
    saving: t('Saving…'),
    savedLocally: t('Saved on this device at {time}. Not on the site yet.'),
    offline: t('You’re offline. Changes are saved on this device and will sync when you’re back online.'),
    session: t('Your session has expired. Log in in another tab, then continue here. Your work is safe.'),
    login: t('Log in (opens another tab)'),
    lost: t('{name} took over editing. Your changes are kept, and this page is now read-only.'),
    again: t('Reload'),
    conflict: t('Someone else saved changes. Save to compare both versions.'),
    copy: t('You have unsaved changes from {time} in this browser.'),
    restore: t('Restore'),
    forget: t('Discard'),
    restored: t('Unsaved changes restored. Save to keep them.'),
    search: t('Search'),
    none: t('No results.'),
  }
  const data = html`data-words="${JSON.stringify(words)}" data-id="${item?.id ?? ''}" data-user="${view.user.id}"
  data-type="${kind.type.name}" data-modified="${item?.modified_gmt ?? ''}"
  data-locked="${lockedBy === null ? '' : '1'}" data-heartbeat="${locks ? urls.site(branding.ajaxPath) : ''}"
  data-word="${branding.word}" data-nonce-field="${branding.nonceParameter}"
  data-login="${urls.site(branding.loginPath)}"`
  return html`<form id="writing" method="post" enctype="multipart/form-data" action="${view.url(view.path)}" ${data}>
    ${view.formFields()}
    <input type="hidden" name="tag" value="${tag}" />
    <input type="hidden" name="mode" value="${draft.mode}" />
    <fieldset class="bare" ${off}>
      <legend class="hidden">${t('Content')}</legend>
      <div class="columns">
        <div>
          ${title}${has(kind, 'editor') ? contentField(view, shown) : null}${excerpt}${metaBox(view, shown)}
          ${await panelBoxes(view, shown.kind.type.name, shown.item)}
        </div>
        <div class="boxes">${boxes}</div>
      </div>
    </fieldset>
  </form>`
}

function contentField(view: AdminView, { draft, errors, item }: Shown): PageHtml {
  const { t } = view
  const isMarkdown = draft.mode === 'markdown'
  const other =
    item === null && draft.content === ''
      ? html`<a href="${view.here({ mode: isMarkdown ? 'html' : 'markdown' })}"
          >${isMarkdown ? t('Switch to HTML') : t('Switch to Markdown')}</a
        >`
      : isMarkdown
        ? html`<button type="submit" name="do" value="as-html" formnovalidate>${t('Convert to HTML')}</button>`
        : null
  const field = textArea({
    name: 'content',
    label: isMarkdown ? t('Content (Markdown)') : t('Content (HTML)'),
    value: draft.content,
    rows: 24,
    error: errors['content'],
    attributes: html` class="code" data-content spellcheck="true"`,
    hint: isMarkdown
      ? t('Markdown: **bold**, *italic*, [link](https://…), ## heading, - list, > quote. HTML is allowed.')
      : t('HTML with block comments. Unknown blocks are kept unchanged.'),
  })
  return html`<div class="content">
    ${field}
    <div class="actions">
      <button type="submit" name="do" value="preview" formtarget="preview" formnovalidate>
        ${t('action|Preview')}
      </button>
      <button type="button" data-insert-picture="${view.plugin.branding.blockMark}" hidden>${t('Insert image')}</button>
      ${other}
    </div>
    <div class="preview" data-preview>
      <h2>${t('Preview')}</h2>
      <iframe name="preview" title="${t('Preview of the content')}" sandbox="allow-same-origin"></iframe>
    </div>
  </div>`
}

function publishBox(view: AdminView, { kind, item, draft, errors }: Shown): PageHtml {
  const { t } = view
  const publishes = view.can(kind.type.capabilities.publish_posts)
  const isOut = ['publish', 'private', 'future'].includes(item?.status ?? '')
  const statuses: Choice[] = [
    { value: 'draft', label: t('post status|Draft') },
    { value: 'pending', label: t('Pending review') },
    ...(publishes || item?.status === 'publish' ? [{ value: 'publish', label: t('post status|Published') }] : []),
    ...(publishes || item?.status === 'private' ? [{ value: 'private', label: t('post status|Private') }] : []),
    ...(draft.status === 'future' || item?.status === 'future'
      ? [{ value: 'future', label: t('post status|Scheduled') }]
      : []),
  ]
  // Without this option, storing the form would change a status that a plugin has registered.
  if (!statuses.some(({ value }) => value === draft.status)) statuses.push({ value: draft.status, label: draft.status })
  const publishButton = isOut
    ? null
    : html`<button type="submit" name="do" value="publish" class="primary">
        ${publishes ? t('Publish') : t('Submit for review')}
      </button>`
  const save = html`<button type="submit" name="do" value="save" data-save ${isOut ? html` class="primary"` : null}>
    ${isOut ? t('Update') : t('Save')}
  </button>`
  const sticky =
    kind.type.name === 'post' && view.can(kind.type.capabilities.edit_others_posts) && publishes
      ? html`<input
            type="hidden"
            name="sticky"
            value=""
          />${checkbox({ name: 'sticky', label: t('Stick to the top of the blog'), checked: draft.sticky, error: errors['sticky'] })}`
      : null
  const links =
    item === null
      ? null
      : html`<ul class="links">
          ${isOut && kind.type.viewable ? html`<li><a href="${item.link}">${t('View on site')}</a></li>` : null}
          <li><a href="${view.url(`${view.path}/revisions`)}">${t('Revisions')}</a></li>
        </ul>`
  const share =
    item !== null && kind.type.viewable && view.plugin.has('previews')
      ? html`<button type="submit" name="do" value="share" formnovalidate>${t('Create preview link')}</button>`
      : null
  const trash =
    item === null
      ? null
      : html`<button
          type="submit"
          name="do"
          value="trash"
          class="danger"
          formnovalidate
          data-confirm="${t('Move to trash?')}"
        >
          ${t('Move to trash')}
        </button>`
  const when = publishes
    ? textField({
        name: 'date',
        label: t('Date'),
        type: 'datetime-local',
        value: draft.date.slice(0, 16),
        error: errors['date'],
        hint: t('Site time zone. Choose a future date to schedule.'),
      })
    : null
  return html`<section class="card">
    <h2>${t('Publish')}</h2>
    <div class="actions">${save}${publishButton}</div>
    <p class="state" data-state role="status"></p>
    ${selectField({ name: 'status', label: t('Status'), value: draft.status, choices: statuses, error: errors['status'] })}
    ${when}
    ${textField({ name: 'slug', label: t('Slug'), value: draft.slug, error: errors['slug'], hint: t('The last part of the URL. Leave empty to generate it from the title.') })}
    ${textField({ name: 'password', label: t('Password'), value: draft.password, error: errors['password'], hint: t('Only people with the password can read this. Leave empty to make it public.'), attributes: html` autocomplete="off"` })}
    ${sticky}${links}
    <div class="actions">${share}${trash}</div>
  </section>`
}

async function termBoxes(view: AdminView, { kind, draft, errors }: Shown): Promise<PageHtml[]> {
  const shown = kind.taxonomies.filter((taxonomy) => taxonomy.show_ui)
  return Promise.all(
    shown.map(
      async (taxonomy) =>
        html`<section class="card">
          <h2>${view.t(taxonomy.labels['name'] ?? taxonomy.name)}</h2>
          ${await termsField(view, taxonomy, draft, errors[taxonomy.rest_base])}
        </section>`,
    ),
  )
}

async function imageBox(view: AdminView, { kind, draft, errors }: Shown): Promise<PageHtml | null> {
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
      : html`<input type="hidden" name="image_alt_of" value="${draft.image}" />${textField({
            name: 'image_alt',
            label: t('Alt text of the image'),
            value: alt,
            hint: t('Describes the image for people who can’t see it.'),
          })}`
  const upload = view.can('upload_files')
    ? html`<noscript
        >${textField({ name: 'file', label: t('Or upload an image'), type: 'file', value: '', error: errors['file'], attributes: html` accept="image/*"` })}</noscript
      >`
    : null
  return html`<section class="card">
    <h2>${t('Featured image')}</h2>
    ${mediaField(view, { name: 'featured_media', label: t('Image'), value: draft.image, file, error: errors['featured_media'] })}
    ${about}${upload}
  </section>`
}

/** The featured image to show. */
interface FeaturedImage {
  readonly title?: { readonly rendered: string }
  readonly alt_text?: string
  readonly source_url?: string
  readonly media_details?: { readonly sizes?: Readonly<Record<string, { readonly source_url: string }>> }
}

const IMAGE_FIELDS = 'id,title,alt_text,source_url,media_details'

async function attributesBox(view: AdminView, { kind, item, draft, errors }: Shown): Promise<PageHtml | null> {
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
    const box = (name: string, label: string, checked: boolean) =>
      html`<input type="hidden" name="${name}" value="" />${checkbox({ name, label, checked, error: errors[name] })}`
    fields.push(box('comment_status', t('Allow comments'), draft.comments))
    fields.push(box('ping_status', t('Allow pingbacks and trackbacks'), draft.pings))
  }
  if (fields.length === 0) return null
  return html`<section class="card">
    <h2>${t('More options')}</h2>
    ${fields}
  </section>`
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

function metaBox(view: AdminView, { kind, draft, errors }: Shown): PageHtml | null {
  const schemas = metaSchemas(kind)
  const fields = schemaFields(view, {
    schemas,
    values: draft.meta,
    name: 'meta',
    errors: { ...errors, ...draft.metaErrors },
  })
  if (fields.size === 0) return null
  return html`<section class="card">
    <h2>${view.t('Custom fields')}</h2>
    ${[...fields.values()]}
  </section>`
}
