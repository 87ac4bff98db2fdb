import type { Examples } from '../pages.ts'

export default {
  prints: [/^Serving/m, /^Serving/m],
} satisfies Examples as Examples
