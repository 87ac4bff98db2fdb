import { HeaderMap, RestError } from '../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView, Question } from '../frame/view.ts'
import type { Values } from './schema-fields.ts'

/** The changes that a form makes. */
export interface FormChanges {
  /** Values that the user has edited. */
  readonly changed: Record<string, unknown>
  /** Names of edited values that another user has changed since the form was opened. */
  readonly lost: readonly string[]
}

const PREVIOUS_VALUES_FIELD = 'was'
/** Attempts before a change fails because other users keep changing the object. */
const MAX_TRIES = 5
const same = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Renders the hidden field with the initial values of a form. @param values initial values by field name */
export function shownValues(values: Values): PageHtml {
  return html`<input type="hidden" name="${PREVIOUS_VALUES_FIELD}" value="${JSON.stringify(values)}" />`
}

/**
 * Compares a form with its initial values. Unedited fields are not stored, so that changes of other users are
 * preserved.
 * @param submitted values of the form
 * @param stored current values
 */
export function formChanges(view: AdminView, submitted: Values, stored: Values): FormChanges {
  const was = sentValues(view)
  const changed = Object.fromEntries(Object.entries(submitted).filter(([name, value]) => !same(value, was[name])))
  const lost = Object.keys(changed).filter(
    (name) => !same(stored[name], was[name]) && !same(stored[name], submitted[name]),
  )
  return { changed, lost }
}

/**
 * Reads, compares and changes an object atomically: if another user changes it between reading and writing, the change
 * runs again with the current values.
 * @param path path of the route; `query` must equal the query of the request that changes it
 * @param change reads, compares and writes; its request must send the headers that it receives
 * @throws RestError 412 if every attempt was overtaken; any error of `change`
 */
export async function withoutLoss<T>(
  view: AdminView,
  { path, query }: { readonly path: string; readonly query?: Question['query'] },
  change: (headers: HeaderMap) => Promise<T>,
): Promise<T> {
  for (let left = MAX_TRIES; ; left -= 1) {
    // `change` must not read values that are older than the tag from the cache of this request.
    view.request.scope.clear()
    const tag = await view.tagOf(path, query)
    try {
      return await change(new HeaderMap(tag === null ? {} : { 'If-Match': tag }))
    } catch (error) {
      if (!isOvertaken(error) || left <= 1) throw error
    }
  }
}

/** Whether a change was refused because another user changed the object first. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof RestError && error.status === 412
}

/** Returns error messages for fields that another user has changed in the meantime. */
export function lostErrors({ t }: AdminView, lost: readonly string[]): Record<string, string> {
  const text = t('Someone else saved changes. Save again to overwrite them.')
  return Object.fromEntries(lost.map((name) => [name, text]))
}

/**
 * Returns the initial values that a form has submitted; empty if the field is invalid. @param field name of the hidden
 * field
 */
export function sentValues(view: AdminView, field = PREVIOUS_VALUES_FIELD): Values {
  try {
    const value = JSON.parse(view.text(field)) as unknown
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
