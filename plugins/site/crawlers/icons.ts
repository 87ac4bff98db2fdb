import { HeaderMap, RequestCache, VISITOR, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import { plainText } from '../../rendering/html/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'
import { etagOf } from '../../requests/conditional/index.ts'
import type { HeadElement } from '../site-pages/index.ts'

/** Path of the icon that is generated for sites without an icon. */
const GENERATED_ICON_PATH = '/favicon.svg'
/** Widths in pixels of the icons for browsers and for home screens. */
const BROWSER_WIDTH_PIXELS = 32
const HOME_SCREEN_WIDTH_PIXELS = 180

const CACHED = { 'Cache-Control': 'public, max-age=3600' }

/** An icon of the site: its URL, and its width in pixels if it is known. */
interface Icon {
  readonly url: string
  readonly width: number
}

/** Returns the links to the icons of the site for the head of a page. */
export async function iconLinks(plugin: PluginContext, scope: RequestCache): Promise<HeadElement[]> {
  const link = (rel: string, href: string, more: Record<string, string>): HeadElement => ({
    element: 'link',
    attributes: { rel, href, ...more },
  })
  const icons = await siteIcons(plugin, scope)
  if (icons.length === 0) {
    const version = etagOf(await generatedIcon(plugin))
      .replace(/\W/g, '')
      .slice(0, 12)
    return [link('icon', `${plugin.urls.site(GENERATED_ICON_PATH)}?v=${version}`, { type: 'image/svg+xml' })]
  }
  const [small, large] = [BROWSER_WIDTH_PIXELS, HOME_SCREEN_WIDTH_PIXELS].map((width) => fitting(icons, width))
  const sizes = small!.width > 0 ? { sizes: `${small!.width}x${small!.width}` } : {}
  return [link('icon', small!.url, sizes), link('apple-touch-icon', large!.url, {})]
}

/** Responds to `/favicon.ico` with a redirect to the icon of the site. */
export async function favicon(plugin: PluginContext): Promise<SitePage> {
  const icons = await siteIcons(plugin, new RequestCache())
  const url = icons.length === 0 ? plugin.urls.site(GENERATED_ICON_PATH) : fitting(icons, BROWSER_WIDTH_PIXELS).url
  return { status: 302, headers: new HeaderMap({ ...CACHED, Location: url }), body: null }
}

/** Responds with the generated icon. */
export async function generatedIconPage(plugin: PluginContext): Promise<SitePage> {
  const headers = { ...CACHED, 'Content-Type': 'image/svg+xml', 'X-Content-Type-Options': 'nosniff' }
  return { status: 200, headers: new HeaderMap(headers), body: await generatedIcon(plugin) }
}

/** Returns the sizes of the site icon; empty if the site has none that visitors can see. */
async function siteIcons({ has, services }: PluginContext, scope: RequestCache): Promise<Icon[]> {
  const id = Number(await services.options.get('site_icon', 0))
  const post = id > 0 && has('media') ? await services.posts.get(id, scope) : undefined
  if (post?.type !== 'attachment' || !(await services.posts.isReadable(post, VISITOR, scope))) return []
  const { url, details, sizes } = await services.media.data(post, scope)
  const square = Object.values(sizes).filter(({ width, height }) => width === height)
  return [
    ...square.map((one) => ({ url: one.source_url, width: one.width })),
    { url, width: details['width'] === details['height'] ? Number(details['width']) || 0 : 0 },
  ]
}

/** Returns the smallest icon of at least a width; the largest one if all are smaller. */
function fitting(icons: readonly Icon[], width: number): Icon {
  const sorted = icons.toSorted((one, other) => one.width - other.width)
  return sorted.find((one) => one.width >= width) ?? icons.at(-1)!
}

/** Returns an SVG with the first letter of the site title in the colors of the theme. */
async function generatedIcon({ has, services }: PluginContext): Promise<string> {
  const title = plainText(String(await services.options.get('title', ''))).trim()
  const [first] = new Intl.Segmenter().segment(title)
  const letter = escapeHtml((first?.segment ?? '•').toUpperCase())
  const colors = has('global-styles') && has('themes') ? await services.globalStyles.pageColors() : null
  const rules = (background: string | null | undefined, accent: string | null | undefined) =>
    `rect{fill:${accent ?? '#333'}}text{fill:${background ?? '#fff'}}`
  const dark = colors?.dark
  const style =
    rules(colors?.light.background, colors?.light.accent) +
    (dark ? `@media (prefers-color-scheme:dark){${rules(dark.background, dark.accent)}}` : '')
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>${style}</style>` +
    '<rect width="32" height="32" rx="7"/>' +
    `<text x="16" y="23" font-family="system-ui,sans-serif" font-size="20" font-weight="700" text-anchor="middle">${letter}</text></svg>\n`
  )
}
