import { modulesOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

export default {
  config: { plugins: { './garden.ts': true } },
  files: {
    ...(await modulesOf('docs/guides/tables.md')),
    'node_modules/kysely/package.json': '{ "name": "kysely", "type": "module", "exports": "./index.js" }',
    'node_modules/kysely/index.js': `export * from ${JSON.stringify(import.meta.resolve('kysely'))}`,
  },
  async prepare() {
    // The owner removes the plugin from the config first.
    return { 'svc plugins remove': "echo '{}' > svc.config.json; svc plugins remove" }
  },
  prints: [/"name":"moss"[\s\S]*tables/, /garden/],
} satisfies Examples as Examples
