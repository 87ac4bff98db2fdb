import { html, tableHtml, type AdminContent, type AdminView, type RestError, type SitePage } from '../../public.ts'
import { alertHtml, attemptChange, fieldsHtml, groupsOf, submitted, type ShownRedirect } from './admin-form.ts'
import { textOf } from './fields.ts'

const PAGE_SIZE = 50

/** Lists redirects, with forms that add one and import a file. */
export function show(view: AdminView): Promise<AdminContent> {
  return page(view, null)
}

async function page(view: AdminView, error: RestError | null): Promise<AdminContent> {
  const { t } = view
  const search = view.query.get('search') ?? ''
  const number = Math.max(0, Number(view.query.get('paged') ?? 1) - 1 || 0)
  const query = { per_page: PAGE_SIZE, page: number, ...(search !== '' && { filterBy: { url: search } }) }
  const [groups, { data }] = await Promise.all([
    groupsOf(view),
    view.ask<{ items: ShownRedirect[]; total: number }>('GET', '/redirection/v1/redirect', { query }),
  ])
  const rows = data.items.map((redirect) => {
    const { id, url, action_data: target, action_code: code, hits, enabled } = redirect
    return [
      html`<a href="${view.url(`redirects/${id}`)}">${url}</a>`,
      textOf(target?.['url']) || '–',
      code,
      hits,
      html`${view.button(enabled ? t('Disable') : t('Enable'), enabled ? 'disable' : 'enable', { id })}
      ${view.button(t('Delete'), 'delete', { id }, html` class="danger"`)}`,
    ]
  })
  const columns = [t('Source URL'), t('Target URL'), t('HTTP status'), t('Hits'), t('Actions')]
  const isLast = (number + 1) * PAGE_SIZE >= data.total
  const formats = ['json', 'csv', 'apache', 'nginx']
  return {
    ...(error !== null && { status: 400 }),
    main: html`${alertHtml(view, error)}
      <form method="get" class="filters">
        <label for="search">${t('Search')}</label> <input type="search" id="search" name="search" value="${search}" />
        <button type="submit">${t('Search')}</button>
      </form>
      ${tableHtml({ caption: t('Redirects'), columns, rows })}
      <p>
        ${number > 0 ? html`<a href="${view.here({ paged: number })}">${t('Previous page')}</a>` : null}
        ${isLast ? null : html`<a href="${view.here({ paged: number + 2 })}">${t('Next page')}</a>`}
      </p>
      <section class="card">
        <h2>${t('Add redirect')}</h2>
        ${view.formStart('add')} ${fieldsHtml(view, groups, null)}
        <p><button type="submit" class="primary">${t('Add redirect')}</button></p></form>
      </section>
      <section class="card">
        <h2>${t('Import')}</h2>
        ${view.formStart('import', html` enctype="multipart/form-data"`)}
        <p>
          <label for="file">${t('JSON or CSV of Redirection, or .htaccess')}</label>
          <input type="file" id="file" name="file" required />
        </p>
        <p><button type="submit">${t('Import')}</button></p></form>
        <h2>${t('Export')}</h2>
        <p class="actions">${formats.map((format) => view.button(format, 'export', { format }))}</p>
      </section>`,
  }
}

const done = (view: AdminView, text: string): SitePage => view.redirect(view.url('redirects'), { kind: 'done', text })

async function bulk(view: AdminView, verb: string): Promise<AdminContent | SitePage> {
  const error = await attemptChange(view, `bulk/redirect/${verb}`, { body: { items: [Number(view.text('id'))] } })
  return error === null ? done(view, view.t('Redirects updated.')) : page(view, error)
}

export const actions = {
  async add(view: AdminView): Promise<AdminContent | SitePage> {
    const error = await attemptChange(view, 'redirect', { body: submitted(view, null) })
    return error === null ? done(view, view.t('Redirects updated.')) : page(view, error)
  },

  enable: (view: AdminView) => bulk(view, 'enable'),
  disable: (view: AdminView) => bulk(view, 'disable'),
  delete: (view: AdminView) => bulk(view, 'delete'),

  async import(view: AdminView): Promise<AdminContent | SitePage> {
    const [group] = await groupsOf(view)
    const files = view.files
      .filter(({ size }) => size > 0)
      .map((file) => ({ ...file, name: 'file', read: () => file.read() }))
    const error = await attemptChange(view, `import/file/${group?.id ?? 1}`, { files })
    return error === null ? done(view, view.t('Redirects updated.')) : page(view, error)
  },

  async export(view: AdminView): Promise<SitePage> {
    const names = { json: 'redirects.json', csv: 'redirects.csv', apache: '.htaccess', nginx: 'redirects.conf' }
    const format = view.text('format') in names ? (view.text('format') as keyof typeof names) : 'json'
    const { data } = await view.ask<{ data: string }>('GET', `/redirection/v1/export/all/${format}`)
    const { HeaderMap } = await import('../../public.ts')
    const headers = new HeaderMap({
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="${names[format]}"`,
      'Cache-Control': 'no-store',
    })
    return { status: 200, headers, body: data.data }
  },
}
