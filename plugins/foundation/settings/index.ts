import { definePlugin, filter, type Filter, type HookSpecs, type PluginContext } from '../../../kernel/index.ts'
import { wholeChange, type ChangeReader } from '../../storage/changes/index.ts'
import { SettingsController } from './controller.ts'
import { registerDefaults } from './defaults.ts'
import { createSiteOptions, type SiteOptions } from './options.ts'
import { registerReferences } from './references.ts'
import { createSettings, type Setting, type Settings } from './settings.ts'

export { PRIVACY_PAGE } from './defaults.ts'
export type { SiteOptions } from './options.ts'
export type { Setting, Settings, SettingSpec, ShownSetting } from './settings.ts'

interface SettingHooks {
  /** Filter: the value of a setting in the REST API; undefined shows the stored value. @since 0.1.0 */
  rest_pre_get_setting: Filter<unknown, [name: string, setting: Setting]>
  /**
   * Filter: whether a tap has stored the value of a setting itself. The value is validated; null restores the default.
   * Runs inside the transaction, and a tap can reject the value by throwing. @since 0.1.0
   */
  rest_pre_update_setting: Filter<boolean, [name: string, value: unknown, setting: Setting]>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Stored values of the site by name.
     * @example
     * await services.options.set('garden_name', 'Kew')
     * const name = await services.options.get('garden_name', 'no name yet')
     */
    options: SiteOptions
    /**
     * Registers options as settings: their types, defaults and place in the REST API.
     * @example
     * services.settings.register('garden_name', { type: 'string', default: 'Garden', show_in_rest: true })
     */
    settings: Settings
  }
  interface Hooks extends SettingHooks {}
}

/** Provides options and settings, and the route for users who can manage the site. */
export default definePlugin({
  name: 'settings',
  needs: ['resources', 'store', 'roles'],
  after: ['changes'],
  provides: ['settings', 'options'],
  hooks: {
    rest_pre_get_setting: filter('value', 'name', 'setting'),
    rest_pre_update_setting: filter('stored', 'name', 'value', 'setting'),
  } satisfies HookSpecs<SettingHooks>,
  apply(plugin) {
    const { has, hooks, provide, services, since, urls } = plugin
    const settings = createSettings(since('6.6'))
    const options = createSiteOptions(services.store, settings, services.accountChanges)
    registerDefaults(settings, urls)
    provide('settings', settings)
    provide('options', options)
    registerReferences(plugin, settings, options)
    if (has('changes')) services.changeReaders.set('option', readerOfOptions(services, settings))

    // At a late stage, so that settings that other plugins register in this hook are included.
    hooks.rest_api_init.tap({ name: 'settings', stage: 100 }, (server) =>
      new SettingsController(plugin, settings, options).register(server),
    )
  },
})

/** Users who can manage the site see changes of all options, other users only changes of visible settings. */
function readerOfOptions({ capabilities }: PluginContext['services'], settings: Settings): ChangeReader {
  return {
    read: (user, changes) => {
      const may = capabilities.can(user, 'manage_options')
      return changes.map(({ object, change, tags }) =>
        may || settings.get(object)?.visible === true
          ? wholeChange(change, tags)
          : { before: null, after: null, tags: [] },
      )
    },
  }
}
