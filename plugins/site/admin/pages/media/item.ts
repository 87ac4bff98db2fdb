import { HeaderMap, RestError, type SitePage } from '../../../../../kernel/index.ts'
import { html, type HtmlValue, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { checkbox, selectField, textArea, textField, type Choice } from '../../parts/fields.ts'
import type { AdminContent } from '../../admin.ts'
import { nameOf, sizeText, type Attachment } from './attachment.ts'

/** A post that uses a file, as the REST API returns it. */
interface UsingPost {
  readonly id: number
  readonly type: string
  readonly status: string
  readonly title: { readonly rendered: string }
  readonly link: string
  readonly editable: boolean
  readonly uses: readonly string[]
}

interface Usage {
  readonly posts: readonly UsingPost[]
  readonly site: readonly string[]
  readonly complete: boolean
}

/** Maximum number of search results when attaching a file to a post. */
const MAX_SEARCH_RESULTS = 10
const SCRIPTS = ['core/media-item.js', 'core/copy.js']
/** Types of images that can be rotated, cropped and flipped. */
const EDITABLE_IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']

/** Error messages by field name. */
type Faults = Readonly<Record<string, string>>

/** A refused form: its values, and the reason. */
interface Refused {
  readonly text: (name: string) => string
  readonly faults: Faults
  readonly notice: string
}

/** The page of a file: details, texts, and where the file is used. */
export async function show(view: AdminView): Promise<AdminContent> {
  return page(view, null)
}

async function page(view: AdminView, refused: Refused | null): Promise<AdminContent> {
  const { t } = view
  const path = pathOf(view)
  const item = await view.find<Attachment>(path, { query: { context: 'edit' } })
  if (item === null) return readOnly(view)
  const usage = await view.find<Usage>(`${path}/usage`)
  const tag = await view.tagOf(path)
  const isImage = item.mime_type.startsWith('image/')
  const notice =
    refused === null || refused.notice === '' ? null : html`<p class="notice error" role="alert">${refused.notice}</p>`
  return {
    title: nameOf(item),
    ...(refused !== null && { status: 400 }),
    scripts: SCRIPTS,
    // Cropper.js writes its elements as HTML, which the policy of `crop.js` checks.
    sources: { 'trusted-types': ['default'] },
    headingActions: html`<a class="button" href="${view.url('media')}">${t('All media')}</a>`,
    main: html`${notice}
      <div class="columns">
        <div>
          ${preview(view, item)} ${textsForm(view, item, tag, refused)}
          ${isImage && EDITABLE_IMAGE_TYPES.includes(item.mime_type) ? editForm(view, item, refused) : null}
        </div>
        <div>${facts(view, item)} ${usageHtml(view, usage)} ${await attachedHtml(view, item)} ${deleteHtml(view)}</div>
      </div>`,
  }
}

/** Renders the page for users who can read the file but not edit it. */
async function readOnly(view: AdminView): Promise<AdminContent> {
  const { data: item } = await view.ask<Attachment>('GET', pathOf(view))
  const { plainPages: pages } = view.plugin.services
  return {
    title: view.t('File'),
    scripts: SCRIPTS,
    main: html`<p><strong>${pages.stored(item.title.rendered)}</strong></p>
      <p class="hint">${view.t('You can view this file, but not edit it.')}</p>
      ${preview(view, item)} ${facts(view, item)} ${usageHtml(view, await view.find<Usage>(`${pathOf(view)}/usage`))}`,
  }
}

const pathOf = ({ params }: AdminView) => `media/${Number(params['id']) || 0}`

function preview({ t }: AdminView, item: Attachment): PageHtml {
  const [kind] = item.mime_type.split('/', 1)
  const url = item.source_url
  if (kind === 'image') {
    const { large, medium } = item.media_details.sizes ?? {}
    const shown = (large ?? medium)?.source_url ?? url
    return html`<figure class="preview">
      <div class="focal" id="focal" role="group" aria-label="${t('Focal point')}" aria-describedby="focal-hint">
        <img src="${shown}" alt="${item.alt_text}" />
      </div>
      <figcaption class="hint" id="focal-hint" hidden>
        ${t('Click or drag to set the focal point: the part that stays visible when the image is cropped.')}
        ${t('Arrow keys move it; with Shift in larger steps.')}
      </figcaption>
    </figure>`
  }
  if (kind === 'video') return html`<video class="preview" controls preload="metadata" src="${url}"></video>`
  if (kind === 'audio') return html`<audio class="preview" controls preload="metadata" src="${url}"></audio>`
  return html`<p class="preview"><a href="${url}">${t('Open file')}</a></p>`
}

function textsForm(view: AdminView, item: Attachment, tag: string | null, refused: Refused | null): PageHtml {
  const { t } = view
  const { focal_point: point, decorative = false } = item.media_details
  const isImage = item.mime_type.startsWith('image/')
  const value = (name: string, stored: string) => (refused === null ? stored : refused.text(name))
  const error = (name: string) => refused?.faults[name]
  const percent = (part: number | undefined) => (part === undefined ? '' : String(Math.round(part * 1000) / 10))
  const ofImage = html`${textArea({
      name: 'alt_text',
      label: t('Alt text'),
      hint: t('Describes the image for people who can’t see it. Leave empty if it is decorative.'),
      value: value('alt_text', item.alt_text),
      error: error('alt_text'),
      rows: 2,
    })}
    ${checkbox({
      name: 'decorative',
      label: t('Decorative image (no alt text needed)'),
      checked: refused === null ? decorative : refused.text('decorative') !== '',
    })}
    <fieldset class="field" id="focal-fields">
      <legend>${t('Focal point')}</legend>
      <p class="hint">${t('In percent of width and height. Leave empty for none.')}</p>
      ${percentField('focal_x', t('From left'), value('focal_x', percent(point?.x)), error('focal_x'))}
      ${percentField('focal_y', t('From top'), value('focal_y', percent(point?.y)), error('focal_y'))}
    </fieldset>`
  return html`<section class="card">
    <h2>${t('Details')}</h2>
    ${view.formStart('save', html` data-guard`)}
    <input type="hidden" name="tag" value="${tag ?? ''}" />
    ${textField({ name: 'title', label: t('Title'), value: value('title', item.title.raw), error: error('title') })}
    ${isImage ? ofImage : null}
    ${textArea({ name: 'caption', label: t('Caption'), hint: t('Shown below the image.'), value: value('caption', item.caption.raw), error: error('caption'), rows: 2 })}
    ${textArea({ name: 'description', label: t('Description'), value: value('description', item.description.raw), error: error('description') })}
    <button type="submit" class="primary">${t('Save')}</button></form>
  </section>`
}

function percentField(name: string, label: string, value: string, error?: string): PageHtml {
  const attributes = html` min="0" max="100" step="0.1" inputmode="decimal"`
  return textField({ name, label, value, error, type: 'number', attributes })
}

function editForm(view: AdminView, item: Attachment, refused: Refused | null): PageHtml {
  const { t } = view
  const value = (name: string, stored: string) => (refused === null ? stored : refused.text(name) || stored)
  const error = (name: string) => refused?.faults[name]
  const angles = [
    { value: '0', label: t('Don’t rotate') },
    { value: '90', label: t('90° clockwise') },
    { value: '180', label: t('180°') },
    { value: '270', label: t('90° counterclockwise') },
  ]
  return html`<section class="card">
    <h2>${t('Edit image')}</h2>
    <p class="hint">${t('Edits are saved as a new file. The original isn’t changed.')}</p>
    ${view.formStart('edit')}
    <input type="hidden" name="src" value="${item.source_url}" />
    <button type="button" id="crop-start" hidden>${view.icon('crop')}${t('Crop')}</button>
    <div id="crop-tools" hidden>
      ${selectField({ name: 'ratio', label: t('Aspect ratio'), value: '', choices: ratioChoices(view, item) })}
      <div class="crop" tabindex="0" role="group" data-area aria-label="${t('Area to keep')}" aria-describedby="crop-hint">
        <img src="${item.media_details.sizes?.['large']?.source_url ?? item.source_url}" alt="" />
      </div>
      <p class="hint" id="crop-hint">
        ${t('Drag the area or its edges. Arrow keys move it, with Shift they resize it, with Alt in larger steps.')}
      </p>
      <button type="button" data-reset>${t('Whole image')}</button>
    </div>
    <fieldset class="field" id="crop-fields">
      <legend>${t('Crop')}</legend>
      <p class="hint">${t('The area to keep, in percent of width and height.')}</p>
      ${percentField('crop_left', t('crop|Left'), value('crop_left', '0'), error('crop_left'))}
      ${percentField('crop_top', t('crop|Top'), value('crop_top', '0'), error('crop_top'))}
      ${percentField('crop_width', t('Width'), value('crop_width', '100'), error('crop_width'))}
      ${percentField('crop_height', t('Height'), value('crop_height', '100'), error('crop_height'))}
    </fieldset>
    ${selectField({ name: 'rotate', label: t('Rotate'), value: value('rotate', '0'), choices: angles })}
    ${checkbox({ name: 'flip_horizontal', label: t('Flip horizontally'), checked: refused?.text('flip_horizontal') === '1' })}
    ${checkbox({ name: 'flip_vertical', label: t('Flip vertically'), checked: refused?.text('flip_vertical') === '1' })}
    <button type="submit">${t('Save as new image')}</button></form>
  </section>`
}

/** Returns the aspect ratios for cropping. */
function ratioChoices({ t }: AdminView, { media_details: { width = 0, height = 0 } }: Attachment): Choice[] {
  const fixed = ['1:1', '4:3', '3:2', '16:9', '3:4', '2:3', '9:16']
  return [
    { value: '', label: t('aspect ratio|Free') },
    ...(width > 0 ? [{ value: `${width}:${height}`, label: t('aspect ratio|Original') }] : []),
    ...fixed.map((value) => ({ value, label: value })),
  ]
}

function facts(view: AdminView, item: Attachment): PageHtml {
  const { t } = view
  const { width, height, sizes = {} } = item.media_details
  const fact = (label: string, value: HtmlValue) =>
    html`<dt>${label}</dt>
      <dd>${value}</dd>`
  const versions = Object.entries(sizes).map(
    ([name, size]) => html`<li><a href="${size.source_url}">${name}</a> ${size.width} × ${size.height}</li>`,
  )
  return html`<section class="card">
    <h2>${t('File')}</h2>
    <dl class="facts">
      ${fact(t('Name'), item.filename ?? '–')} ${fact(t('Type'), item.mime_type)}
      ${fact(t('Size'), sizeText(view, item.filesize))}
      ${width !== undefined && height !== undefined ? fact(t('Dimensions'), t('{width} × {height} pixels', { width, height })) : null}
      ${fact(t('Uploaded on'), view.date(item.date_gmt))}
    </dl>
    <p class="field">
      <label for="file-url">${t('URL')}</label>
      <input type="text" id="file-url" readonly value="${item.source_url}" />
      <button type="button" data-copy="${item.source_url}" data-done="${t('URL copied.')}" hidden>
        ${t('Copy URL')}
      </button>
    </p>
    ${
      versions.length === 0
        ? null
        : html`<details>
            <summary>${t('Image sizes')}</summary>
            <ul>
              ${versions}
            </ul>
          </details>`
    }
  </section>`
}

function usageHtml(view: AdminView, usage: Usage | null): PageHtml | null {
  const { t } = view
  if (usage === null) return null
  const { plainPages: pages } = view.plugin.services
  const names: Readonly<Record<string, string>> = {
    content: t('in the content'),
    gallery: t('in a gallery'),
    featured: t('as featured image'),
    attached: t('attached'),
    site_icon: t('Site icon'),
    site_logo: t('Site logo'),
  }
  const rows = usage.posts.map(({ id, type, title, uses, link, editable }) => {
    const url = editable ? view.url(`content/${type}/${id}`) : link
    const how = uses.map((use) => names[use] ?? use).join(', ')
    return html`<li>
      <a href="${url}">${title.rendered === '' ? `#${id}` : pages.stored(title.rendered)}</a> (${how})
    </li>`
  })
  const site = usage.site.map((name) => html`<li>${names[name] ?? name}</li>`)
  const all = [...rows, ...site]
  return html`<section class="card" id="usage">
    <h2>${t('Used in')}</h2>
    ${
      all.length === 0
        ? html`<p>${t('Not used anywhere.')}</p>`
        : html`<ul>
            ${all}
          </ul>`
    }
    ${usage.complete ? null : html`<p class="hint">${t('Only recent posts were searched; there may be more.')}</p>`}
  </section>`
}

async function attachedHtml(view: AdminView, item: Attachment): Promise<PageHtml> {
  const { t, query } = view
  const { plainPages: pages } = view.plugin.services
  if (item.post !== null)
    return html`<section class="card">
      <h2>${t('Uploaded to')}</h2>
      <p>${t('This file is attached to the post with ID {id}.', { id: item.post })}</p>
      ${view.button(t('Detach'), 'detach')}
    </section>`
  const search = query.get('attach') ?? ''
  const found =
    search === ''
      ? null
      : await view.ask<{ id: number; title: string }[]>('GET', 'search', {
          query: { search, type: 'post', per_page: MAX_SEARCH_RESULTS },
        })
  const results = found?.data.map(
    ({ id, title }) =>
      html`<li>
        ${pages.stored(title) ?? id}
        ${view.button(t('Attach'), 'attach', { post: id }, html` aria-label="${t('Attach to {title}', { title: `#${id}` })}"`)}
      </li>`,
  )
  return html`<section class="card" id="attach">
    <h2>${t('Unattached')}</h2>
    <form method="get" action="${view.url(view.path)}#attach">
      ${textField({ name: 'attach', label: t('Search for a post to attach this file to'), value: search, type: 'search' })}
      <button type="submit">${t('Search')}</button>
    </form>
    ${
      results === undefined
        ? null
        : results.length === 0
          ? html`<p>${t('No results.')}</p>`
          : html`<ul>
              ${results}
            </ul>`
    }
  </section>`
}

function deleteHtml(view: AdminView): PageHtml {
  const { t } = view
  return html`<section class="card">
    <h2>${t('Delete')}</h2>
    ${view.button(t('Delete permanently'), 'delete', {}, html` class="danger"`)}
  </section>`
}

export const actions = {
  /** Saves the texts. */
  async save(view: AdminView): Promise<AdminContent | SitePage> {
    const { t } = view
    const [x, y] = [view.text('focal_x').trim(), view.text('focal_y').trim()]
    const faults =
      (x === '') === (y === '')
        ? percentFaults(view, ['focal_x', 'focal_y'])
        : { [x === '' ? 'focal_x' : 'focal_y']: t('Enter both numbers, or leave both empty.') }
    if (Object.keys(faults).length > 0) return page(view, refusedForm(view, faults))
    const image = {
      focal_point: x === '' ? null : { x: Number(x) / 100, y: Number(y) / 100 },
      decorative: view.text('decorative') !== '',
    }
    const isImage = view.form['focal_x'] !== undefined
    const body = {
      title: view.text('title'),
      caption: view.text('caption'),
      description: view.text('description'),
      ...(isImage && { alt_text: image.decorative ? '' : view.text('alt_text'), ...image }),
    }
    const headers = new HeaderMap(view.text('tag') === '' ? {} : { 'If-Match': view.text('tag') })
    try {
      await view.ask('POST', pathOf(view), { body, headers })
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      return page(view, refusedBy(view, error))
    }
    return view.redirect(view.here(), { kind: 'done', text: t('File updated.') })
  },

  /** Stores a cropped, rotated or flipped copy of the image as a new file. */
  async edit(view: AdminView): Promise<AdminContent | SitePage> {
    const { t } = view
    const names = ['crop_left', 'crop_top', 'crop_width', 'crop_height']
    const faults = percentFaults(view, names)
    if (Object.keys(faults).length > 0) return page(view, refusedForm(view, faults))
    const [left = 0, top = 0, width = 100, height = 100] = names.map((name) => Number(view.text(name)))
    const angle = Number(view.text('rotate')) || 0
    const [horizontal, vertical] = [view.text('flip_horizontal') !== '', view.text('flip_vertical') !== '']
    const isCropped = left > 0 || top > 0 || width < 100 || height < 100
    const modifiers = [
      ...(isCropped ? [{ type: 'crop', args: { left, top, width, height } }] : []),
      ...(angle !== 0 ? [{ type: 'rotate', args: { angle } }] : []),
      ...(horizontal || vertical ? [{ type: 'flip', args: { flip: { horizontal, vertical } } }] : []),
    ]
    if (modifiers.length === 0)
      return page(view, {
        ...refusedForm(view, {}),
        notice: t('Rotate, crop or flip the image first.'),
      })
    try {
      const { data } = await view.ask<{ id: number }>('POST', `${pathOf(view)}/edit`, {
        body: { src: view.text('src'), modifiers },
      })
      const text = t('Edited image saved as a new file.')
      return view.redirect(view.url(`media/${data.id}`), { kind: 'done', text })
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      return page(view, refusedBy(view, error))
    }
  },

  async attach(view: AdminView): Promise<SitePage> {
    await view.ask('POST', pathOf(view), { body: { post: Number(view.text('post')) || 0 } })
    return view.redirect(view.url(view.path), { kind: 'done', text: view.t('File attached.') })
  },

  async detach(view: AdminView): Promise<SitePage> {
    await view.ask('POST', pathOf(view), { body: { post: 0 } })
    return view.redirect(view.url(view.path), { kind: 'done', text: view.t('File detached.') })
  },

  /** Asks for confirmation before deleting, and lists where the file is used. */
  async delete(view: AdminView): Promise<AdminContent> {
    const { t } = view
    const { data: item } = await view.ask<Attachment>('GET', pathOf(view), { query: { context: 'edit' } })
    const usage = await view.find<Usage>(`${pathOf(view)}/usage`)
    return {
      title: t('Delete {title}?', { title: nameOf(item) }),
      main: html`<p>${t('Deleted files can’t be recovered. Pages that use them will show nothing in their place.')}</p>
        ${usageHtml(view, usage)}
        <p class="actions">
          ${view.button(t('Delete permanently'), 'delete-confirmed', {}, html` class="danger"`)}
          <a href="${view.here()}">${t('Cancel')}</a>
        </p>`,
    }
  },

  async 'delete-confirmed'(view: AdminView): Promise<SitePage> {
    await view.ask('DELETE', pathOf(view), { query: { force: 'true' } })
    return view.redirect(view.url('media'), { kind: 'done', text: view.t('File permanently deleted.') })
  },
}

/** Returns errors for fields that are not percentages. */
function percentFaults(view: AdminView, names: readonly string[]): Faults {
  const wrong = names.filter((name) => {
    const number = Number(view.text(name))
    return !(number >= 0 && number <= 100)
  })
  return Object.fromEntries(wrong.map((name) => [name, view.t('Enter a number from 0 to 100.')]))
}

function refusedForm(view: AdminView, faults: Faults): Refused {
  return { text: (name) => view.text(name), faults, notice: '' }
}

function refusedBy(view: AdminView, error: RestError): Refused {
  const { params } = error.data as { params?: unknown }
  const faults = typeof params === 'object' && params !== null ? (params as Faults) : {}
  const text =
    error.status === 412
      ? view.t(
          'Someone else changed this file while you were editing. Your changes are still in the form. Save again to overwrite theirs.',
        )
      : error.message
  return { ...refusedForm(view, faults), notice: text }
}
