import type { SeoFacts } from '../facts.ts'
import { YOAST_PREFIX } from '../meta-keys.ts'
import { textOf } from '../options.ts'
import type { SeoPage } from '../page.ts'
import type { YoastSettings } from './settings.ts'

/** The names under which terms have the values of posts. */
const TERM_NAMES: Readonly<Record<string, string>> = {
  title: 'wpseo_title',
  metadesc: 'wpseo_desc',
  canonical: 'wpseo_canonical',
  bctitle: 'wpseo_bctitle',
  focuskw: 'wpseo_focuskw',
}
/** The names under which users have the values of posts. */
const USER_NAMES: Readonly<Record<string, string>> = { title: 'wpseo_title', metadesc: 'wpseo_metadesc' }
const NOINDEX = 'meta-robots-noindex'

/** Returns the texts that editors have chosen for a page, by the names of posts: `title`, `opengraph-image`. */
export type Chosen = (name: string) => string

/** Reads the texts that editors have chosen for a page. */
export async function chosenFor(page: SeoPage, settings: YoastSettings, facts: SeoFacts): Promise<Chosen> {
  if (page.kind === 'post') {
    const meta = await facts.meta('post', page.post.id, page.scope)
    return (name) => scalar(meta.get(YOAST_PREFIX + name))
  }
  if (page.kind === 'term') {
    const own = settings.ofTerm(page.term.taxonomy, page.term.id)
    const noindex = textOf(own, 'wpseo_noindex')
    return (name) => (name === NOINDEX ? noindexOf(noindex) : textOf(own, TERM_NAMES[name] ?? `wpseo_${name}`))
  }
  if (page.kind === 'author') {
    const meta = await facts.meta('user', page.user.id, page.scope)
    return (name) =>
      name === NOINDEX
        ? scalar(meta.get('wpseo_noindex_author')) === 'on'
          ? '1'
          : ''
        : scalar(meta.get(USER_NAMES[name] ?? ''))
  }
  return () => ''
}

/** The value of a post for a value of a term. */
const noindexOf = (value: string) => (value === 'noindex' ? '1' : value === 'index' ? '2' : '')

const scalar = (value: unknown) => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '')
