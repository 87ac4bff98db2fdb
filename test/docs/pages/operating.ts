import type { Examples } from '../pages.ts'

export default {
  prints: [/^x-request-id: \S+/im, /^$/],
} satisfies Examples as Examples
