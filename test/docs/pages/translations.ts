import type { Examples } from '../pages.ts'

export default {
  // The output goes into the catalog.
  prints: [/^$/],
} satisfies Examples as Examples
