import { fragmentsOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

const WAREHOUSE = `
  const warehouse = { stockOf: async () => 3, onChange() {} }
  const sale = { current: () => ({ price: 2, until: new Date(Date.now() + 60000) }) }`

export default {
  prelude: [
    'declare const warehouse: { stockOf(id: number): Promise<number>; onChange(act: (id: number) => Promise<void>): void }',
    'declare const sale: { current(): { price: number; until: Date } }',
  ],
  config: { plugins: { './fragments.ts': true } },
  files: {
    'fragments.ts': await fragmentsOf('docs/guides/caching.md', ['extra-fields', 'changes', 'posts'], {
      before: WAREHOUSE,
    }),
  },
  prints: [/etag: "[\s\S]*x-svc-cache: /i, /^HTTP\/1.1 304/m, /x-svc-cache: MISS[\s\S]*x-svc-cache: HIT/i],
} satisfies Examples as Examples
