import type { Examples } from '../pages.ts'

export default {
  prelude: ['declare function minutesToRead(post: Record<string, unknown>): number'],
} satisfies Examples as Examples
