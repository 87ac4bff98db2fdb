import { PRIVACY_PAGE } from '../../../../foundation/settings/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { errors as adminErrors } from '../../errors.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView } from '../../frame/view.ts'
import { shownValues } from '../../parts/lost-updates.ts'
import { MEDIA_PICKER, mediaPicker } from '../../parts/media-picker.ts'
import { routeSchemas } from '../../parts/route-schema.ts'
import type { Schemas, Values } from '../../parts/schema-fields.ts'
import { tableHtml } from '../../parts/table.ts'
import type { AdminContent, AdminHandler } from '../../admin.ts'
import { GROUPS, groupTabs, PLUGIN_SETTINGS, type Section } from './groups.ts'
import { createPrivacyPage, privacyPageHtml } from './privacy.ts'
import { ownSchemas } from './own-settings.ts'
import { IMAGE_SETTINGS, settingFields, settingLabel } from './setting-fields.ts'
import { storedValues, storeSettings, type Typed } from './store-settings.ts'

/** Renders a page of settings. */
export async function show(view: AdminView, typed?: Typed): Promise<AdminContent> {
  const { t } = view
  const { name, label, schemas, sections, further } = await groupOf(view)
  const stored = await storedValues(view, schemas)
  const errors = typed?.errors ?? {}
  const isWrong = Object.keys(errors).length > 0
  const hasImages = IMAGE_SETTINGS.some((image) => Object.hasOwn(schemas, image))
  const values = { ...stored, ...typed?.values }
  const fields = await Promise.all(
    sections.map(async (section) => {
      const some = pick(schemas, section.settings)
      if (Object.keys(some).length === 0) return html``
      const heading = section.label === undefined ? null : html`<h2>${t(section.label)}</h2>`
      return html`<section>${heading}${await settingFields(view, some, values, errors)}</section>`
    }),
  )
  const error = isWrong ? noticeHtml({ kind: 'error', text: t('Not saved. Please fix the highlighted fields.') }) : null
  return {
    skipTo: 'form',
    title: t('Settings: {group}', { group: t(label) }),
    ...(isWrong && { status: 400 }),
    ...(hasImages && MEDIA_PICKER),
    main: html`${groupTabs(view, name, further)} ${error}
      ${typed?.preview === undefined ? null : previewHtml(view, schemas, stored, typed.preview)}
      ${view.formStart('save', html` data-guard class="settings" id="form" tabindex="-1"`)} ${shownValues(stored)} ${fields}
      <p class="actions">
        <button type="submit" class="primary">${t('Save')}</button>
        <button type="submit" name="preview" value="1">${t('Preview changes')}</button>
      </p></form>
      ${hasImages ? mediaPicker(view) : null}
      ${Object.hasOwn(schemas, PRIVACY_PAGE) ? privacyPageHtml(view, Number(stored[PRIVACY_PAGE]) || 0) : null}`,
  }
}

export const actions: Readonly<Record<string, AdminHandler>> = {
  'create-privacy-page': createPrivacyPage,

  async save(view) {
    const { schemas, own } = await groupOf(view)
    const typed = await storeSettings(view, { schemas, own, isPreview: view.text('preview') !== '' })
    if (typed !== null) return show(view, typed)
    return view.redirect(view.here(), { kind: 'done', text: view.t('Settings saved.') })
  },
}

/** A page of settings. */
interface ShownGroup {
  readonly name: string
  readonly label: string
  readonly sections: readonly Section[]
  readonly schemas: Schemas
  /** Schemas of the settings that the REST API does not expose. */
  readonly own: Schemas
  /** Whether plugins have registered settings. */
  readonly further: boolean
}

/** Returns the group of settings of the path, with schemas. @throws admin_page_not_found */
async function groupOf(view: AdminView): Promise<ShownGroup> {
  const shown = await routeSchemas(view, 'settings')
  // The REST schema takes precedence if a plugin exposes one of these settings.
  const own = Object.fromEntries(Object.entries(ownSchemas(view)).filter(([name]) => !Object.hasOwn(shown, name)))
  const all = { ...shown, ...own }
  const groupedSettings = new Set(GROUPS.flatMap(({ sections }) => sections).flatMap(({ settings }) => settings))
  const others = Object.keys(all).filter((name) => !groupedSettings.has(name))
  const further = others.length > 0
  const name = view.params['group'] ?? ''
  const group = GROUPS.find((one) => one.name === name)
  if (group === undefined && (name !== PLUGIN_SETTINGS || !further)) throw adminErrors.admin_page_not_found()
  const sections = group?.sections ?? [{ settings: others }]
  const names = sections.flatMap(({ settings }) => settings)
  return {
    name,
    label: group?.label ?? 'Plugin settings',
    sections,
    schemas: pick(all, names),
    own: pick(own, names),
    further,
  }
}

function previewHtml(view: AdminView, schemas: Schemas, stored: Values, preview: Values): PageHtml {
  const { t } = view
  const names = Object.keys(preview)
  if (names.length === 0) return noticeHtml({ kind: 'done', text: t('No changes.') })
  const caption = t('Changes to be saved')
  const columns = [t('Setting'), t('Current value'), t('New value')]
  const rows = names.map((name) => [
    settingLabel(view, name, schemas[name]),
    asText(stored[name]),
    asText(preview[name]),
  ])
  return html`<section class="notice" role="status">
    <h2>${caption}</h2>
    ${tableHtml({ caption, columns, rows })}
  </section>`
}

/** Returns the schemas with these names, in their order. */
const pick = (schemas: Schemas, names: readonly string[]): Schemas =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(schemas, name) ? [[name, schemas[name]!]] : [])))

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? null))
