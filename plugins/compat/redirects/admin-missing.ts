import { html, tableHtml, type AdminContent, type AdminView, type SitePage } from '../../public.ts'

/** A URL that was not found, as the REST API shows it. */
interface ShownMissing {
  readonly id: string
  readonly url: string
  readonly hits: number
  readonly referrer: string
  readonly created: string
}

/** Lists URLs that were not found, each with a link that redirects it. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t } = view
  const query = { per_page: 100, orderby: 'total' }
  const { data } = await view.ask<{ items: ShownMissing[] }>('GET', '/redirection/v1/404', { query })
  if (data.items.length === 0)
    return { main: html`<p class="empty">${t('No visitor has requested a missing page.')}</p>` }
  const columns = [t('Source URL'), t('Hits'), t('Referrer'), t('Date'), t('Actions')]
  const rows = data.items.map(({ id, url, hits, referrer, created }) => [
    url,
    hits,
    referrer || '–',
    view.date(created.replace(' ', 'T')),
    html`<a href="${view.url('redirects', { url })}#url">${t('Create redirect')}</a>
      ${view.button(t('Delete'), 'delete', { id }, html` class="danger"`)}`,
  ])
  return { main: tableHtml({ caption: t('Pages not found'), columns, rows }) }
}

export const actions = {
  async delete(view: AdminView): Promise<SitePage> {
    await view.ask('POST', '/redirection/v1/bulk/404/delete', { body: { items: [view.text('id')] } })
    return view.redirect(view.url('redirects/missing'))
  },
}
