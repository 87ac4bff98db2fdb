import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import { FORMAT_TAXONOMY } from '../../content/taxonomies/index.ts'

/** A variation of a block type, as the inserter of an editor shows it. */
type Variation = Readonly<Record<string, unknown>>

/** Returns the variations of a block type that depend on the content types, taxonomies and theme of the site. */
type Variations = (plugin: PluginContext, scope: RequestCache) => Promise<Variation[]>

/** Variations by block name, without its namespace. */
export const VARIATIONS: Readonly<Record<string, Variations>> = {
  'navigation-link': linkVariations,
  'post-terms': termVariations,
  'template-part': partVariations,
}

/** Content types and taxonomies that existed before plugins register theirs; editors list them first. */
const BUILT_IN = new Set(['post', 'page', 'category', 'post_tag', FORMAT_TAXONOMY])

/** Returns a variation for each kind of content that menus can link to. */
async function linkVariations({ has, services }: PluginContext): Promise<Variation[]> {
  const formats = has('themes') ? (await services.themes.active()).supports['post-formats'] : false
  const inMenus = ({ name, show_in_nav_menus: isShown }: { name: string; show_in_nav_menus: boolean }) =>
    isShown || (name === FORMAT_TAXONOMY && Boolean(formats))
  const links = [
    ...services.contentTypes.all().map((type) => ({ kind: 'post-type', type })),
    ...services.taxonomies.all().map((type) => ({ kind: 'taxonomy', type })),
  ].filter(({ type }) => inMenus(type))
  const isBuiltIn = ({ type }: (typeof links)[number]) => BUILT_IN.has(type.name)
  return [...links.filter(isBuiltIn), ...links.filter((link) => !isBuiltIn(link))].map(({ kind, type }) => {
    // Stored links to tags have this type.
    const name = type.name === 'post_tag' ? 'tag' : type.name
    const { item_link: title, item_link_description: description } = type.labels
    return { name, title, description, attributes: { type: name, kind } }
  })
}

/** Returns a variation for each public taxonomy that the REST API serves. */
async function termVariations({ services }: PluginContext): Promise<Variation[]> {
  const words = await services.translations.site()
  return services.taxonomies
    .exposed()
    .filter((taxonomy) => taxonomy.publicly_queryable)
    .map(({ name, label }, at) => ({
      name,
      title: label,
      description: words.t('Shows the terms of a post in the taxonomy {taxonomy}.', { taxonomy: label }),
      attributes: { term: name },
      isActive: ['term'],
      scope: ['inserter', 'transform'],
      ...(at === 0 && { isDefault: true }),
    }))
}

/** Returns a variation for each area with an HTML element, and one for each template part of the theme. */
async function partVariations({ has, services }: PluginContext, scope: RequestCache): Promise<Variation[]> {
  if (!has('themes') || !has('templates')) return []
  const areas = await services.themes.areas()
  const icons = new Map(areas.map(({ area, icon }) => [area, icon]))
  const parts = (await services.templates.all('template_part', scope)).toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
  return [
    ...areas
      .filter(({ area_tag: tag }) => tag !== 'div')
      .map(({ area, label, description, icon }) => ({
        name: `area_${area}`,
        title: label,
        description,
        attributes: { area },
        scope: [],
        icon,
      })),
    ...parts.map(({ slug, theme, area, title, description }) => ({
      name: `instance_${slug}`,
      title,
      description,
      attributes: { slug, theme, area },
      scope: ['inserter'],
      icon: icons.get(area) ?? 'layout',
      example: { attributes: { slug, theme, area } },
    })),
  ]
}
