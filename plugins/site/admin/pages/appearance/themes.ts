import { addQuery } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView } from '../../frame/view.ts'

/** A theme as the REST API returns it. */
export interface ShownTheme {
  readonly stylesheet: string
  readonly status: 'active' | 'inactive'
  readonly version: string
  readonly name: { readonly raw: string }
  readonly description: { readonly raw: string }
  /** URL; '' for none. */
  readonly screenshot: string
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

function activateHtml(view: AdminView, theme: string, name: string): PageHtml {
  const label = html` aria-label="${view.t('Activate {theme}', { theme: name })}"`
  return view.button(view.t('theme|Activate'), 'theme', { theme }, label)
}

/**
 * Shows the front page with the theme that the parameter `preview` names, before it is active; null without the parameter,
 * and for users who cannot switch themes.
 */
export async function previewHtml(view: AdminView): Promise<PageHtml | null> {
  const { plugin, t } = view
  const name = view.query.get('preview')
  if (name === null || !view.can('switch_themes')) return null
  const theme = await plugin.services.themes.get(name)
  if (theme === undefined || theme.status === 'active' || !theme.isBlockTheme) return null
  const url = addQuery(plugin.urls.site('/'), { theme_preview: theme.stylesheet })
  return html`<section class="appearance-preview">
    <h2>${t('Preview of {theme}', { theme: theme.name })}</h2>
    <p>${t('Only you see this preview. Visitors see the theme after you activate it.')}</p>
    <div class="actions">
      ${activateHtml(view, theme.stylesheet, theme.name)}
      <a class="button" href="${view.here()}">${t('Cancel')}</a>
      <a href="${url}">${t('Open the preview alone')}</a>
    </div>
    <iframe
      class="appearance-frame"
      src="${url}"
      sandbox="allow-same-origin"
      title="${t('Preview of the front page')}"
    ></iframe>
  </section>`
}

/** Returns all themes for users who can switch themes, and the active theme for other users. */
export async function shownThemes(view: AdminView): Promise<ShownTheme[]> {
  const query = view.can('switch_themes') ? {} : { status: ['active'] }
  return (await view.ask<ShownTheme[]>('GET', 'themes', { query })).data
}

/** Lists all themes for users who can switch themes, and the active theme for other users. */
export async function themesHtml(view: AdminView): Promise<PageHtml> {
  const { t } = view
  const cards = (await shownThemes(view)).map(({ stylesheet, status, version, name, description, screenshot }) => {
    const use =
      status === 'active'
        ? html`<span class="badge">${t('theme|Active')}</span>`
        : html`<a
              class="button"
              href="${view.here({ preview: stylesheet })}"
              aria-label="${t('Preview {theme}', { theme: name.raw })}"
              >${t('Preview')}</a
            >
            ${activateHtml(view, stylesheet, name.raw)}`
    const image =
      screenshot === ''
        ? null
        : html`<img class="appearance-screenshot" src="${screenshot}" alt="" width="800" height="600" loading="lazy" />`
    return html`<li class="card">
      ${image}
      <h3>${name.raw} ${version}</h3>
      <p>${description.raw}</p>
      <div class="actions">${use}</div>
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
