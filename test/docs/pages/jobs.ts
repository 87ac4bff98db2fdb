import { modulesOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

export default {
  config: { plugins: { './garden.ts': true } },
  files: await modulesOf('docs/guides/jobs.md'),
  prints: [/notify-gardener[\s\S]*water is done/, /water/],
  // There is no job 12.
  failing: [1],
} satisfies Examples as Examples
