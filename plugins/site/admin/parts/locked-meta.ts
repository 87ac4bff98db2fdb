import type { MetaObject } from '../../../content/meta/index.ts'
import type { AdminView } from '../frame/view.ts'

/**
 * Returns values or schemas of meta without the keys that no user may change: protected keys, which start with `_`,
 * whose registration lacks `auth_callback`. A form with such a key would be refused.
 * @param type content type
 */
export function withoutLockedMeta<T>({ plugin }: AdminView, type: string, meta: Readonly<Record<string, T>>) {
  if (!plugin.has('meta')) return meta
  const locked = new Set(
    plugin.services.meta
      .fieldsOf('post', type)
      .filter(({ auth_callback: authorize, key }) => authorize === undefined && key.startsWith('_'))
      .map(({ key, shown }) => shown?.name ?? key),
  )
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !locked.has(name)))
}

/**
 * Returns schemas of meta without the keys that forms do not show: locked keys, and keys whose registration sets
 * `show_ui` to false because a panel or an editor edits them.
 * @param subtype content type or taxonomy; '' for users
 */
export function shownMeta<T>(
  view: AdminView,
  objectType: MetaObject,
  subtype: string,
  meta: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  if (!view.plugin.has('meta')) return meta
  const fields = view.plugin.services.meta.fieldsOf(objectType, subtype)
  const hidden = new Set(
    fields.filter(({ show_ui: isShown = true }) => !isShown).map(({ key, shown }) => shown?.name ?? key),
  )
  const open = objectType === 'post' ? withoutLockedMeta(view, subtype, meta) : meta
  return Object.fromEntries(Object.entries(open).filter(([name]) => !hidden.has(name)))
}
