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
