import { fragmentsOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

export default {
  config: { plugins: { './fragments.ts': true } },
  files: { 'fragments.ts': await fragmentsOf('docs/guides/arguments.md', ['posts', 'resources', 'settings']) },
  prints: [/\{"id":12,"tags":\["red","green"\],"size":4\}[\s\S]*"rest_invalid_param"/],
  failing: [0],
} satisfies Examples as Examples
