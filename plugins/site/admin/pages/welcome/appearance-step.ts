import { addQuery } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { shownValues } from '../../parts/lost-updates.ts'
import {
  activateTheme,
  applyVariation,
  paletteHtml,
  readAppearance,
  storeAppearance,
  variationButtons,
} from '../appearance/appearance.ts'
import { appearanceValues } from '../appearance/styles.ts'
import { shownThemes, type ShownTheme } from '../appearance/themes.ts'
import type { Step } from './step.ts'

/** The step that selects the theme and its colors, next to a preview of the front page. */
export const appearanceStep: Step = {
  async show(view, typed) {
    const { t } = view
    const appearance = await readAppearance(view)
    const stored = appearanceValues(appearance.theme, appearance.own)
    const values = { ...stored, ...(typed?.values as Readonly<Record<string, string>> | undefined) }
    const themes = view.can('switch_themes') ? await shownThemes(view) : []
    const variations = await variationButtons(view, appearance)
    const { stylesheet } = await view.plugin.services.themes.active()
    // Also for the active theme: in a preview, the page has no bar for users.
    const previewUrl = (theme: string) => addQuery(view.plugin.urls.site('/'), { theme_preview: theme })
    const styles = html`<section>
      <h2>${t('Style variations')}</h2>
      <p>${t('A variation replaces all colors.')}</p>
      <p class="actions">${variations}</p>
    </section>`
    return {
      about: html`<p>${t('The preview shows your choice. You can change it at any time under Appearance.')}</p>`,
      fields: html`${shownValues(stored)} ${themes.length > 1 ? themesField(view, themes, previewUrl) : null}
        <div data-welcome-colors>${paletteHtml(view, appearance, values, typed?.errors ?? {})}</div>
        <p hidden data-welcome-note>${t('Apply the theme to choose its colors.')}</p>
        ${themes.length > 1 ? html`<p><button type="submit" name="stay" value="1">${t('Apply')}</button></p>` : null}`,
      further: html`${variations.length > 0 ? styles : null}
        <section class="welcome-preview">
          <h2>${t('Site preview')}</h2>
          <iframe
            src="${previewUrl(stylesheet)}"
            sandbox="allow-same-origin"
            title="${t('Preview of the front page')}"
            data-welcome-frame
            data-mark="${view.plugin.branding.blockMark}"
          ></iframe>
        </section>`,
      button: t('Save and continue'),
      isWrong: typed !== undefined,
    }
  },
  async save(view, next) {
    const isStaying = view.text('stay') !== ''
    const { stylesheet } = await view.plugin.services.themes.active()
    const chosen = view.text('theme')
    // The colors of the form belong to the former theme.
    if (chosen !== '' && chosen !== stylesheet) {
      const name = await activateTheme(view)
      const notice = { kind: 'done', text: view.t('{theme} activated.', { theme: name }) } as const
      return { redirect: view.redirect(isStaying ? view.here() : await next(), notice) }
    }
    const typed = await storeAppearance(view)
    return typed ?? { redirect: view.redirect(isStaying ? view.here() : await next()) }
  },
  actions: {
    async variation(view) {
      await applyVariation(view)
      return view.redirect(view.here(), { kind: 'done', text: view.t('Appearance saved.') })
    },
  },
}

/** Renders a radio button with a picture for each theme. */
function themesField({ t }: AdminView, themes: readonly ShownTheme[], previewUrl: (theme: string) => string): PageHtml {
  const items = themes.map(({ stylesheet, status, name, description, screenshot }) => {
    const id = `theme-${stylesheet}`
    const isActive = status === 'active'
    const image = screenshot === '' ? null : html`<img src="${screenshot}" alt="" width="800" height="600" />`
    return html`<li class="card">
      <label>
        ${image}
        <span>
          <input
            type="radio"
            name="theme"
            value="${stylesheet}"
            data-url="${previewUrl(stylesheet)}"
            aria-describedby="${id}-about"
            ${isActive ? html` checked data-active` : null}
          />
          ${name.raw}
        </span>
      </label>
      <p id="${id}-about">${description.raw}</p>
    </li>`
  })
  return html`<fieldset class="field">
    <legend>${t('Theme')}</legend>
    <ul class="cards welcome-themes">
      ${items}
    </ul>
  </fieldset>`
}
