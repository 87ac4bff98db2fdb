import { hash } from 'node:crypto'
import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import { slugify } from '../../resources/index.ts'

/** Terms that are read for a name: one for each spelling with other cases of its letters. */
const MAX_SPELLINGS = 100

/** Returns the ID of the term that links templates and styles to a theme; undefined if it does not exist. */
export async function themeTerm(
  { branding, services }: PluginContext,
  stylesheet: string,
  scope: RequestCache,
): Promise<number | undefined> {
  // By name: the slug of `My--Theme` is `my-theme`, which can be the name of another theme.
  const query = {
    taxonomy: branding.typeName('theme'),
    names: [stylesheet],
    limit: MAX_SPELLINGS,
    orderby: 'id',
  } as const
  const { items } = await services.terms.query(query, scope)
  // The database compares names without regard to case.
  return items.find(({ name }) => name === stylesheet)?.id
}

/** Returns the ID of the term of a theme; creates the term if necessary. The caller must hold the write turn. */
export async function ensureThemeTerm(plugin: PluginContext, stylesheet: string, scope: RequestCache): Promise<number> {
  const found = await themeTerm(plugin, stylesheet, scope)
  if (found !== undefined) return found
  const { branding, services } = plugin
  const taxonomy = branding.typeName('theme')
  const slug = slugify(stylesheet)
  const { items } = await services.terms.query({ taxonomy, slug: [slug], limit: 1 }, scope)
  const unique =
    slug !== '' && items.length === 0 ? slug : `${slug.slice(0, 150)}-${hash('sha256', stylesheet).slice(0, 12)}`
  return (await services.terms.create({ taxonomy, name: stylesheet, slug: unique })).id
}
