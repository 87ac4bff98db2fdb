import node from '@astrojs/node'
import { defineConfig, envField } from 'astro/config'

export default defineConfig({
  // Pages are rendered when somebody asks for them, from kept answers: a build needs no REST API.
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
