import { RestError } from '../../../../kernel/index.ts'
import type { Notice } from '../frame/notice.ts'
import type { AdminView } from '../frame/view.ts'
import { errors } from '../errors.ts'
import { isConfirmationRequired } from '../frame/confirmation.ts'
import { MOST_PER_PAGE, shortened } from './list.ts'

/** What became of a change of several things. */
export interface Changes {
  /** IDs of those that it worked for. */
  readonly done: readonly number[]
  /** The others, and why it did not. */
  readonly failed: readonly { readonly title: string; readonly message: string }[]
}

/** Failures that a notice names one by one. */
const MOST_NAMED = 5
/** Characters of the title of each. */
const MAX_TITLE_LENGTH = 60

/** The IDs that a form has chosen, each once. */
export function chosenIds(view: AdminView, values: readonly string[] = view.texts('ids')): number[] {
  const ids = values.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0)
  return [...new Set(ids)].slice(0, MOST_PER_PAGE)
}

/** Changes things one after the other; what is refused for one does not keep the others from it. */
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

/** What a page says of changes. @param done said of those that worked: `3 posts were moved to the trash.` */
export function changesNotice({ t, count }: AdminView, changes: Changes, done: (number: number) => string): Notice {
  const { failed } = changes
  if (changes.done.length + failed.length === 0) return { kind: 'error', text: t('Select at least one item first.') }
  const texts = changes.done.length > 0 ? [done(changes.done.length)] : []
  if (failed.length > 0) texts.push(count(failed.length, '1 item failed:', '{count} items failed:'))
  for (const { title, message } of failed.slice(0, MOST_NAMED))
    texts.push(t('“{title}”: {why}', { title: shortened(title, MAX_TITLE_LENGTH), why: t(message) }))
  if (failed.length > MOST_NAMED) texts.push('…')
  return { kind: failed.length > 0 ? 'error' : 'done', text: texts.join(' ') }
}

/** What undoes a change, for the notice that tells of it. @param what as the action `undo` of the page reads it */
export function undoOf(view: AdminView, what: string): Notice['undo'] {
  const { path, plugin, user } = view
  return { path, what, mark: plugin.services.nonces.create(undone(path, what), user) }
}

/**
 * What the form in a notice asks to undo.
 * @throws admin_form_expired for what this site has not told the user to undo
 */
export function askedUndo(view: AdminView): string {
  const what = view.text('what')
  const { nonces } = view.plugin.services
  if (nonces.verify(view.text('mark'), undone(view.path, what), view.user) === false) throw errors.admin_form_expired()
  return what
}

const undone = (path: string, what: string) => `admin undo ${path} ${what}`
