import { RestError, type HeaderMap } from '../../../../../kernel/index.ts'
import { PRIVACY_PAGE } from '../../../../foundation/settings/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import { errors as adminErrors } from '../../errors.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView } from '../../frame/view.ts'
import { formChanges, lostErrors, shownValues, withoutLoss } from '../../parts/lost-updates.ts'
import { MEDIA_PICKER, mediaPicker } from '../../parts/media-picker.ts'
import { routeSchemas } from '../../parts/route-schema.ts'
import { errorsByPath, schemaValues, type Schemas, type Values } from '../../parts/schema-fields.ts'
import { tableHtml } from '../../parts/table.ts'
import type { AdminContent, AdminHandler } from '../../admin.ts'
import { GROUPS, groupTabs, PLUGIN_SETTINGS, type Section } from './groups.ts'
import { createPrivacyPage, privacyPageHtml } from './privacy.ts'
import { ownErrors, ownSchemas, storeOwn } from './own-settings.ts'
import { CUSTOM_FORMAT_SUFFIX, IMAGE_SETTINGS, settingFields, settingLabel } from './setting-fields.ts'

/** Submitted values that were not stored. */
interface Typed {
  readonly values: Values
  readonly errors: Readonly<Record<string, string>>
  /** Values to show a preview of, after the preview button was pressed. */
  readonly preview?: Values
}

/** Settings that are stored HTML-escaped. */
const STORED_AS_HTML: ReadonlySet<string> = new Set(['title', 'description'])
/** Settings with a choice of formats and a field for a custom format. */
const FORMAT_SETTINGS: readonly string[] = ['date_format', 'time_format']

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
    const { t } = view
    const { schemas, own } = await groupOf(view)
    const { values, errors } = schemaValues(view, { schemas, name: '' }, formOf(view))
    const save = async (headers: HeaderMap): Promise<AdminContent | null> => {
      const { changed, lost } = formChanges(view, values, await storedValues(view, schemas))
      const wrong = { ...ownErrors(changed, own), ...errors, ...lostErrors(view, lost) }
      if (Object.keys(wrong).length > 0) return show(view, { values, errors: wrong })
      if (view.text('preview') !== '') return show(view, { values, errors: {}, preview: changed })
      const entries = Object.entries(changed)
      const [ownValues, others] = [true, false].map((isOwn) =>
        Object.fromEntries(entries.filter(([name]) => Object.hasOwn(own, name) === isOwn)),
      ) as [Values, Values]
      if (Object.keys(others).length > 0) await view.ask('POST', 'settings', { body: others, headers })
      await storeOwn(view, ownValues)
      return null
    }
    try {
      const page = await withoutLoss(view, { path: 'settings' }, save)
      if (page !== null) return page
    } catch (error) {
      if (!(error instanceof RestError) || error.status !== 400) throw error
      const found = errorsByPath(error)
      if (Object.keys(found).length === 0) throw error
      return show(view, { values, errors: found })
    }
    return view.redirect(view.here(), { kind: 'done', text: t('Settings saved.') })
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

async function storedValues(view: AdminView, schemas: Schemas): Promise<Values> {
  const names = Object.keys(schemas)
  const { data } = await view.ask<Values>('GET', 'settings', { query: { _fields: names.join(',') } })
  const options = await view.plugin.services.options.many(names)
  return Object.fromEntries(
    names.map((name) => {
      const value = Object.hasOwn(data, name) ? data[name] : options[name]
      return [name, STORED_AS_HTML.has(name) && typeof value === 'string' ? plainText(value) : value]
    }),
  )
}

/** Returns the submitted values; custom formats replace the option for a custom format. */
function formOf(view: AdminView): Values {
  const form: Record<string, unknown> = { ...view.form }
  for (const name of FORMAT_SETTINGS) if (form[name] === 'own') form[name] = view.text(`${name}${CUSTOM_FORMAT_SUFFIX}`)
  // Browsers do not submit disabled fields, but other clients can.
  delete form['url']
  return form
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
