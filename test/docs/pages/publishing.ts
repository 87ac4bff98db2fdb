import type { Examples } from '../pages.ts'

const CREATE = 'test/checks/created-packages.ts'

export default {
  prints: [/^/, /^/, /^/],
  coveredBy: { 0: CREATE, 1: CREATE, 2: `${CREATE}; svc-rest is not on npm yet` },
} satisfies Examples as Examples
