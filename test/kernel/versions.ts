import type { Kernel } from '../../kernel/host.ts'
import {
  applySyncFilter,
  syncFilter,
  type AnyPlugin,
  type PluginContext,
  type Services,
  type SyncFilter,
} from '../../kernel/index.ts'
import { open, plugin } from './bare.ts'

declare module '../../kernel/index.ts' {
  interface Hooks {
    test_reload_text: SyncFilter<string>
  }
}

type TestServices = Services & { words: { text: string } }
export const wordsOf = ({ services }: Pick<PluginContext, 'services'>) => (services as TestServices).words

/** One version of a plugin that says which it is in all that it registers. */
export const version = (
  text: string,
  more: Partial<AnyPlugin> = {},
  also: (context: PluginContext) => unknown = () => {},
) =>
  plugin(
    'words',
    async (context) => {
      const { hooks, provide } = context
      provide('words' as never, { text } as never)
      hooks.rest_api_init.tap('words', (server) => {
        const callback = () => ({
          route: text,
          service: wordsOf(context).text,
          filter: applySyncFilter(hooks.test_reload_text, text),
        })
        server.registerRoute('test/v1', 'it', { callback, ...open })
      })
      hooks.rest_post_dispatch.tap('words', (response) => {
        response.headers.append('x-words', text)
        return response
      })
      await also(context)
    },
    { hooks: { test_reload_text: syncFilter('text') }, ...more },
  )

/** What its route answers. */
export const says = (text: string) => ({ route: text, service: text, filter: text })

/** What a site consists of, in order. */
export const inventory = ({ registry, server, plugins }: Kernel) => ({
  taps: registry.list().map(({ name, taps }) => [name, ...taps.map((tap) => `${tap.plugin}/${tap.name}`)]),
  routes: [...server.routes.keys()],
  owned: plugins.map(({ slot, owner }) => [slot, owner.owned()]),
})
