import type { Examples } from '../pages.ts'

// npm run editor installs the packages from the registry and drives the editor in a browser.
const INSTALLED = 'test/editor/index.ts'

export default {
  prints: [/is installed/, /is installed/],
  coveredBy: { 0: INSTALLED, 1: INSTALLED },
} satisfies Examples as Examples
