import type { Examples } from '../pages.ts'

export default {
  prelude: ["declare const request: import('svc-rest').RestRequest"],
  prints: [/<rss [\s\S]*<feed /],
} satisfies Examples as Examples
