import type { SitePage } from '../../../../../kernel/index.ts'
import { PRIVACY_PAGE } from '../../../../foundation/settings/index.ts'
import { escapeHtml, html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'

/** Renders the button that creates the page with the privacy policy, or the link to the editor of the chosen page. */
export function privacyPageHtml(view: AdminView, id: number): PageHtml | null {
  const { t } = view
  if (id > 0) return html`<p><a href="${view.url(`content/page/${id}`)}">${t('Edit the privacy policy page')}</a></p>`
  if (!view.can('publish_pages')) return null
  return html`<section class="card">
    <h2>${t('Create a privacy policy page')}</h2>
    <p>${t('Creates a draft with suggested sections. Check and complete the text before you publish it.')}</p>
    ${view.button(t('Create page'), 'create-privacy-page')}
  </section>`
}

/** Creates a draft with suggested sections, and chooses it as the page with the privacy policy. */
export async function createPrivacyPage(view: AdminView): Promise<SitePage> {
  const { t, plugin } = view
  const body = { title: t('Privacy policy'), status: 'draft', content: suggestedText(view) }
  const { data } = await view.ask<{ id: number }>('POST', 'pages', { body })
  await plugin.services.options.set(PRIVACY_PAGE, data.id)
  const text = t('Draft of the privacy policy created.')
  return view.redirect(view.url(`content/page/${data.id}`), { kind: 'done', text })
}

function suggestedText({ t, plugin }: AdminView): string {
  const sections = [
    [
      t('privacy|Who we are'),
      t(
        'privacy|The address of this site is {url}. Add your name, your postal address and an email address for questions.',
        {
          url: plugin.urls.home,
        },
      ),
    ],
    [
      t('privacy|Comments'),
      t(
        'privacy|When you leave a comment, we store the name, email address, website and text that you enter, and your IP address. We need them to show the comment and to detect spam.',
      ),
    ],
    [
      t('privacy|Cookies'),
      t(
        'privacy|When you log in, this site sets a cookie that identifies your session until you log out or the session expires. Visitors who do not log in get no cookies from this site.',
      ),
    ],
    [
      t('privacy|Content of other sites'),
      t(
        'privacy|Pages of this site can contain content of other sites, such as videos. Those sites can collect data about you as if you had visited them.',
      ),
    ],
    [
      t('privacy|How long we keep data'),
      t(
        'privacy|Comments and their data are kept until they are deleted. Users can see and change the data of their account at any time.',
      ),
    ],
    [
      t('privacy|Your rights'),
      t(
        'privacy|You can ask us for a copy of the data that we store about you, and ask us to correct or delete it, except for data that we must keep by law.',
      ),
    ],
  ] as const
  const mark = plugin.branding.blockMark
  return sections
    .flatMap(([heading, text]) => [block(mark, 'heading', heading), block(mark, 'paragraph', text)])
    .join('\n\n')
}

/** Renders a block as the block editor saves it. @param mark of the block comments and classes */
function block(mark: string, name: 'heading' | 'paragraph', text: string): string {
  const inside =
    name === 'heading' ? `<h2 class="${mark}-block-heading">${escapeHtml(text)}</h2>` : `<p>${escapeHtml(text)}</p>`
  return `<!-- ${mark}:${name} -->\n${inside}\n<!-- /${mark}:${name} -->`
}
