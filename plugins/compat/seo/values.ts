import { cacheUntil, plainText, type FoundPost } from '../../public.ts'
import type { SeoFacts } from './facts.ts'
import type { SeoPage } from './page.ts'
import type { Resolve } from './variables.ts'

/** Characters of a generated excerpt. */
const EXCERPT_LENGTH = 156
const DAY_MS = 86_400_000
/** Formats of the variables of the current time. */
const NOW: Readonly<Record<string, string>> = {
  currentdate: '',
  currenttime: 'g:i a',
  currentyear: 'Y',
  currentmonth: 'F',
  currentday: 'j',
}

/** Values for the variables of a template, in addition to the page. */
export interface VariableSource {
  readonly facts: SeoFacts
  readonly separator: string
  /** Chosen focus keywords of a post. */
  readonly focus?: string
  /** Chosen primary category of a post. */
  readonly primary?: unknown
  readonly organization?: string
}

/** Returns the function that resolves the variables of both plugins for a page. */
export function valuesOf(page: SeoPage, source: VariableSource): Resolve {
  const { facts, separator } = source
  const ofPage = (name: string, argument: string) => pageValue(name, argument, page, source)
  return async (name, argument) => {
    const site = name.startsWith('site') || name === 'tagline' ? await facts.texts.site() : null
    switch (name) {
      case 'sitename':
        return site!.title
      case 'sitedesc':
      case 'tagline':
        return site!.tagline
      case 'org_name':
        return source.organization ?? (await facts.texts.site()).title
      case 'page':
        return page.page > 1 ? `${separator} Page ${page.page} of ${page.pages}` : ''
      case 'pagenumber':
        return page.page > 1 ? String(page.page) : ''
      case 'pagetotal':
        return page.pages > 1 ? String(page.pages) : ''
      case 'search_query':
      case 'searchphrase':
        return page.kind === 'search' ? page.search : ''
      case 'url':
      case 'permalink':
        return page.url ?? ''
      case 'archive_title':
        return facts.name(page)
    }
    if (Object.hasOwn(NOW, name)) {
      // Times within the day change at the next request after the cache was renewed.
      cacheUntil(Math.ceil(Date.now() / DAY_MS) * DAY_MS)
      return facts.texts.date(new Date().toISOString().slice(0, 19), argument || NOW[name]!)
    }
    return ofPage(name, argument)
  }
}

async function pageValue(
  name: string,
  argument: string,
  page: SeoPage,
  source: VariableSource,
): Promise<string | undefined> {
  const { facts } = source
  if (page.kind === 'post') return postValue(name, argument, page.post, page, source)
  if (page.kind === 'term') {
    if (['term', 'term_title', 'title', 'category', 'tag', 'categories', 'tags'].includes(name)) return facts.name(page)
    if (name.endsWith('_description') || name === 'excerpt') return plainText(page.term.description)
  }
  if (page.kind === 'author') {
    if (name === 'name' || name === 'title' || name === 'post_author') return facts.name(page)
    if (name === 'user_description') return facts.biography(page.user.id, page.scope)
    if (name === 'userid') return String(page.user.id)
  }
  if (page.kind === 'type') {
    if (name === 'pt_plural' || name === 'title') return page.type.label
    if (name === 'pt_single') return page.type.labels['singular_name'] ?? page.type.label
  }
  if (page.kind === 'date' && (name === 'date' || name === 'title')) return facts.period(page.period)
  return undefined
}

async function postValue(
  name: string,
  argument: string,
  post: FoundPost,
  page: SeoPage,
  source: VariableSource,
): Promise<string | undefined> {
  const { facts } = source
  const { scope } = page
  const { contentTypes, posts } = facts.plugin.services
  const namesOf = async (taxonomy: string) =>
    (await facts.termsOf(post, taxonomy, scope)).map((term) => plainText(term.name))
  switch (name) {
    case 'title':
    case 'seo_title':
      return facts.title(post)
    case 'parent_title': {
      const parent = await posts.get(post.parent_id, scope)
      return parent?.status === 'publish' ? facts.title(parent) : ''
    }
    case 'excerpt':
    case 'seo_description':
      return facts.texts.excerpt(post, EXCERPT_LENGTH, scope)
    case 'excerpt_only':
    case 'caption':
      return post.password === '' ? plainText(post.excerpt) : ''
    case 'category':
      return (await namesOf('category'))[0]
    case 'primary_category':
    case 'primary_taxonomy_terms':
      return plainText((await facts.primaryTerm(post, 'category', source.primary, scope))?.name ?? '')
    case 'categories':
      return (await namesOf('category')).join(', ')
    case 'tag':
    case 'tags':
      return (await namesOf('post_tag')).join(', ')
    case 'customterm':
      return (await namesOf(argument)).join(', ')
    case 'date':
      return facts.texts.date(post.date, argument)
    case 'modified':
      return facts.texts.date(post.modified, argument)
    case 'post_year':
      return post.date.slice(0, 4)
    case 'post_month':
      return post.date.slice(5, 7)
    case 'post_day':
      return post.date.slice(8, 10)
    case 'id':
      return String(post.id)
    case 'name':
    case 'post_author':
      return plainText((await facts.author(post, scope))?.name ?? '')
    case 'userid':
      return String(post.author_id)
    case 'user_description':
      return post.author_id === 0 ? '' : facts.biography(post.author_id, scope)
    case 'pt_plural':
      return contentTypes.get(post.type)?.label
    case 'pt_single':
      return contentTypes.get(post.type)?.labels['singular_name'] ?? undefined
    case 'focuskw':
    case 'keywords':
    case 'focuskeyword':
      return source.focus
    case 'customfield':
      return customField(argument, post, page, facts)
  }
  if (name.startsWith('cf_')) return customField(name.slice('cf_'.length), post, page, facts)
  return name.startsWith('ct_') ? (await namesOf(name.slice('ct_'.length))).join(', ') : undefined
}

/** A public meta value; internal keys begin with an underscore. */
async function customField(key: string, post: FoundPost, { scope }: SeoPage, facts: SeoFacts): Promise<string> {
  const { meta } = facts.plugin.services
  const registered = meta.fieldsOf('post', post.type).some((field) => field.key === key)
  if (key.startsWith('_') || (registered && !meta.isPublic('post', post.type, key))) return ''
  const value = await meta.single('post', post.id, key, scope)
  return typeof value === 'string' ? plainText(value) : ''
}
