import { fragmentsOf, modulesOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

const page = 'docs/guides/replacing-defaults.md'
const modules = await modulesOf(page)

export default {
  config: {
    plugins: {
      'fields-parameter': { use: './my-fields.ts' },
      './garden.ts': true,
      './watering.ts': { least: 3 },
      './fragments.ts': true,
    },
  },
  files: { ...modules, 'fragments.ts': await fragmentsOf(page, ['extra-fields']) },
  prints: [/^x-fields: id/im],
} satisfies Examples as Examples
