import type { AdminView } from '../../frame/view.ts'

/** Returns the label of the objects of one kind: `page items`, `category terms`, `users`. */
export function kindLabel({ t, plugin }: AdminView, kind: string): string {
  const { contentTypes, taxonomies } = plugin.services
  if (kind === 'users') return t('Users')
  if (kind === 'comments') return t('Comments')
  if (kind === 'settings') return t('Settings')
  if (kind === 'files') return t('Media files')
  if (kind === 'meta') return t('import|Metadata')
  if (kind === 'elements') return t('import|Elements')
  if (kind === 'items') return t('import|Items')
  if (kind === 'terms') return t('import|Terms')
  const [, name = '', group = ''] = /^(.*) (items|terms)$/.exec(kind) ?? []
  if (name === '') return kind
  const found = group === 'terms' ? taxonomies.get(name) : contentTypes.get(name)
  if (found !== undefined) return t(found.labels['name'] ?? found.name)
  return `${group === 'terms' ? t('import|Terms') : t('import|Items')} (${name})`
}
