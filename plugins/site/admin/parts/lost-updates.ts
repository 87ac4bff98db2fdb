import { HeaderMap, RestError } from '../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView, Question } from '../frame/view.ts'
import type { Values } from './schema-fields.ts'

/** What a form changes. */
export interface FormChanges {
  /** What the user has typed something else for. */
  readonly changed: Record<string, unknown>
  /** Those of them that somebody else has changed since the form was opened. */
  readonly lost: readonly string[]
}

const FIELD = 'was'
/** How often a change is begun anew because somebody else was faster. */
const MAX_TRIES = 5
const same = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** The hidden field of a form that tells what its fields were filled with. @param values by the names of fields */
export function shownValues(values: Values): PageHtml {
  return html`<input type="hidden" name="${FIELD}" value="${JSON.stringify(values)}" />`
}

/**
 * What a form changes of the values that it was filled with: what it does not change is not stored, so that changes of others stay.
 * @param given what the form says now
 * @param stored what there is now
 */
export function formChanges(view: AdminView, given: Values, stored: Values): FormChanges {
  const was = sentValues(view)
  const changed = Object.fromEntries(Object.entries(given).filter(([name, value]) => !same(value, was[name])))
  const lost = Object.keys(changed).filter((name) => !same(stored[name], was[name]) && !same(stored[name], given[name]))
  return { changed, lost }
}

/**
 * Reads, compares and changes what a route has as if all of it were one step: where somebody else changes it between reading
 * and writing, it is done again with what is there then.
 * @param path of the route; `query` is that of the request that changes it
 * @param change reads what is there, compares, and writes; its request has to have the headers that it is given
 * @throws RestError 412 where others are faster again and again; whatever `change` throws
 */
export async function withoutLoss<T>(
  view: AdminView,
  { path, query }: { readonly path: string; readonly query?: Question['query'] },
  change: (headers: HeaderMap) => Promise<T>,
): Promise<T> {
  for (let left = MAX_TRIES; ; left -= 1) {
    // What the request has read until now may be older than the tag.
    view.request.scope.clear()
    const tag = await view.tagOf(path, query)
    try {
      return await change(new HeaderMap(tag === null ? {} : { 'If-Match': tag }))
    } catch (error) {
      if (!isOvertaken(error) || left <= 1) throw error
    }
  }
}

/** Whether a change was refused because somebody else has made another one. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof RestError && error.status === 412
}

/** What is said beside the fields that somebody else has changed meanwhile. */
export function lostErrors({ t }: AdminView, lost: readonly string[]): Record<string, string> {
  const text = t('Someone else saved changes. Save again to overwrite them.')
  return Object.fromEntries(lost.map((name) => [name, text]))
}

/** What a form says it was filled with; nothing where the field has something else. @param field name of the hidden field */
export function sentValues(view: AdminView, field = FIELD): Values {
  try {
    const value = JSON.parse(view.text(field)) as unknown
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
