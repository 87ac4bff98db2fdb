import { RestError, type HeaderMap } from '../../../../../kernel/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { formChanges, lostErrors, withoutLoss } from '../../parts/lost-updates.ts'
import { errorsByPath, schemaValues, type Schemas, type Values } from '../../parts/schema-fields.ts'
import { ownErrors, storeOwn } from './own-settings.ts'
import { CUSTOM_FORMAT_SUFFIX } from './setting-fields.ts'

/** Submitted values that were not stored. */
export interface Typed {
  readonly values: Values
  readonly errors: Readonly<Record<string, string>>
  /** Values to show a preview of, after the preview button was pressed. */
  readonly preview?: Values
}

/** Settings that are stored HTML-escaped. */
const STORED_AS_HTML: ReadonlySet<string> = new Set(['title', 'description'])
/** Settings with a choice of formats and a field for a custom format. */
const FORMAT_SETTINGS: readonly string[] = ['date_format', 'time_format']

/** The settings of a form. */
interface SettingsForm {
  readonly schemas: Schemas
  /** Schemas of the settings that the REST API does not expose. */
  readonly own: Schemas
  /** Whether the changes are shown, and not stored. */
  readonly isPreview?: boolean
}

/**
 * Stores the submitted settings.
 * @returns null if they were stored, otherwise the values and errors for the form
 * @throws RestError an error that belongs to no setting
 */
export async function storeSettings(
  view: AdminView,
  { schemas, own, isPreview = false }: SettingsForm,
): Promise<Typed | null> {
  const { values, errors } = schemaValues(view, { schemas, name: '' }, formOf(view))
  const save = async (headers: HeaderMap): Promise<Typed | null> => {
    const { changed, lost } = formChanges(view, values, await storedValues(view, schemas))
    const wrong = { ...ownErrors(changed, own), ...errors, ...lostErrors(view, lost) }
    if (Object.keys(wrong).length > 0) return { values, errors: wrong }
    if (isPreview) return { values, errors: {}, preview: changed }
    const entries = Object.entries(changed)
    const [ownValues, others] = [true, false].map((isOwn) =>
      Object.fromEntries(entries.filter(([name]) => Object.hasOwn(own, name) === isOwn)),
    ) as [Values, Values]
    if (Object.keys(others).length > 0) await view.ask('POST', 'settings', { body: others, headers })
    await storeOwn(view, ownValues)
    return null
  }
  try {
    return await withoutLoss(view, { path: 'settings' }, save)
  } catch (error) {
    if (!(error instanceof RestError) || error.status !== 400) throw error
    const found = errorsByPath(error)
    if (Object.keys(found).length === 0) throw error
    return { values, errors: found }
  }
}

/** Returns the current values of settings as forms show them. */
export async function storedValues(view: AdminView, schemas: Schemas): Promise<Values> {
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
