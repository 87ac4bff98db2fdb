import type { PluginContext } from '../../../kernel/index.ts'
import type { Words } from '../../foundation/translations/index.ts'
import { html, type PageHtml } from '../../library/markup/index.ts'
import type { ShownPage } from './hooks.ts'

/** Styles of the bar, the same in every theme. */
export const EDIT_BAR_STYLE =
  '.edit-bar{background:#1d2327;color:#fff;font:14px/1.5 system-ui,sans-serif}' +
  '.edit-bar ul{display:flex;flex-wrap:wrap;gap:0 1.25rem;list-style:none;margin:0;padding:.25rem 1rem}' +
  '.edit-bar a,.edit-bar button{background:none;border:0;color:#fff;cursor:pointer;display:inline-block;font:inherit;margin:0;min-height:24px;padding:.125rem 0;text-decoration:underline}' +
  '.edit-bar a:focus-visible,.edit-bar button:focus-visible{outline:2px solid #fff;outline-offset:2px}' +
  '@media print{.edit-bar{display:none}}'

/** Links to the admin pages that edit the shown content; null for visitors, or without the plugin `admin`. */
export async function editBar(
  plugin: PluginContext,
  { found, user, scope }: ShownPage,
  words: Words,
): Promise<PageHtml | null> {
  const { branding, has, services, urls } = plugin
  if (user.session === undefined || !has('admin') || !has('cookie-auth')) return null
  const admin = (path: string) => urls.site(`${branding.adminPath}${path}`)
  const links: PageHtml[] = [link(admin(''), words.t('Admin'))]
  const { capabilities } = services
  if (found?.kind === 'post') {
    const { post } = found
    if (await services.posts.isEditable(post, user, scope)) {
      const { type, id } = post
      const isInstalled = has('editor') && services.editor.installed
      if (isInstalled && type !== 'attachment') links.push(link(services.editor.urlOf(type, id), words.t('Edit')))
      links.push(
        link(
          type === 'attachment' ? admin(`media/${id}`) : services.admin.editUrl(type, id),
          isInstalled && type !== 'attachment' ? words.t('Edit (plain editor)') : words.t('Edit'),
        ),
      )
    }
  }
  if (found?.kind === 'term') {
    const { term } = found
    if (capabilities.can(user, 'edit_term', term))
      links.push(link(admin(`terms/${term.taxonomy}/${term.id}`), words.t('Edit')))
  }
  if (found?.kind === 'author' && capabilities.can(user, 'edit_user', { id: found.user.id }))
    links.push(link(admin(found.user.id === user.id ? 'account' : `users/${found.user.id}`), words.t('Edit')))
  const out = html`<form method="post" action="${urls.site(branding.loginPath)}">
    <input type="hidden" name="action" value="logout" /><input
      type="hidden"
      name="${branding.nonceParameter}"
      value="${services.nonces.create('log-out', user)}"
    /><button type="submit">${words.t('Log out')}</button>
  </form>`
  const items = [...links, out].map((item) => html`<li>${item}</li>`)
  return html`<nav class="edit-bar" aria-label="${words.t('Toolbar')}">
    <ul>
      ${items}
    </ul>
  </nav>`
}

function link(href: string, label: string): PageHtml {
  return html`<a href="${href}">${label}</a>`
}
