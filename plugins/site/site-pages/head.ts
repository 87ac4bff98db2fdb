import { applyFilter, applySyncFilter, type PluginContext } from '../../../kernel/index.ts'
import type { Words } from '../../foundation/translations/index.ts'
import { versionOf } from '../../requests/conditional/index.ts'
import { plainText } from '../../rendering/html/index.ts'
import type { HeadParts } from './head-parts.ts'
import type { HeadElement, ShownPage } from './hooks.ts'
import { imageOfPost, logoOf } from './share-image.ts'
import type { SiteTexts } from './site-texts.ts'
import { structuredData } from './structured-data.ts'
import type { Subject } from './subject.ts'
import { isoOf } from './times.ts'

/** Maximum characters of a meta description. */
const MAX_DESCRIPTION_LENGTH = 200
/** Width in pixels from which an image fills a large card of a social network. */
const MIN_LARGE_WIDTH_PIXELS = 300

/** Builds the document title: title of the page, page number, title of the site. */
export function documentTitle({ title, page, found }: ShownPage, site: SiteTexts, words: Words): string {
  const number = page > 1 ? [words.t('Page {number}', { number: page })] : []
  const shown = title === '' && found?.kind === 'post' ? words.t('Untitled post') : title
  const parts = found?.kind === 'home' ? [site.title, ...number, site.tagline] : [shown, ...number, site.title]
  return parts.filter((part) => part !== '').join(' – ') || words.t('Untitled site')
}

/** Returns the elements of the head of a page, including elements that plugins add. */
export async function headOf(plugin: PluginContext, parts: HeadParts): Promise<readonly HeadElement[]> {
  const { hooks, urls, branding, has } = plugin
  const { page, subject, isIndexed, urlOf, route } = parts
  const link = (rel: string, href: string, more: Record<string, string> = {}): HeadElement => ({
    element: 'link',
    attributes: { rel, href, ...more },
  })
  const meta = (name: string, content: string): HeadElement => ({ element: 'meta', attributes: { name, content } })
  const og = (property: string, content: string): HeadElement => ({
    element: 'meta',
    attributes: { property, content },
  })
  const own: HeadElement[] = []
  if (has('global-styles')) {
    const { globalStyles } = plugin.services
    const css = await globalStyles.css()
    // The URL serves the styles of the active theme.
    if (plugin.services.themes.isPreview) own.push({ element: 'style', css })
    else own.push(link('stylesheet', `${urls.site(`/${branding.word}-styles.css`)}?v=${versionOf(css)}`))
    const { light, dark } = await globalStyles.pageColors()
    const themeColor = (content: string, media: string) =>
      own.push({ element: 'meta', attributes: { name: 'theme-color', content, ...(media !== '' && { media }) } })
    if (light.background !== null) themeColor(light.background, dark === null ? '' : '(prefers-color-scheme: light)')
    if (dark?.background) themeColor(dark.background, '(prefers-color-scheme: dark)')
  }
  const { stylesheet } = await plugin.services.themes.shown()
  for (const url of await plugin.services.themes.styleSheetUrls(stylesheet)) own.push(link('stylesheet', url))
  const isHidden = !isIndexed || page.isPrivate || page.found === null || page.found.kind === 'search'
  if (isHidden) own.push(meta('robots', 'noindex, follow'))
  const root = urls.rest()
  if (root !== '') own.push(link(branding.rootRelation, root))
  if (page.url !== null && !page.isPrivate) {
    own.push(link('canonical', page.url))
    if (page.page > 1) own.push(link('prev', urlOf(page.page - 1)))
    if (page.page < page.pages) own.push(link('next', urlOf(page.page + 1)))
    own.push(...(await sharing(plugin, parts, og, meta)))
  }
  const { found } = subject
  if (found !== null && !page.isPrivate && !subject.isPostsPage) {
    if (found.kind === 'post' && !subject.isFront && page.page === 1)
      own.push(link('shortlink', urls.site(`/?p=${found.post.id}`)))
    if (route !== '') own.push(link('alternate', urls.rest(route), { type: 'application/json', title: 'JSON' }))
  }
  return applyFilter(hooks.site_head, own, page)
}

type Meta = (name: string, content: string) => HeadElement

/** Returns the description of a page and the data that other sites and search engines read. */
async function sharing(plugin: PluginContext, parts: HeadParts, og: Meta, meta: Meta): Promise<HeadElement[]> {
  const { page, subject, site, isOpened } = parts
  const { services } = plugin
  const { found } = subject
  const post = found?.kind === 'post' ? found.post : null
  const described =
    post !== null
      ? isOpened && !subject.isPostsPage
        ? await services.contentRendering.excerptText(post, { words: 40, more: '…' }, page.scope)
        : ''
      : found?.kind === 'term'
        ? services.html.filter(found.term.description, 'strip')
        : site.tagline
  const description = shortened(plainText(described).replace(/\s+/g, ' ').trim())
  const elements = [
    og('og:type', post === null || subject.isFront || post.type === 'page' ? 'website' : 'article'),
    og('og:title', page.title || site.title),
    og('og:url', page.url!),
    og('og:site_name', site.title),
    og('og:locale', site.language),
  ]
  if (description !== '') elements.push(meta('description', description), og('og:description', description))
  if (post !== null && post.type !== 'page' && post.date_gmt !== '')
    elements.push(og('article:published_time', isoOf(post.date_gmt)))
  if (post !== null && post.type !== 'page' && post.modified_gmt !== '')
    elements.push(og('article:modified_time', isoOf(post.modified_gmt)))
  const own = post !== null && isOpened ? await imageOfPost(plugin, post, page.scope) : null
  const image = own ?? (await logoOf(plugin, page.scope))
  if (image !== null) {
    elements.push(og('og:image', image.url))
    if (image.width > 0) elements.push(og('og:image:width', String(image.width)))
    if (image.height > 0) elements.push(og('og:image:height', String(image.height)))
    if (image.alt !== '') elements.push(og('og:image:alt', image.alt))
  }
  // Networks enlarge and crop images in large cards, which suits neither small images nor logos.
  const isLarge = own !== null && (own.width === 0 || own.width >= MIN_LARGE_WIDTH_PIXELS)
  elements.push(meta('twitter:card', isLarge ? 'summary_large_image' : 'summary'))
  elements.push({ element: 'json-ld', data: await structuredData(plugin, parts, description, image) })
  return elements
}

function shortened(text: string): string {
  return text.length > MAX_DESCRIPTION_LENGTH
    ? `${text.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed().trimEnd()}…`
    : text
}

/** Returns the classes of the body element, with which styles select kinds of pages. */
export function bodyClasses({ hooks }: PluginContext, page: ShownPage, subject: Subject): readonly string[] {
  const { found } = subject
  const own =
    found === null
      ? ['error404']
      : found.kind === 'post' && !subject.isPostsPage
        ? [found.post.type === 'page' ? 'page' : 'single', `${found.post.type}-id-${found.post.id}`]
        : found.kind === 'search'
          ? ['search']
          : found.kind === 'home' || subject.isPostsPage
            ? ['blog']
            : ['archive', found.kind]
  const classes = [...(subject.isFront ? ['home'] : []), ...own, ...(page.page > 1 ? ['paged'] : [])]
  return applySyncFilter(hooks.site_body_class, classes, page)
}
