import { applyFilter, definePlugin, filter, type Filter } from 'svc-rest'

export interface Options {
  /** Text before the name. */
  greeting: string
}

declare module 'svc-rest' {
  interface Hooks {
    /** Filter: the greeting before it is sent. @since 0.1.0 */
    my_plugin_greeting: Filter<string, [name: string]>
  }
}

export default definePlugin<Options>({
  name: 'my-plugin',
  options: {
    greeting: { default: 'Hello', type: 'string' },
  },
  hooks: { my_plugin_greeting: filter('greeting', 'name') },
  apply({ hooks }, { greeting }) {
    hooks.rest_api_init.tap('my-plugin', (server) => {
      server.registerRoute('my-plugin/v1', '/greet/(?P<name>[\\w-]+)', {
        methods: 'GET',
        permission_callback: () => true,
        args: { name: { type: 'string', maxLength: 40 } },
        callback: async (request) => {
          const name = String(request.get('name'))
          return { text: await applyFilter(hooks.my_plugin_greeting, `${greeting}, ${name}!`, name) }
        },
      })
    })
  },
})
