import type { PluginContext } from '../../public.ts'
import { currentLanguage } from './current.ts'
import type { Languages } from './languages.ts'
import { isRecord } from './options.ts'

/** Key of the meta with the settings of a language switcher in a menu. */
export const SWITCHER_KEY = '_pll_menu_item'

/** Assigns to each location the menu of the current language, and shows the settings of switchers in menus. */
export function tapMenus(plugin: PluginContext, languages: Languages): void {
  const { hooks, services } = plugin
  hooks.menu_assignments.tapPromise('languages', async (assigned, scope) => {
    if (scope === null) return assigned
    const language = await currentLanguage(languages, scope)
    if (language === undefined) return assigned
    const [{ nav_menus: byTheme }, theme] = await Promise.all([
      languages.settings(),
      plugin.has('themes') ? services.themes.active() : null,
    ])
    const ofTheme = byTheme[theme?.stylesheet ?? ''] ?? Object.values(byTheme)[0] ?? {}
    const own = Object.entries(ofTheme).flatMap(([location, menus]) => {
      const menu = Number(menus[language.slug]) || 0
      return menu === 0 ? [] : [[location, menu] as const]
    })
    return new Map([...assigned, ...own])
  })
  services.meta.register('post', SWITCHER_KEY, {
    subtype: 'nav_menu_item',
    type: 'object',
    single: true,
    default: {},
    show_in_rest: {
      schema: { type: 'object', additionalProperties: true },
      prepare_callback: (value) => switcherOf(value),
    },
    auth_callback: (_allowed, _key, _id, { user }) => services.capabilities.can(user, 'edit_theme_options'),
  })
}

/** Returns the settings of a switcher, whose stored values are numbers. */
function switcherOf(value: unknown): unknown {
  const entries = isRecord(value) ? Object.entries(value) : []
  // Empty maps are lists, as clients expect.
  if (entries.length === 0) return []
  return Object.fromEntries(entries.map(([name, set]) => [name, set === true || Number(set) === 1]))
}
