import { definePlugin } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import { LanguageAdmin } from './admin.ts'
import { LanguageFields } from './fields.ts'
import { serveFlags } from './flags.ts'
import { LANGUAGE, Languages, POST_GROUPS, TERM_GROUPS, TERM_LANGUAGE } from './languages.ts'
import { LanguageLinks } from './links.ts'
import { SWITCHER_KEY, tapMenus } from './menus.ts'
import { tapPages } from './pages.ts'
import { PostGroups } from './post-groups.ts'
import { RestLanguages } from './rest.ts'
import { registerRoutes } from './routes.ts'
import { tapSitemaps } from './sitemaps.ts'
import { tapSlugs } from './slugs.ts'
import { registerSwitcher } from './switcher-block.ts'
import { Switcher, switcherSettings, tapMenuRoutes } from './switcher.ts'
import { LanguageWriter } from './writer.ts'

/** Options of languages. */
export interface LanguagesOptions {
  /**
   * Whether the site works as with the Pro version of Polylang: posts and terms have the fields `lang` and
   * `translations`, `?lang=` limits lists of posts, and items of different languages can have the same slug. The free
   * version has none of these.
   */
  fields: boolean
}

/** Serves posts, terms and menus in several languages, with the data of sites that used Polylang. */
export default definePlugin<LanguagesOptions>({
  name: 'languages',
  description: 'Languages of posts, terms, menus and pages, and the routes pll/v1.',
  needs: [
    'content-types',
    'extra-fields',
    'meta',
    'permalinks',
    'posts',
    'roles',
    'settings',
    'store',
    'taxonomies',
    'terms',
  ],
  after: ['admin', 'blocks', 'crawlers', 'menu-routes', 'menus', 'site-pages', 'site-requests', 'themes'],
  startsIf: switchedOn('languages'),
  options: { fields: { default: false, type: 'boolean' } },
  apply(plugin, { fields }) {
    const { has, hooks, services } = plugin
    const { contentTypes, taxonomies } = services
    const languages = new Languages(plugin)
    const links = new LanguageLinks(plugin, languages)
    const writer = new LanguageWriter(plugin, languages)
    const hidden = { public: false, rewrite: false, query_var: false, show_in_rest: false } as const
    taxonomies.register(LANGUAGE, [], { ...hidden, label: 'Languages' })
    taxonomies.register(POST_GROUPS, [], { ...hidden, label: 'Translations of posts' })
    taxonomies.register(TERM_LANGUAGE, [], { ...hidden, label: 'Languages of terms' })
    taxonomies.register(TERM_GROUPS, [], { ...hidden, label: 'Translations of terms' })
    links.tap()
    const switcher = new Switcher(plugin, languages, links)
    tapPages(plugin, languages, switcher)
    registerSwitcher(plugin, switcher)
    if (has('menus')) tapMenus(plugin, languages)
    if (has('menu-routes')) tapMenuRoutes(plugin, switcher, switcherSettings(plugin, SWITCHER_KEY))
    if (has('site-requests')) serveFlags(plugin)
    if (has('crawlers')) tapSitemaps(plugin, languages)
    const groups = new PostGroups(plugin)
    const languageFields = new LanguageFields(plugin, languages, writer, groups)
    const admin = has('admin') ? new LanguageAdmin(plugin, languages, writer, languageFields) : null
    admin?.addPage()
    if (fields) tapSlugs(plugin, languages)
    hooks.before_delete_post.tapPromise('languages', (post) => groups.forget(post.id))
    hooks.rest_api_init.tapPromise({ name: 'languages', stage: 90 }, async (server) => {
      for (const { name } of contentTypes.all()) {
        taxonomies.attach(LANGUAGE, name)
        taxonomies.attach(POST_GROUPS, name)
      }
      new RestLanguages(plugin, languages, writer).tap()
      if (fields) await languageFields.register()
      await admin?.addParts()
      registerRoutes(plugin, server, { languages, links, writer })
    })
  },
})
