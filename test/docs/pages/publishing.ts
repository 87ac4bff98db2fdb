import type { Examples } from '../pages.ts'

const CREATE = 'test/checks/made-packages.ts'

export default {
  prints: [/^/, /^/, /^/],
  elsewhere: { 0: CREATE, 1: CREATE, 2: `${CREATE}; svc-rest is not on npm yet` },
} satisfies Examples as Examples
