import { escapeHtml, type FoundPage, type PluginContext, type RequestCache } from '../../public.ts'
import { flagHtml } from './flags.ts'
import { languageTag } from './locales.ts'
import { classesOf, shownLinks, type Switcher, type SwitcherLink } from './switcher.ts'

/** The page that is rendered, by its cache. */
const pages = new WeakMap<RequestCache, FoundPage | null>()

const FLAG = { type: 'boolean', default: false } as const

/** Registers the block that links the translations of a page, under the name that imported content uses. */
export function registerSwitcher({ has, hooks, services }: PluginContext, switcher: Switcher): void {
  if (has('site-pages')) hooks.site_page_found.tap('languages', (found, scope) => void pages.set(scope, found))
  if (!has('blocks')) return
  services.blocks.register('polylang/language-switcher', {
    title: 'Language switcher',
    description: 'Links to the translations of the page.',
    category: 'widgets',
    attributes: {
      show_names: { type: 'boolean', default: true },
      show_flags: FLAG,
      hide_current: FLAG,
      hide_if_no_translation: FLAG,
    },
    async render_callback(settings, _content, { scope }) {
      const links = shownLinks(await switcher.links(pages.get(scope) ?? null, scope), settings)
      if (links.length === 0) return ''
      return `<ul class="polylang-language-switcher">${links.map((link) => itemOf(link, settings)).join('')}</ul>`
    },
  })
}

/** Renders a link. The name of a language is stored as HTML. */
function itemOf(
  link: SwitcherLink,
  { show_flags: hasFlag, show_names: hasName }: Readonly<Record<string, unknown>>,
): string {
  const { language, url, isCurrent } = link
  const tag = escapeHtml(languageTag(language.locale))
  const flag = hasFlag === true ? flagHtml(language.flag, hasName === false ? language.name : '') : ''
  const name = hasName === false && flag !== '' ? '' : language.name
  const current = isCurrent ? ' aria-current="true"' : ''
  const text = [flag, name].filter((part) => part !== '').join(' ')
  return `<li class="${escapeHtml(classesOf(link).join(' '))}"><a lang="${tag}" hreflang="${tag}" href="${escapeHtml(url)}"${current}>${text}</a></li>`
}
