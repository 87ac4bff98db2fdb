import { definePlugin } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import { serveFlags } from './flags.ts'
import { LANGUAGE, Languages, POST_GROUPS, TERM_GROUPS, TERM_LANGUAGE } from './languages.ts'
import { LanguageLinks } from './links.ts'
import { SWITCHER_KEY, tapMenus } from './menus.ts'
import { tapPages } from './pages.ts'
import { RestLanguages } from './rest.ts'
import { registerRoutes } from './routes.ts'
import { Switcher, switcherSettings, tapMenuRoutes } from './switcher.ts'
import { LanguageWriter } from './writer.ts'

/** Serves posts, terms and menus in several languages, with the data of sites that used Polylang. */
export default definePlugin({
  name: 'languages',
  description: 'Languages of posts, terms, menus and pages, and the routes pll/v1.',
  needs: ['content-types', 'meta', 'permalinks', 'posts', 'roles', 'settings', 'store', 'taxonomies', 'terms'],
  after: ['menu-routes', 'menus', 'site-pages', 'site-requests', 'themes'],
  startsIf: switchedOn('languages'),
  apply(plugin) {
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
    if (has('menus')) tapMenus(plugin, languages)
    if (has('menu-routes')) tapMenuRoutes(plugin, switcher, switcherSettings(plugin, SWITCHER_KEY))
    if (has('site-requests')) serveFlags(plugin)
    hooks.rest_api_init.tap({ name: 'languages', stage: 90 }, (server) => {
      for (const { name } of contentTypes.all()) {
        taxonomies.attach(LANGUAGE, name)
        taxonomies.attach(POST_GROUPS, name)
      }
      new RestLanguages(plugin, languages, writer).tap()
      registerRoutes(plugin, server, { languages, links, writer })
    })
  },
})
