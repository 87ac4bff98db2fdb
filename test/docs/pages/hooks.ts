import { fragmentsOf, modulesOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

const page = 'docs/guides/hooks.md'
const modules = await modulesOf(page)
const TYPE = "services.contentTypes.register('plant', { label: 'Plants', show_in_rest: true })"
const DATA = 'const priceOf = async () => 3, stockOf = async () => 4'

export default {
  prelude: [
    'declare const priceOf: (id: number) => Promise<number>',
    'declare const stockOf: (id: number) => Promise<number>',
  ],
  config: {
    plugins: { './fragments.ts': true, ...Object.fromEntries(Object.keys(modules).map((file) => [`./${file}`, true])) },
  },
  files: {
    ...modules,
    'fragments.ts': await fragmentsOf(page, ['posts', 'content-types', 'changes'], { before: `${TYPE}\n${DATA}` }),
  },
  prints: [/"rendered":"HELLO"[\s\S]*loud/],
} satisfies Examples as Examples
