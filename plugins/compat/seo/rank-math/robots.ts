import { isOn, listOf, textOf } from '../options.ts'
import type { SeoPage } from '../page.ts'
import type { RankMathSettings } from './settings.ts'

/** Values that limit what search engines show of indexed pages. */
const LIMITS: Readonly<Record<string, string>> = {
  'max-snippet': '-1',
  'max-video-preview': '-1',
  'max-image-preview': 'large',
}
/** Values that a list of robots can have besides `index` and `follow`. */
const FURTHER = ['noarchive', 'nosnippet', 'noimageindex']

/**
 * Returns the values for robots of a page. A list of values is in alphabetical order; the defaults are not.
 * @param chosen the list of the post, term or user
 * @param isPublic whether search engines may list the site
 */
export function robotsOf(
  page: SeoPage,
  settings: RankMathSettings,
  { chosen, advanced, isPublic }: { chosen: unknown; advanced: unknown; isPublic: boolean },
): Record<string, string> {
  const ofPage = settings.robotsOf(page)
  const own = listOf({ own: chosen }, 'own')
  const list =
    own ?? (ofPage.isOn ? listOf({ own: ofPage.list }, 'own') : null) ?? listOf(settings.titles, 'robots_global')
  const isHidden = !isPublic || list?.includes('noindex') === true || isHiddenKind(page, settings)
  const isFollowed = isPublic && list?.includes('nofollow') !== true
  const base: Record<string, string> = {
    index: isHidden ? 'noindex' : 'index',
    follow: isFollowed ? 'follow' : 'nofollow',
  }
  for (const name of FURTHER) if (list?.includes(name) === true) base[name] = name
  const isDefault = list === null && !isHidden
  const robots = isDefault ? base : sorted(base)
  if (isHidden || page.kind === 'other') return robots
  return { ...robots, ...limitsOf(advanced ?? settings.titles['advanced_robots_global'], list) }
}

const sorted = (robots: Record<string, string>) =>
  Object.fromEntries(Object.entries(robots).toSorted(([, a], [, b]) => (a < b ? -1 : 1)))

/** Whether pages of this kind are never indexed. */
function isHiddenKind(page: SeoPage, { titles }: RankMathSettings): boolean {
  if (page.kind === 'missing') return true
  if (page.kind === 'search') return isOn(titles, 'noindex_search', true)
  if (page.kind === 'post') return page.post.password !== '' && isOn(titles, 'noindex_password_protected')
  if (page.kind === 'term' && page.term.count === 0 && isOn(titles, 'noindex_empty_taxonomies')) return true
  return page.page > 1 && page.kind !== 'other' && isOn(titles, 'noindex_archive_subpages')
}

function limitsOf(chosen: unknown, list: readonly string[] | null): Record<string, string> {
  const own = typeof chosen === 'object' && chosen !== null ? (chosen as Record<string, unknown>) : {}
  const limits = Object.keys(own).length === 0 ? LIMITS : own
  const shown = Object.entries(LIMITS).filter(([name]) => {
    if (name === 'max-snippet' && list?.includes('nosnippet') === true) return false
    return Object.hasOwn(limits, name) && !(name === 'max-image-preview' && list?.includes('noimageindex') === true)
  })
  return Object.fromEntries(
    shown.map(([name, fallback]) => {
      const value = textOf(limits, name, fallback)
      return [name, `${name}:${/^-?\w{1,10}$/.test(value) ? value : fallback}`]
    }),
  )
}
