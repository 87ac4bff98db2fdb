import { RestError } from '../../../../kernel/index.ts'
import type { Notice } from '../frame/notice.ts'
import type { AdminView } from '../frame/view.ts'
import { errors } from '../errors.ts'
import { isConfirmationRequired } from '../frame/confirmation.ts'
import { MAX_PER_PAGE, shortened } from './list.ts'

/** The result of a change to several items. */
export interface Changes {
  /** IDs of the changed items. */
  readonly done: readonly number[]
  /** The items that could not be changed, with the reason. */
  readonly failed: readonly { readonly title: string; readonly message: string }[]
}

/** Maximum number of failures that a notice lists. */
const MAX_LISTED_FAILURES = 5
/** Maximum characters of each title in this list. */
const MAX_TITLE_LENGTH = 60

/** Returns the selected IDs of a form without duplicates. */
export function chosenIds(view: AdminView, values: readonly string[] = view.texts('ids')): number[] {
  const ids = values.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0)
  return [...new Set(ids)].slice(0, MAX_PER_PAGE)
}

/** Changes items one after the other; an error does not stop the remaining changes. */
export async function changeEach(
  ids: readonly number[],
  titleOf: (id: number) => string,
  change: (id: number) => Promise<unknown>,
): Promise<Changes> {
  const done: number[] = []
  const failed: { title: string; message: string }[] = []
  for (const id of ids) {
    try {
      await change(id)
      done.push(id)
    } catch (error) {
      if (!(error instanceof RestError) || isConfirmationRequired(error)) throw error
      failed.push({ title: titleOf(id), message: error.message })
    }
  }
  return { done, failed }
}

/**
 * Builds the notice about changes. @param done returns the text for the changed items: `3 posts were moved to the
 * trash.`
 */
export function changesNotice({ t, count }: AdminView, changes: Changes, done: (number: number) => string): Notice {
  const { failed } = changes
  if (changes.done.length + failed.length === 0) return { kind: 'error', text: t('Select at least one item first.') }
  const texts = changes.done.length > 0 ? [done(changes.done.length)] : []
  if (failed.length > 0) texts.push(count(failed.length, '1 item failed:', '{count} items failed:'))
  for (const { title, message } of failed.slice(0, MAX_LISTED_FAILURES))
    texts.push(t('“{title}”: {why}', { title: shortened(title, MAX_TITLE_LENGTH), why: t(message) }))
  if (failed.length > MAX_LISTED_FAILURES) texts.push('…')
  return { kind: failed.length > 0 ? 'error' : 'done', text: texts.join(' ') }
}

/** Returns the undo data of a notice. @param what parameter of the `undo` action of the page */
export function undoOf(view: AdminView, what: string): Notice['undo'] {
  const { path, plugin, user } = view
  return { path, what, mark: plugin.services.nonces.create(undone(path, what), user) }
}

/**
 * Returns the parameter of a submitted undo form.
 * @throws admin_form_expired unless this site offered the undo to this user
 */
export function readUndo(view: AdminView): string {
  const what = view.text('what')
  const { nonces } = view.plugin.services
  if (nonces.verify(view.text('mark'), undone(view.path, what), view.user) === false) throw errors.admin_form_expired()
  return what
}

const undone = (path: string, what: string) => `admin undo ${path} ${what}`
