import { html } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { changeEach, changesNotice, chosenIds } from '../../parts/changes.ts'
import { selectField } from '../../parts/fields.ts'
import { filtersHtml, tabsHtml, totalOf } from '../../parts/filters.ts'
import { listHtml, pageQuery, pagingOf } from '../../parts/list.ts'
import type { RowAction } from '../../parts/row-actions.ts'
import type { AdminContent, AdminHandler, ListColumn } from '../../admin.ts'
import { roleChoices, roleLabels } from './role-choices.ts'
import type { ShownUser } from './user-fields.ts'

const ORDERS: readonly string[] = ['name', 'email', 'registered_date']
const FIELDS = 'id,username,name,email,roles,registered_date,link,meta'

/** Lists the users, filtered by role. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t, query } = view
  const role = query.get('role') ?? ''
  const search = query.get('search') ?? ''
  const requestedOrderby = query.get('orderby') ?? ''
  const orderby = ORDERS.includes(requestedOrderby) ? requestedOrderby : 'name'
  const order = query.get('order') === 'desc' ? 'desc' : 'asc'
  const limits = { ...(role !== '' && { roles: role }), ...(search !== '' && { search }) }
  const answer = await view.ask<ShownUser[]>('GET', 'users', {
    query: { ...pageQuery(view), ...limits, orderby, order, context: 'edit', _fields: FIELDS },
  })
  const roles = view.plugin.services.roles.all()
  const totals = await Promise.all(
    [{}, ...roles.map(({ name }) => ({ roles: name }))].map((limit) => totalOf(view, 'users', limit)),
  )
  const tabs = [{ name: '', label: 'users|All' }, ...roles]
    .map(({ name, label }, index) => ({
      label: t(label),
      count: totals[index] ?? null,
      href: view.here({ role: name, cursor: undefined }),
      isHere: role === name,
    }))
    .filter(({ count, isHere }, index) => index === 0 || isHere || count !== 0)
  const choices = roleChoices(view)
  const mayPromote = view.can('promote_users') && choices.length > 0
  const bulk = [
    ...(mayPromote ? [{ value: 'role', label: t('Change role to…') }] : []),
    ...(view.can('delete_users') ? [{ value: 'choose-heir', label: t('Delete…') }] : []),
  ]
  const headingActions = html`${view.can('create_users') ? html`<a class="button primary" href="${view.url('users/new')}">${t('Add user')}</a>` : null}
    <a class="button" href="${view.url('users/roles')}">${t('Roles and permissions')}</a>`
  return {
    headingActions,
    main: html`${tabsHtml(t('Roles'), tabs)} ${filtersHtml(view, { search: t('Search users') })}
    ${await listHtml(view, {
      name: 'users',
      caption: t('Users'),
      items: answer.data,
      idOf: ({ id }) => id,
      titleOf: ({ name, username }) => plainText(name) || username,
      columns: COLUMNS,
      empty: t('No users found.'),
      bulk,
      ...(mayPromote && {
        bulkFields: selectField({ name: 'role', id: 'bulk-role', label: t('Role'), value: 'subscriber', choices }),
      }),
      choosable: ({ id }) => id !== view.user.id,
      rowActions: (user) => actionsOf(view, user),
      orderby,
      order,
      paging: pagingOf(view, answer),
    })}`,
  }
}

export const actions: Readonly<Record<string, AdminHandler>> = {
  async role(view) {
    const role = view.text('role')
    const changes = await changeEach(
      chosenIds(view),
      (id) => `#${id}`,
      (id) => view.ask('POST', `users/${id}`, { body: { roles: [role] } }),
    )
    const done = (number: number) => view.count(number, 'Role of 1 user changed.', 'Role of {count} users changed.')
    return view.redirect(view.here(), changesNotice(view, changes, done))
  },
  'choose-heir': (view) => view.redirect(view.url('users/delete', { ids: chosenIds(view).join(',') })),
}

const COLUMNS: readonly ListColumn<ShownUser>[] = [
  {
    name: 'name',
    label: 'Name',
    orderby: 'name',
    cell: ({ id, name, username }, view) => {
      const { plainPages: pages } = view.plugin.services
      return html`<a href="${urlOf(view, id)}">${pages.stored(name || username)}</a>`
    },
  },
  { name: 'username', label: 'Username', cell: ({ username }) => username },
  { name: 'email', label: 'Email address', orderby: 'email', cell: ({ email }) => email },
  { name: 'roles', label: 'Roles', cell: ({ roles }, view) => roleLabels(view, roles) || view.t('No role') },
  {
    name: 'registered',
    label: 'Registered',
    orderby: 'registered_date',
    cell: ({ registered_date: date }, view) => view.date(date),
  },
]

function actionsOf(view: AdminView, { id }: ShownUser): RowAction[] {
  const { t } = view
  const isOwn = id === view.user.id
  const edit = view.can('edit_user', { id }) || view.can('promote_user', { id })
  return [
    { label: edit ? t('Edit') : t('View'), href: urlOf(view, id) },
    { label: t('Posts'), href: view.url('content/post', { author: id }) },
    ...(!isOwn && view.can('delete_user', { id })
      ? [{ label: t('Delete'), href: view.url('users/delete', { ids: id }) }]
      : []),
  ]
}

/** Returns the URL of the page of a user; the account page for the requesting user. */
const urlOf = (view: AdminView, id: number) => view.url(id === view.user.id ? 'account' : `users/${id}`)
