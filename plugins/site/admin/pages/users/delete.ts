import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import { errors } from '../../errors.ts'
import type { AdminView } from '../../frame/view.ts'
import { changeEach, changesNotice, chosenIds } from '../../parts/changes.ts'
import { choiceField, selectField, textField } from '../../parts/fields.ts'
import { totalOf } from '../../parts/filters.ts'
import { MAX_PER_PAGE } from '../../parts/list.ts'
import type { AdminContent, AdminHandler } from '../../admin.ts'
import type { ShownUser } from './user-fields.ts'

/**
 * Renders the form that deletes users. It asks whether to trash their content, to reassign it, or to leave it without
 * an author.
 */
export async function show(view: AdminView, error?: string): Promise<AdminContent> {
  const { t } = view
  const users = await readChosenUsers(view)
  if (users.length === 0) throw errors.admin_nothing_chosen()
  const { plainPages: pages } = view.plugin.services
  const items = users.map(
    ({ id, name, username }) =>
      html`<li>${pages.stored(name || username)} (${username})<input type="hidden" name="ids[]" value="${id}" /></li>`,
  )
  return {
    ...(error !== undefined && { status: 400 }),
    main: html`${view.formStart('delete')}
      <p>${t('These users will be permanently deleted, with their sessions and application passwords:')}</p>
      <ul>${items}</ul>
      ${choiceField({
        name: 'posts',
        label: t('What should happen to their content?'),
        values: [error === undefined ? 'trash' : 'give'],
        choices: [
          { value: 'trash', label: t('Move all content to trash') },
          { value: 'give', label: t('Attribute all content to:') },
          { value: 'none', label: t('Keep all content without an author') },
        ],
      })}
      ${await heirField(view, users, error)}
      <p class="actions">
        <button type="submit" class="danger">${t('Delete permanently')}</button>
        <a href="${view.url('users')}">${t('Cancel')}</a>
      </p></form>`,
  }
}

export const actions: Readonly<Record<string, AdminHandler>> = {
  async delete(view) {
    const { t } = view
    const posts = view.text('posts')
    const heir = Number(view.text('heir'))
    if (posts === 'give' && !(Number.isSafeInteger(heir) && heir > 0))
      return show(view, t('Choose a user to attribute the content to.'))
    const reassign = posts === 'give' ? heir : posts === 'none' ? 0 : false
    const names = new Map((await readChosenUsers(view)).map(({ id, username }) => [id, username]))
    const changes = await changeEach(
      chosenIds(view),
      (id) => names.get(id) ?? `#${id}`,
      (id) => view.ask('DELETE', `users/${id}`, { query: { force: true, reassign } }),
    )
    const done = (number: number) => view.count(number, '1 user deleted.', '{count} users deleted.')
    return view.redirect(view.url('users'), changesNotice(view, changes, done))
  },
}

/** Returns the users in the URL or in the form. */
async function readChosenUsers(view: AdminView): Promise<readonly ShownUser[]> {
  const requestedIds = view.request.method === 'POST' ? view.texts('ids') : (view.query.get('ids') ?? '').split(',')
  const include = chosenIds(view, requestedIds)
  if (include.length === 0) return []
  const query = { include, context: 'edit', per_page: MAX_PER_PAGE, _fields: 'id,name,username' }
  return (await view.ask<ShownUser[]>('GET', 'users', { query })).data
}

/** Renders a select of the remaining users, or a field for an ID if there are too many users. */
async function heirField(view: AdminView, leaving: readonly ShownUser[], error: string | undefined): Promise<PageHtml> {
  const { t } = view
  const options = { name: 'heir', label: t('New author'), error }
  const exclude = leaving.map(({ id }) => id)
  const total = await totalOf(view, 'users', { exclude })
  if (total === null || total > MAX_PER_PAGE)
    return textField({ ...options, value: '', type: 'number', hint: t('Enter a user ID.') })
  const query = { exclude, context: 'edit', per_page: MAX_PER_PAGE, _fields: 'id,name,username' }
  const { data } = await view.ask<ShownUser[]>('GET', 'users', { query })
  const choices = data.map(({ id, name, username }) => ({
    value: String(id),
    label: `${plainText(name) || username} (${username})`,
  }))
  return selectField({ ...options, value: String(view.user.id), choices })
}
