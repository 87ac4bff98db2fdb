import { definePlugin, type BodyReader } from '../../../kernel/index.ts'
import { Bodies } from './body-reader.ts'

export { piecesOf } from './multipart.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Reads request bodies. Called by the kernel. */
    bodies: BodyReader
  }
}

/**
 * Reads request bodies within the limits of the config key `limits` and parses JSON, forms and multipart forms with
 * files; other types stay raw bytes. Without this plugin, requests with a body get 415.
 */
export default definePlugin({
  name: 'bodies',
  provides: ['bodies'],
  apply(plugin) {
    plugin.provide('bodies', new Bodies(plugin))
  },
})
