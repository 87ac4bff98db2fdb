import { fragmentsOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

export default {
  config: { plugins: { './garden.ts': true } },
  files: { 'garden.ts': await fragmentsOf('docs/guides/routes.md', ['posts']) },
  prints: [
    /\{"bed":"north","limit":5\}[\s\S]*POST +\/garden\/v1\/beds/,
    /"garden_too_wet",.*"limit":10/,
    /data: \d+\n\ndata: /,
  ],
  failing: [1, 2],
} satisfies Examples as Examples
