import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView } from '../../frame/view.ts'

interface ShownTheme {
  readonly stylesheet: string
  readonly status: 'active' | 'inactive'
  readonly version: string
  readonly name: { readonly raw: string }
  readonly description: { readonly raw: string }
}

/** Returns a notice if pages use the default theme because the active theme lacks files; otherwise null. */
export async function fallbackHtml({ plugin, t }: AdminView): Promise<PageHtml | null> {
  const fallback = plugin.has('themes') ? await plugin.services.themes.fallback() : null
  if (fallback === null) return null
  const { theme, shown, folder } = fallback
  return noticeHtml({
    kind: 'error',
    text: t(
      'The theme {theme} has no templates here, so pages use the theme {shown}. Copy the files of the theme to the folder {folder}, or activate another theme.',
      { theme, shown, folder },
    ),
  })
}

/** Returns a notice that names the edited theme if pages use the default theme instead of the active one. */
export async function editedThemeHtml({ plugin, t }: AdminView): Promise<PageHtml | null> {
  const fallback = await plugin.services.themes.fallback()
  if (fallback === null) return null
  const { theme, shown } = fallback
  const text = t('You are editing {shown}, the theme that pages use. The appearance of {theme} stays stored.', {
    theme,
    shown,
  })
  return html`<p class="notice warning" role="status">${text}</p>`
}

/** Lists all themes for users who can switch themes, and the active theme for other users. */
export async function themesHtml(view: AdminView): Promise<PageHtml> {
  const { t } = view
  const query = view.can('switch_themes') ? {} : { status: ['active'] }
  const { data } = await view.ask<ShownTheme[]>('GET', 'themes', { query })
  const cards = data.map(({ stylesheet, status, version, name, description }) => {
    const use =
      status === 'active'
        ? html`<span class="badge">${t('theme|Active')}</span>`
        : view.button(
            t('theme|Activate'),
            'theme',
            { theme: stylesheet },
            html` aria-label="${t('Activate {theme}', { theme: name.raw })}"`,
          )
    return html`<li class="card">
      <h3>${name.raw} ${version}</h3>
      <p>${description.raw}</p>
      ${use}
    </li>`
  })
  return html`<section>
    <h2>${t('Theme')}</h2>
    ${await fallbackHtml(view)}
    <ul class="cards appearance-themes">
      ${cards}
    </ul>
  </section>`
}
