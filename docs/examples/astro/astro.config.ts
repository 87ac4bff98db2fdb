import node from '@astrojs/node'
import { defineConfig, envField } from 'astro/config'

export default defineConfig({
  // Pages are rendered on request, from cached API responses, so a build does not need the REST API.
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  env: {
    schema: {
      SVC_URL: envField.string({ context: 'server', access: 'secret', url: true }),
      SVC_MENU: envField.string({ context: 'server', access: 'secret', optional: true }),
      WEBHOOK_SECRET: envField.string({ context: 'server', access: 'secret' }),
    },
  },
})
