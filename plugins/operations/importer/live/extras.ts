import { exportedNames } from '../../../library/branding/index.ts'
import { phrase, type ReportReason } from '../phrases.ts'
import type { FoundSite } from './discovery.ts'
import { gapOf } from './gap.ts'
import { RouteFailure } from './old-response.ts'
import type { RemoteSite, Query } from './remote-site.ts'
import { reasonOf, type Survey } from './survey.ts'
import type { LiveGap } from './types.ts'
import { idOf, isObject, listOf, objectOf, rawOf, text, type OldObject } from './values.ts'

/** Objects of the old site that are not in lists. */
export interface Extras {
  settings: OldObject
  /** Theme locations of menus by name. */
  locations: OldObject
  theme: OldObject
  templates: OldObject[]
  templateParts: OldObject[]
  globalStyles: OldObject
  /** Font faces, each with the ID of its family as `family`. */
  faces: OldObject[]
  sidebars: OldObject[]
  /** Languages of Polylang. */
  languages: OldObject[]
}

/**
 * Reads settings, the active theme, its templates and styles, locations of menus, and font faces.
 * @param families font families
 * @param gaps receives what cannot be read
 */
export async function readExtras(
  { index, site }: FoundSite,
  { types }: Pick<Survey, 'types'>,
  families: readonly OldObject[],
  gaps: LiveGap[],
): Promise<Extras> {
  const reader = new ExtrasReader(site, gaps)
  const has = (name: string) => types.some(({ slug }) => slug === `${site.root.word}_${name}`)
  const edit = site.isLoggedIn ? { context: 'edit' } : {}
  const themes = await reader.list('themes', { status: 'active' }, 'active theme', 'edit_posts')
  const theme = themes[0] ?? {}
  const [settings, locations, templates, templateParts, globalStyles, sidebars, languages] = await Promise.all([
    reader.object('settings', {}, 'settings', 'manage_options'),
    reader.object('menu-locations', edit, 'locations of menus', 'edit_theme_options'),
    has('template') ? reader.list('templates', edit, 'templates', 'edit_theme_options') : [],
    has('template_part') ? reader.list('template-parts', edit, 'template parts', 'edit_theme_options') : [],
    reader.styles(theme),
    reader.list('sidebars', edit, 'widgets', 'edit_theme_options', true),
    index.namespaces.includes('pll/v1') ? reader.list('/pll/v1/languages', {}, 'languages', 'manage_options') : [],
  ])
  const faces: OldObject[] = []
  for (const family of families) {
    const id = idOf(family['id'])
    if (listOf(family['font_faces']).length === 0) continue
    const found = await reader.list(
      `font-families/${id}/font-faces`,
      { ...edit, per_page: 100 },
      'font faces',
      'edit_theme_options',
    )
    faces.push(...found.map((face) => ({ ...face, family: id })))
  }
  const used = sidebars.filter(({ id, widgets }) => id !== INACTIVE && listOf(widgets).length > 0)
  if (used.length > 0) {
    const names = used.map(({ name, id }) => text(name) || text(id)).join(', ')
    const reason = { text: 'this site has block themes, which have template parts instead of widgets' } as const
    gaps.push(gapOf(phrase('widgets of {names}', { names }), reason))
  }
  return { settings, locations, theme, templates, templateParts, globalStyles, faces, sidebars: used, languages }
}

/** The sidebar of widgets that are not shown. */
const INACTIVE = `${exportedNames.typePrefix}inactive_widgets`

class ExtrasReader {
  readonly #site: RemoteSite
  readonly #gaps: LiveGap[]

  constructor(site: RemoteSite, gaps: LiveGap[]) {
    this.#site = site
    this.#gaps = gaps
  }

  async list(
    path: string,
    query: Query,
    subject: ReportReason,
    capability: string,
    isOptional = false,
  ): Promise<OldObject[]> {
    const body = await this.#read(path, query, subject, capability, isOptional)
    return listOf(body).filter((one): one is OldObject => isObject(one))
  }

  async object(path: string, query: Query, subject: ReportReason, capability: string): Promise<OldObject> {
    return objectOf(await this.#read(path, query, subject, capability, false))
  }

  /** The styles of the user for a theme. */
  async styles(theme: OldObject): Promise<OldObject> {
    const links = objectOf(theme['_links'])
    const relation = Object.keys(links).find((name) => /(?:^|[:/])user-global-styles$/.test(name))
    const href = text(objectOf(listOf(links[relation ?? ''])[0])['href'])
    const id = /global-styles(?:\/|%2F)(\d{1,10})/i.exec(href)?.[1]
    if (id === undefined) return {}
    return await this.object(`global-styles/${id}`, { context: 'edit' }, 'styles', 'edit_theme_options')
  }

  async #read(
    path: string,
    query: Query,
    subject: ReportReason,
    capability: string,
    isOptional: boolean,
  ): Promise<unknown> {
    try {
      return (await this.#site.get(path.startsWith('/') ? path : this.#site.route(path), query)).body
    } catch (error) {
      if (!(error instanceof RouteFailure)) throw error
      // Old versions lack some routes. Objects that they cannot have are not missed.
      if (error.kind !== 'missing' && !isOptional)
        this.#gaps.push(gapOf({ text: subject }, reasonOf(error, capability)))
      return null
    }
  }
}

/** The stylesheet of a theme. */
export function stylesheetOf(theme: OldObject): string {
  return rawOf(theme['stylesheet'])
}
