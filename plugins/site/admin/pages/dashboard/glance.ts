import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { totalOf } from '../../parts/filters.ts'
import { listedTypes, pluralOf, routeOf } from '../content/types.ts'

/** A number of items, with a link to their list. */
interface Total {
  readonly label: string
  readonly href: string
  readonly total: number | null
}

/** Shows how many posts, pages, files, comments and users the site has, for the lists that the user can open. */
export async function glance(view: AdminView): Promise<PageHtml | null> {
  const { t } = view
  if (!view.can('edit_posts')) return null
  const types = (await listedTypes(view)).filter(({ viewable }) => viewable)
  const totals = await Promise.all([
    ...types.map(async (type): Promise<Total> => {
      const total = await totalOf(view, routeOf(type), { status: 'publish', context: 'edit' })
      return { label: pluralOf(view, type), href: view.url(`content/${type.slug}`, { status: 'publish' }), total }
    }),
    totalIf(view, 'upload_files', { label: t('Files'), path: 'media' }),
    totalIf(view, 'moderate_comments', { label: t('Comments'), path: 'comments', status: 'approve' }),
    totalIf(view, 'list_users', { label: t('Users'), path: 'users' }),
  ])
  const items = totals.flatMap(({ label, href, total }) =>
    total === null
      ? []
      : [
          html`<li>
            <a href="${href}"><strong>${new Intl.NumberFormat(view.words.language).format(total)}</strong> ${label}</a>
          </li>`,
        ],
  )
  return html`<ul class="glance">
    ${items}
  </ul>`
}

async function totalIf(
  view: AdminView,
  capability: string,
  { label, path, status }: { readonly label: string; readonly path: string; readonly status?: string },
): Promise<Total> {
  const query = { context: 'edit', status }
  const total = view.can(capability) ? await totalOf(view, path, query) : null
  return { label, href: view.url(path, { status }), total }
}
