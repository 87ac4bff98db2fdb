import { definePlugin, type BodyReader } from '../../../kernel/index.ts'
import { Bodies } from './body-reader.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Reads the bodies of requests: the kernel calls it. */
    bodies: BodyReader
  }
}

/**
 * Reads the bodies of requests within the limits of the config key `limits` and parses them: JSON, forms and multipart forms
 * with files; others are passed as bytes. Without this plugin requests with a body get 415.
 */
export default definePlugin({
  name: 'bodies',
  provides: ['bodies'],
  apply(plugin) {
    plugin.provide('bodies', new Bodies(plugin))
  },
})
