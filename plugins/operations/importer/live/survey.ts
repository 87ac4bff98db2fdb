import { exportedNames } from '../../../library/branding/index.ts'
import { phrase, type ReportPhrase, type ReportReason } from '../phrases.ts'
import type { Collection, OldTaxonomy, OldType, Paging } from './collections.ts'
import type { FoundSite } from './discovery.ts'
import { errors } from '../errors.ts'
import { gapOf } from './gap.ts'
import { RouteFailure, type OldResponse } from './old-response.ts'
import type { Query } from './remote-site.ts'
import type { LiveGap } from './types.ts'
import { hasRaw, listOf, objectOf, text, type OldObject } from './values.ts'

/** The types, taxonomies and counts of the old site, as far as the user can read them. */
export interface Survey {
  readonly types: readonly OldType[]
  readonly taxonomies: readonly OldTaxonomy[]
  readonly collections: readonly Collection[]
  /** Statuses of posts by slug. */
  readonly statuses: readonly string[]
  readonly gaps: readonly LiveGap[]
  /** Login of the user; null without one. */
  readonly user: string | null
}

/** Statuses of posts that no list contains and that are not content. */
const INTERNAL_STATUSES = /^(?:any|auto-draft|request-.*)$/
/** Content types with routes of other shapes, which are read separately. */
const SPECIAL_TYPES: readonly string[] = ['template', 'template_part', 'global_styles', 'font_face'].map(
  (name) => exportedNames.typePrefix + name,
)
const FONT_FAMILY = `${exportedNames.typePrefix}font_family`
const MENU_ITEM = 'nav_menu_item'
const MENU = 'nav_menu'

/** A collection before its first request. */
type Planned = Pick<Collection, 'key' | 'kind' | 'holds' | 'slug' | 'route'> & { capability: string }

/**
 * Finds out which collections the old site has and how the user can read them.
 * @throws IMPORT_LIVE_LOGIN; the errors of `RemoteSite.get`
 */
export async function survey(found: FoundSite, login: string | null): Promise<Survey> {
  const gaps: LiveGap[] = []
  const user = login === null ? null : await checkLogin(found, login)
  const gapAt = (text: ReportReason) => (failure: RouteFailure) =>
    void gaps.push(gapOf({ text }, reasonOf(failure, '')))
  const [types, taxonomies, statuses] = await Promise.all([
    readObjects(found, 'types', gapAt('content types')),
    readObjects(found, 'taxonomies', gapAt('taxonomies')),
    readObjects(found, 'statuses', () => {}),
  ])
  const oldTypes = Object.values(types).flatMap((type) => typeOf(found, objectOf(type), gaps))
  const oldTaxonomies = Object.values(taxonomies).flatMap((taxonomy) => taxonomyOf(found, objectOf(taxonomy), gaps))
  const known = Object.keys(statuses).filter(isSlug)
  const planned = plan(found, oldTypes, oldTaxonomies)
  const collections = await Promise.all(planned.map((one) => openCollection(found, one, known, gaps)))
  return {
    types: oldTypes,
    taxonomies: oldTaxonomies,
    collections: collections.filter((one) => one !== null),
    statuses: known,
    gaps,
    user,
  }
}

function plan({ site }: FoundSite, types: readonly OldType[], taxonomies: readonly OldTaxonomy[]): Planned[] {
  const ownName = (name: string) => ownTypeName(name, site.root.word)
  return [
    {
      key: 'users',
      kind: 'users',
      holds: 'users',
      slug: '',
      route: site.route('users'),
      capability: 'list_users',
    } satisfies Planned,
    ...taxonomies.map(({ slug, route }): Planned => {
      const isMenu = slug === MENU
      return {
        key: `tax-${slug}`,
        kind: `${ownName(slug)} terms`,
        holds: isMenu ? 'menus' : 'terms',
        slug: ownName(slug),
        route,
        capability: isMenu ? 'edit_theme_options' : 'manage_categories',
      }
    }),
    ...types
      .filter(({ slug }) => !SPECIAL_TYPES.includes(ownName(slug)))
      .map(({ slug, route }): Planned => {
        const name = ownName(slug)
        const holds =
          name === 'attachment' ? 'media' : name === MENU_ITEM ? 'menu items' : name === FONT_FAMILY ? 'fonts' : 'items'
        const capability = holds === 'menu items' || holds === 'fonts' ? 'edit_theme_options' : 'edit_others_posts'
        return { key: `type-${slug}`, kind: `${name} items`, holds, slug: name, route, capability }
      }),
    {
      key: 'comments',
      kind: 'comments',
      holds: 'comments',
      slug: '',
      route: site.route('comments'),
      capability: 'moderate_comments',
    } satisfies Planned,
  ]
}

/** Names of types of the old site carry its word. Returns the name that exports use. */
export function ownTypeName(name: string, word: string): string {
  return name.startsWith(`${word}_`) ? exportedNames.typePrefix + name.slice(word.length + 1) : name
}

/** Reads the first object and the number of objects. Returns null, with a gap, if the route cannot be read. */
async function openCollection(
  found: FoundSite,
  planned: Planned,
  statuses: readonly string[],
  gaps: LiveGap[],
): Promise<Collection | null> {
  const { site, index } = found
  const { capability, ...collection } = planned
  const args = index.routes.get(planned.route)
  let refused: RouteFailure | null = null
  for (const query of queriesOf(planned, args, statuses, site.isLoggedIn)) {
    let response: OldResponse
    try {
      response = await site.get(planned.route, { ...query, ...(planned.holds !== 'menus' && { per_page: 1 }) })
      if (!Array.isArray(response.body)) throw new RouteFailure('invalid', 'the response is not a list')
    } catch (error) {
      if (!(error instanceof RouteFailure)) throw error
      refused ??= error
      if (error.kind === 'rights' || error.kind === 'invalid') continue
      break
    }
    const sample = objectOf(listOf(response.body)[0])
    if (refused !== null) gaps.push(gapOf(planned.kind, partialReason(refused, capability, site.isLoggedIn)))
    const isRaw = ['content', 'title', 'caption', 'description'].some((field) => hasRaw(sample[field]))
    return { ...collection, query, paging: pagingOf(args), total: response.total, sample, isRaw }
  }
  if (refused !== null) gaps.push(gapOf(planned.kind, reasonOf(refused, capability)))
  return null
}

/** Queries to try in order, from the one that shows most to the public one. */
function queriesOf(
  { holds }: Planned,
  args: OldObject | undefined,
  statuses: readonly string[],
  isLoggedIn: boolean,
): Query[] {
  const accepts = (name: string) => args === undefined || Object.hasOwn(args, name)
  const open: Query = holds === 'comments' && accepts('type') ? { type: 'all' } : {}
  if (!isLoggedIn || !accepts('context')) return holds === 'comments' ? [open, {}] : [{}]
  const edit = { context: 'edit' }
  if (holds === 'comments') return [{ ...edit, status: 'any', type: 'all' }, { ...edit, status: 'all' }, edit, open, {}]
  const enumerated = listOf(objectOf(objectOf(args?.['status'])['items'])['enum']).map(text)
  const all = enumerated.filter(
    (status) =>
      isSlug(status) &&
      !INTERNAL_STATUSES.test(status) &&
      (statuses.length === 0 || statuses.includes(status) || (status === 'inherit' && holds === 'media')),
  )
  if (all.length === 0) return [edit, {}]
  const withoutTrash = all.filter((status) => status !== 'trash')
  return [{ ...edit, status: all.join(',') }, { ...edit, status: withoutTrash.join(',') }, edit, {}]
}

function pagingOf(args: OldObject | undefined): Paging {
  if (args === undefined || !Object.hasOwn(args, 'page')) return args === undefined ? 'page' : 'single'
  const orders = listOf(objectOf(args['orderby'])['enum'])
  return Object.hasOwn(args, 'offset') && orders.includes('id') ? 'offset' : 'page'
}

/** Verifies the password and returns the login name. @throws IMPORT_LIVE_LOGIN */
async function checkLogin({ site, index }: FoundSite, login: string): Promise<string> {
  try {
    const { body } = await site.get(site.route('users/me'), { context: 'edit' })
    return text(objectOf(body)['username']) || login
  } catch (error) {
    if (!(error instanceof RouteFailure) || error.kind === 'failing') throw error
    const { phrase: said } = error
    const reason = index.hasPasswords
      ? said
      : phrase('{reason}. The old site does not offer application passwords, for which it must use https', {
          reason: said,
        })
    throw errors.IMPORT_LIVE_LOGIN({ user: login, reason }, { cause: error })
  }
}

/** Reads a route with objects by name: the public objects, and the objects that the user may edit. */
async function readObjects(
  { site }: FoundSite,
  path: string,
  onFailure: (failure: RouteFailure) => void,
): Promise<OldObject> {
  const read = async (query: Query): Promise<OldObject | RouteFailure> => {
    try {
      return objectOf((await site.get(site.route(path), query)).body)
    } catch (error) {
      if (!(error instanceof RouteFailure)) throw error
      return error
    }
  }
  const shown = await read({})
  const edited = site.isLoggedIn ? await read({ context: 'edit' }) : shown
  if (!(shown instanceof RouteFailure)) return edited instanceof RouteFailure ? shown : { ...shown, ...edited }
  if (!(edited instanceof RouteFailure)) return edited
  onFailure(shown)
  return {}
}

function typeOf(found: FoundSite, type: OldObject, gaps: LiveGap[]): OldType[] {
  const route = routeOf(found, type)
  const slug = text(type['slug'])
  if (route !== null && isSlug(slug)) return [{ slug, name: text(type['name']), route }]
  // The routes of faces contain the family.
  if (SPECIAL_TYPES.includes(ownTypeName(slug, found.site.root.word))) return []
  gaps.push(gapOf(phrase('content type {slug}', { slug }), NO_ROUTE))
  return []
}

function taxonomyOf(found: FoundSite, taxonomy: OldObject, gaps: LiveGap[]): OldTaxonomy[] {
  const route = routeOf(found, taxonomy)
  const slug = text(taxonomy['slug'])
  if (route !== null && isSlug(slug)) {
    return [{ slug, name: text(taxonomy['name']), route, field: text(taxonomy['rest_base']) }]
  }
  gaps.push(gapOf(phrase('taxonomy {slug}', { slug }), NO_ROUTE))
  return []
}

function routeOf({ site }: FoundSite, { rest_base: base, rest_namespace: namespace }: OldObject): string | null {
  const path = text(base)
  if (!/^[\w%-]+(?:\/[\w%-]+)*$/.test(path)) return null
  const space = text(namespace)
  return /^[\w.-]+(?:\/[\w.-]+)*$/.test(space) && !space.includes('..') ? `/${space}/${path}` : site.route(path)
}

/** Whether a name of the old site is safe as the name of a file and of a column value. */
function isSlug(name: string): boolean {
  return /^[a-z0-9_-]{1,64}$/i.test(name)
}

const NO_ROUTE: ReportPhrase = { text: 'it has no route in the REST API' }

/** Describes why a route cannot be read. */
export function reasonOf({ kind, phrase: reason }: RouteFailure, capability: string): ReportPhrase {
  if (kind === 'rights') {
    return capability === ''
      ? phrase('it needs another user ({reason})', { reason })
      : phrase('it needs a user with the capability {capability} ({reason})', { capability, reason })
  }
  return kind === 'missing' ? phrase('the old site has no such route ({reason})', { reason }) : reason
}

function partialReason(failure: RouteFailure, capability: string, isLoggedIn: boolean): ReportPhrase {
  const text = isLoggedIn ? 'only a part comes: {reason}' : 'only the public part comes: {reason}'
  return phrase(text, { reason: reasonOf(failure, capability) })
}
