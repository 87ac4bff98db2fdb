import { RestError, type SitePage } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { textField } from '../../parts/fields.ts'
import { tabsHtml } from '../../parts/filters.ts'
import { listHtml, MAX_PER_PAGE, pageQuery, pagingHtml, pagingOf, type Paging } from '../../parts/list.ts'
import type { AdminContent, ListColumn } from '../../admin.ts'
import { LIST_FIELDS, nameOf, sizeText, thumbnailOf, type Attachment } from './attachment.ts'
import { mediaFilters, mediaQuery, orderOf } from './filters.ts'
import { uploadBox } from './upload-box.ts'

/** Lists the files of the site as a grid or a table. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t, query } = view
  const isList = query.get('view') === 'list'
  const [answer, filters] = await Promise.all([
    view.ask<Attachment[]>('GET', 'media', { query: { ...pageQuery(view), ...mediaQuery(view) } }),
    mediaFilters(view),
  ])
  const paging = pagingOf(view, answer)
  const items = answer.data
  const modes = [
    { label: t('Grid'), href: view.here({ view: undefined, cursor: undefined }), isHere: !isList, count: null },
    { label: t('List'), href: view.here({ view: 'list', cursor: undefined }), isHere: isList, count: null },
  ]
  const mayUpload = view.can('upload_files')
  return {
    headingActions: mayUpload
      ? html`<a class="button primary" href="${view.url('media/new')}">${t('Upload files')}</a>`
      : html``,
    main: html`${mayUpload ? uploadBox(view) : null} ${tabsHtml(t('View mode'), modes)} ${filters}
    ${isList ? await table(view, items, paging) : grid(view, items, paging)}`,
    scripts: ['core/lists.js', 'core/partial.js'],
    styles: ['core/lists.css'],
  }
}

function bulkChoices({ t }: AdminView) {
  return [
    { value: 'alt', label: t('Edit alt text') },
    { value: 'delete-chosen', label: t('Delete permanently') },
  ]
}

/** Renders the thumbnail of a file, or its type. */
function picture(item: Attachment): PageHtml {
  const thumbnail = thumbnailOf(item)
  if (thumbnail !== '') return html`<img src="${thumbnail}" alt="" loading="lazy" />`
  return html`<span class="file-kind" aria-hidden="true">${item.filename?.split('.').at(-1) ?? item.media_type}</span>`
}

function grid(view: AdminView, items: readonly Attachment[], paging: Paging): PageHtml {
  const { t } = view
  // Template with which scripts show uploaded files.
  const tile = html`<template id="media-tile"
    ><li>
      <input type="checkbox" class="choose" name="ids[]" /><a href="${view.url('media')}"
        ><img alt="" /><span></span
      ></a></li
  ></template>`
  const empty = html`<p class="empty" ${items.length > 0 ? html` hidden` : null}>${t('No media found.')}</p>`
  const tiles = items.map(
    (item) =>
      html`<li>
        <input
          type="checkbox"
          class="choose"
          name="ids[]"
          value="${item.id}"
          aria-label="${t('Select {title}', { title: nameOf(item) })}"
        />
        <a href="${view.url(`media/${item.id}`)}">${picture(item)}<span>${nameOf(item)}</span></a>
      </li>`,
  )
  return html`${tile}
    <div class="list-tools alone">${sortMenu(view)}</div>
    <form method="post" action="${view.here()}" class="bulk" data-partial>
      ${view.formFields()} ${empty}
      <ul class="media-grid" id="media-grid" data-choose="${t('Select {title}')}">
        ${tiles}
      </ul>
      <div class="bulk-actions" id="media-bulk" ${items.length === 0 ? html` hidden` : null}>
        <label for="bulk-do">${t('Bulk actions')}</label>
        <select name="do" id="bulk-do">
          ${bulkChoices(view).map(({ value, label }) => html`<option value="${value}">${label}</option>`)}
        </select>
        <button type="submit">${t('Apply')}</button>
        <span class="chosen" aria-live="polite"></span>
      </div>
    </form>
    ${pagingHtml(view, paging)}`
}

/** Renders links that sort the grid; the list is sorted by its headings. */
function sortMenu(view: AdminView): PageHtml {
  const { t } = view
  const orders = [
    { orderby: 'date', order: 'desc', label: t('sort|Newest first') },
    { orderby: 'date', order: 'asc', label: t('sort|Oldest first') },
    { orderby: 'title', order: 'asc', label: t('sort|Title, A to Z') },
    { orderby: 'title', order: 'desc', label: t('sort|Title, Z to A') },
    { orderby: 'modified', order: 'desc', label: t('Last change') },
  ]
  const here = orderOf(view.query)
  const links = orders.map(({ orderby, order, label }) => {
    const isHere = orderby === here.orderby && order === here.order
    const url = view.here({ orderby, order, cursor: undefined })
    return html`<li><a href="${url}" ${isHere ? html` aria-current="true"` : null}>${label}</a></li>`
  })
  return html`<details class="pop pop-end" name="pop">
    <summary class="button">${view.icon('arrow-down')}${t('list|Sort')}</summary>
    <div class="pop-box" data-partial>
      <ul class="plain-list">
        ${links}
      </ul>
    </div>
  </details>`
}

function table(view: AdminView, items: readonly Attachment[], paging: Paging): Promise<PageHtml> {
  const { t } = view
  const columns: ListColumn<Attachment>[] = [
    {
      name: 'title',
      label: t('File'),
      orderby: 'title',
      cell: (item) =>
        html`<a class="media-row" href="${view.url(`media/${item.id}`)}">${picture(item)} ${nameOf(item)}</a>`,
    },
    {
      name: 'alt',
      label: t('Alt text'),
      cell: (item) => item.alt_text || (item.media_details.decorative === true ? t('image|Decorative') : '–'),
    },
    { name: 'type', label: t('Type'), cell: (item) => item.mime_type },
    { name: 'size', label: t('Size'), cell: (item) => sizeText(view, item.filesize) },
    {
      name: 'date',
      label: t('Date'),
      orderby: 'date',
      cell: (item) => view.date(item.date_gmt),
    },
  ]
  return listHtml(view, {
    name: 'media',
    caption: t('Files'),
    items,
    idOf: ({ id }) => id,
    titleOf: nameOf,
    columns,
    empty: t('No media found.'),
    bulk: bulkChoices(view),
    ...orderOf(view.query),
    paging,
  })
}

export const actions = {
  /** Renders a form for the alternative texts of the selected images. */
  async alt(view: AdminView): Promise<AdminContent | SitePage> {
    const { t } = view
    const items = await readChosenFiles(view)
    const images = items.filter(({ mime_type: type }) => type.startsWith('image/'))
    if (images.length === 0) return redirectWithError(view)
    const fields = images.map(
      (item) =>
        html`<li class="card">
          <img src="${thumbnailOf(item)}" alt="" />
          ${textField({ name: `alt-${item.id}`, label: nameOf(item), value: item.alt_text })}
        </li>`,
    )
    return {
      title: t('Alt text'),
      main: html`<p>${t('Describe each image for people who can’t see it.')}</p>
        ${view.formStart('save-alt', html` data-guard`)}
        ${images.map(({ id }) => html`<input type="hidden" name="ids[]" value="${id}" />`)}
        <ul class="cards plain-list">
          ${fields}
        </ul>
        <p class="actions">
          <button type="submit" class="primary">${t('Save')}</button>
          <a href="${view.here()}">${t('Cancel')}</a>
        </p></form>`,
    }
  },

  async 'save-alt'(view: AdminView): Promise<SitePage> {
    const items = await readChosenFiles(view)
    const change = async (item: Attachment) => {
      const text = view.text(`alt-${item.id}`)
      if (text === item.alt_text) return false
      await view.ask('POST', `media/${item.id}`, { body: { alt_text: text } })
      return true
    }
    return redirectWithResult(view, await changeFiles(items, change), 'alt')
  },

  /** Asks for confirmation before deleting, and shows where each file is used. */
  async 'delete-chosen'(view: AdminView): Promise<AdminContent | SitePage> {
    const { t } = view
    const items = await readChosenFiles(view)
    if (items.length === 0) return redirectWithError(view)
    const rows: PageHtml[] = []
    // One after the other, because each request searches the posts of the site.
    for (const item of items) rows.push(html`<li>${nameOf(item)}: ${await usedText(view, item.id)}</li>`)
    return {
      title: view.count(items.length, 'Delete 1 file?', 'Delete {count} files?'),
      main: html`<p>${t('Deleted files can’t be recovered. Pages that use them will show nothing in their place.')}</p>
        <ul>
          ${rows}
        </ul>
        ${view.formStart('delete-confirmed')} ${items.map(({ id }) => html`<input type="hidden" name="ids[]" value="${id}" />`)}
        <p class="actions">
          <button type="submit" class="danger">${t('Delete permanently')}</button>
          <a href="${view.here()}">${t('Cancel')}</a>
        </p></form>`,
    }
  },

  async 'delete-confirmed'(view: AdminView): Promise<SitePage> {
    const remove = async ({ id }: Attachment) => {
      await view.ask('DELETE', `media/${id}`, { query: { force: 'true' } })
      return true
    }
    return redirectWithResult(view, await changeFiles(await readChosenFiles(view), remove), 'delete')
  },
}

/** Returns the selected files in the order of the list, at most one page. */
async function readChosenFiles(view: AdminView): Promise<readonly Attachment[]> {
  const ids = view.texts('ids').map(Number).filter(Number.isSafeInteger).slice(0, MAX_PER_PAGE)
  if (ids.length === 0) return []
  const query = { include: ids, orderby: 'include', per_page: MAX_PER_PAGE, context: 'edit', _fields: LIST_FIELDS }
  return (await view.ask<Attachment[]>('GET', 'media', { query })).data
}

/** Performs an action on several files; an error does not stop the remaining files. */
async function changeFiles(items: readonly Attachment[], act: (item: Attachment) => Promise<boolean>) {
  const refused: string[] = []
  let done = 0
  for (const item of items) {
    try {
      if (await act(item)) done += 1
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      refused.push(`${nameOf(item)}: ${error.message}`)
    }
  }
  return { done, refused }
}

function redirectWithResult(
  view: AdminView,
  { done, refused }: { done: number; refused: string[] },
  action: 'alt' | 'delete',
): SitePage {
  const { t, count } = view
  const number =
    action === 'alt'
      ? count(done, 'Alt text of 1 file updated.', 'Alt text of {count} files updated.')
      : count(done, '1 file permanently deleted.', '{count} files permanently deleted.')
  const text = refused.length === 0 ? number : `${number} ${t('Not completed:')} ${refused.join(' ')}`
  return view.redirect(view.here(), { kind: refused.length === 0 ? 'done' : 'error', text })
}

function redirectWithError(view: AdminView): SitePage {
  return view.redirect(view.here(), { kind: 'error', text: view.t('You can’t do this with the selected files.') })
}

/** Returns the number of places that use a file, as text. */
async function usedText(view: AdminView, id: number): Promise<string> {
  const usage = await view.find<{ posts: { title: { rendered: string } }[]; site: string[] }>(`media/${id}/usage`)
  const number = (usage?.posts.length ?? 0) + (usage?.site.length ?? 0)
  return number === 0 ? view.t('Not used anywhere.') : view.count(number, 'used in 1 place', 'used in {count} places')
}
