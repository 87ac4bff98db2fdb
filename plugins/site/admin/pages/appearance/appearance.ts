import { RestError, type HeaderMap } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { errors as adminErrors } from '../../errors.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminContent, AdminHandler } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { selectField, textField } from '../../parts/fields.ts'
import { formChanges, lostErrors, shownValues, withoutLoss } from '../../parts/lost-updates.ts'
import { contrastOf, toHexColor } from './contrast.ts'
import {
  appearanceValues,
  fontsOf,
  paletteOf,
  resolveColor,
  stylesOf,
  valueAt,
  withChanges,
  type Preset,
  type Styles,
  type Tree,
} from './styles.ts'
import { editedThemeHtml, previewHtml, themesHtml } from './themes.ts'

/** The styles of the theme that pages use. */
export interface Appearance {
  readonly stylesheet: string
  /** Path of the route of the user's styles. */
  readonly path: string
  readonly theme: Styles
  readonly own: Styles
}

/** Submitted values that were not stored. */
export interface Typed {
  readonly values: Readonly<Record<string, string>>
  readonly errors: Readonly<Record<string, string>>
}

/** Minimum contrast of text (WCAG 2, AA). */
const MIN_CONTRAST_RATIO = 4.5
const LENGTH = /^\d{1,5}(?:\.\d{1,3})?(?:px|em|rem|vw|%|ch)$/
const FONTS = ['body_font', 'heading_font'] as const
const COLORS = ['background', 'text', 'link'] as const
const SIZES = ['content_size', 'wide_size'] as const

/** The page that edits the appearance: theme, colors, fonts and widths. */
export async function show(view: AdminView, typed?: Typed): Promise<AdminContent> {
  const { t } = view
  const appearance = await readAppearance(view)
  const stored = appearanceValues(appearance.theme, appearance.own)
  const values = { ...stored, ...typed?.values }
  const home = view.plugin.urls.site('/')
  return {
    ...(typed !== undefined && { status: 400 }),
    skipTo: 'form',
    main: html`${typed === undefined ? null : noticeHtml({ kind: 'error', text: t('Not saved. Please fix the highlighted fields.') })}
      ${await previewHtml(view)} ${await themesHtml(view)} ${await editedThemeHtml(view)}
      <div class="columns">
        <div>
          ${view.formStart('save', html` data-guard data-appearance id="form" tabindex="-1"`)} ${shownValues(stored)}
          ${fieldsHtml(view, appearance, values, typed?.errors ?? {})}
          <p><button type="submit" class="primary">${t('Save')}</button></p></form>
          ${await variationsHtml(view, appearance)} ${await revisionsHtml(view, appearance)}
        </div>
        <div>
          <section>
            <h2>${t('Sample')}</h2>
            <div class="appearance-sample" data-sample>
              <h3>${t('Sample heading')}</h3>
              <p>${t('Sample text as it appears on the site, with')} <span class="link">${t('a link')}</span>.</p>
            </div>
            ${contrastHtml(view, appearance, values)}
          </section>
          <section>
            <h2>${t('Site preview')}</h2>
            <iframe class="appearance-frame" src="${home}" sandbox title="${t('Preview of the front page')}"></iframe>
            <p><a href="${home}">${t('Visit site')}</a></p>
          </section>
        </div>
      </div>`,
  }
}

export const actions: Readonly<Record<string, AdminHandler>> = {
  async save(view) {
    const typed = await storeAppearance(view)
    if (typed !== null) return show(view, typed)
    return view.redirect(view.here(), { kind: 'done', text: view.t('Appearance saved.') })
  },
  async variation(view) {
    await applyVariation(view)
    return view.redirect(view.here(), { kind: 'done', text: view.t('Appearance saved.') })
  },
  async reset(view) {
    await store(view, (await readAppearance(view)).path, { settings: {}, styles: {} })
    return view.redirect(view.here(), { kind: 'done', text: view.t('Reset to theme defaults.') })
  },
  async restore(view) {
    const { path } = await readAppearance(view)
    const { data } = await view.ask<Tree>('GET', `${path}/revisions/${encodeURIComponent(view.text('revision'))}`)
    await store(view, path, stylesOf(data))
    return view.redirect(view.here(), { kind: 'done', text: view.t('Earlier appearance restored.') })
  },
  async theme(view) {
    const name = await activateTheme(view)
    return view.redirect(view.here(), { kind: 'done', text: view.t('{theme} activated.', { theme: name }) })
  },
}

/** Activates the theme of the form. @returns its name @throws admin_forbidden, admin_nothing_chosen */
export async function activateTheme(view: AdminView): Promise<string> {
  // No route of the REST API activates themes.
  if (!view.can('switch_themes')) throw adminErrors.admin_forbidden()
  const theme = await view.plugin.services.themes.activate(view.text('theme'))
  if (theme === null) throw adminErrors.admin_nothing_chosen()
  return theme.name
}

/** Replaces the styles of the user with the style variation of the form. @throws admin_nothing_chosen */
export async function applyVariation(view: AdminView): Promise<void> {
  const appearance = await readAppearance(view)
  const found = (await variationsOf(view, appearance)).find(({ title }) => title === view.text('title'))
  if (found === undefined) throw adminErrors.admin_nothing_chosen()
  await store(view, appearance.path, stylesOf(found))
}

/** Stores the changes of the form. @returns null if they were stored, otherwise the values and errors for the form */
export async function storeAppearance(view: AdminView): Promise<Typed | null> {
  const { path } = await readAppearance(view)
  return withoutLoss(view, { path, query: { context: 'edit' } }, (headers) => save(view, headers))
}

async function save(view: AdminView, headers: HeaderMap): Promise<Typed | null> {
  const appearance = await readAppearance(view)
  const stored = appearanceValues(appearance.theme, appearance.own)
  const values: Record<string, string> = {}
  for (const name of Object.keys(stored)) if (typeof view.form[name] === 'string') values[name] = view.text(name).trim()
  const { changed, lost } = formChanges(view, values, stored)
  const errors = { ...problems(view, appearance, changed), ...lostErrors(view, lost) }
  if (Object.keys(errors).length > 0) return { values, errors }
  if (Object.keys(changed).length > 0)
    await store(view, appearance.path, withChanges(appearance.theme, appearance.own, changed), headers)
  return null
}

/** Reads the styles of the theme and of the user. */
export async function readAppearance(view: AdminView): Promise<Appearance> {
  const { globalStyles, themes } = view.plugin.services
  const { stylesheet } = await themes.shown()
  const path = `global-styles/${await globalStyles.idOf(stylesheet)}`
  const [own, ofTheme] = await Promise.all([
    view.ask<Tree>('GET', path, { query: { context: 'edit' } }),
    view.ask<Tree>('GET', `global-styles/themes/${stylesheet}`),
  ])
  return { stylesheet, path, own: stylesOf(own.data), theme: stylesOf(ofTheme.data) }
}

async function store(view: AdminView, path: string, { settings, styles }: Styles, headers?: HeaderMap): Promise<void> {
  await view.ask('POST', path, { body: { settings, styles }, ...(headers !== undefined && { headers }) })
}

function fieldsHtml(
  view: AdminView,
  { theme, own }: Appearance,
  values: Readonly<Record<string, string>>,
  errors: Readonly<Record<string, string>>,
): PageHtml {
  const { t } = view
  const [palette, fonts] = [paletteOf(theme, own), fontsOf(theme, own)]
  const labels = {
    background: t('color|Background'),
    text: t('color|Text'),
    link: t('color|Links'),
    body_font: t('Body font'),
    heading_font: t('Heading font'),
    content_size: t('Content width'),
    wide_size: t('Wide width'),
  }
  const choice = (name: (typeof FONTS)[number] | (typeof COLORS)[number], presets: readonly Preset[]) => {
    const value = values[name] ?? ''
    const presetChoices = presets.map((one) => ({ value: one.slug, label: t(`theme|${one.name}`) }))
    const isKnown = value === '' || presets.some(({ slug }) => slug === value)
    const ofTheme = valueAt(theme, name)
    const preset = presets.find(({ slug }) => slug === ofTheme)
    const inUse = preset === undefined ? ofTheme : t(`theme|${preset.name}`)
    const none = inUse === '' ? t('Theme default') : t('Theme default ({name})', { name: inUse })
    return selectField({
      name,
      label: labels[name],
      value,
      choices: [{ value: '', label: none }, ...presetChoices, ...(isKnown ? [] : [{ value, label: value }])],
      error: errors[name],
      attributes: html` data-look="${name}" data-theme="${ofTheme}"`,
    })
  }
  const sizes = SIZES.map((name) =>
    textField({
      name,
      label: labels[name],
      value: values[name] ?? '',
      error: errors[name],
      hint: t('Include a unit, such as 42rem. Leave empty for the theme default ({size}).', {
        size: valueAt(theme, name) || '–',
      }),
      attributes: html` maxlength="20"`,
    }),
  )
  const families = Object.fromEntries(fonts.map(({ slug, value }) => [slug, value]))
  return html`<div hidden data-fonts="${JSON.stringify(families)}"></div>
    ${paletteHtml(view, { theme, own }, values, errors)} ${COLORS.map((name) => choice(name, palette))}
    ${FONTS.map((name) => choice(name, fonts))} ${sizes}`
}

/** Renders a field for each color of the theme. */
export function paletteHtml(
  { t }: AdminView,
  { theme, own }: Pick<Appearance, 'theme' | 'own'>,
  values: Readonly<Record<string, string>>,
  errors: Readonly<Record<string, string>>,
): PageHtml {
  const fields = paletteOf(theme, own).map(({ slug, name, value }) => {
    const shown = values[`color.${slug}`] ?? value
    const isHex = toHexColor(shown) !== null
    return textField({
      name: `color.${slug}`,
      label: t(`theme|${name}`),
      value: shown,
      type: isHex ? 'color' : 'text',
      error: errors[`color.${slug}`],
      attributes: html` data-colour="${slug}"`,
    })
  })
  return html`<fieldset class="field">
    <legend>${t('Theme colors')}</legend>
    <div class="appearance-colours">${fields}</div>
  </fieldset>`
}

/** Shows the contrast of text with the colors of the form. */
function contrastHtml(view: AdminView, { theme, own }: Appearance, values: Readonly<Record<string, string>>): PageHtml {
  const { t } = view
  const palette = paletteOf(theme, own).map((one) => ({ ...one, value: values[`color.${one.slug}`] ?? one.value }))
  const of = (name: (typeof COLORS)[number]) => resolveColor(values[name] || valueAt(theme, name), palette)
  const background = of('background')
  const low = t('Low contrast: use a ratio of at least 4.5:1.')
  const rows = (['text', 'link'] as const).map((name) => {
    const color = of(name)
    const label = name === 'text' ? t('Text on background') : t('Links on background')
    const data = html` data-contrast="${name}" data-label="${label}"`
    if (background === null || color === null) return html`<li${data}>${label}: ${t('unknown')}</li>`
    const ratio = contrastOf(background, color)
    const shown = new Intl.NumberFormat(view.words.language, { maximumFractionDigits: 1 }).format(ratio)
    return ratio >= MIN_CONTRAST_RATIO
      ? html`<li${data}>${label}: ${shown} : 1</li>`
      : html`<li class="notice warning" ${data}>${label}: ${shown} : 1. ${low}</li>`
  })
  return html`<h3>${t('Contrast')}</h3>
    <ul class="choices" data-contrasts data-low="${low}" data-unknown="${t('unknown')}">
      ${rows}
    </ul>`
}

function problems(
  view: AdminView,
  { theme, own }: Appearance,
  changed: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const { t } = view
  const errors: Record<string, string> = {}
  const slugs = new Set([...paletteOf(theme, own), ...fontsOf(theme, own)].map(({ slug }) => slug))
  for (const [name, value] of Object.entries(changed)) {
    const text = typeof value === 'string' ? value : ''
    if (name.startsWith('color.') && toHexColor(text) === null) errors[name] = t('Enter a hex color, such as #1a2b3c.')
    else if (SIZES.some((size) => size === name) && text !== '' && !LENGTH.test(text))
      errors[name] = t('Include a unit: 42rem, 640px or 80%.')
    else if ([...FONTS, ...COLORS].some((one) => one === name) && text !== '' && !slugs.has(text))
      errors[name] = t('The theme has no preset with this name.')
  }
  return errors
}

async function variationsOf(view: AdminView, { stylesheet }: Appearance): Promise<readonly Tree[]> {
  return (await view.find<Tree[]>(`global-styles/themes/${stylesheet}/variations`)) ?? []
}

/** Renders a button for each style variation of the theme. */
export async function variationButtons(view: AdminView, appearance: Appearance): Promise<PageHtml[]> {
  const titles = (await variationsOf(view, appearance)).flatMap(({ title }) =>
    typeof title === 'string' ? [title] : [],
  )
  return titles.map((title) => view.button(view.t(`theme|${title}`), 'variation', { title }))
}

async function variationsHtml(view: AdminView, appearance: Appearance): Promise<PageHtml> {
  const { t } = view
  const buttons = await variationButtons(view, appearance)
  const sure = html` class="danger" data-confirm="${t('Reset all appearance changes?')}"`
  return html`<section>
    <h2>${t('Style variations')}</h2>
    <p>
      ${t('Applying a variation replaces your colors, fonts and widths. The previous version stays in the history below.')}
    </p>
    <p class="actions">${buttons} ${view.button(t('Reset to theme defaults'), 'reset', {}, sure)}</p>
  </section>`
}

interface Revision {
  readonly id: number
  readonly modified_gmt: string
}

async function revisionsHtml(view: AdminView, { path }: Appearance): Promise<PageHtml | null> {
  const { t } = view
  let revisions: readonly Revision[]
  try {
    revisions = (
      await view.ask<Revision[]>('GET', `${path}/revisions`, { query: { per_page: 10, _fields: 'id,modified_gmt' } })
    ).data
  } catch (error) {
    if (!(error instanceof RestError) || error.status >= 500) throw error
    return null
  }
  if (revisions.length === 0) return null
  const items = revisions.map(
    ({ id, modified_gmt: when }) =>
      html`<li>${view.date(when)} ${view.button(t('Restore'), 'restore', { revision: id })}</li>`,
  )
  return html`<section>
    <h2>${t('History')}</h2>
    <ul>
      ${items}
    </ul>
  </section>`
}
