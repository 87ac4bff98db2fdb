import { fragmentsOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

const NEEDS = ['posts', 'content-types', 'taxonomies', 'meta', 'extra-fields', 'roles', 'settings', 'store', 'search']

export default {
  config: { plugins: { './garden.ts': true } },
  files: { 'garden.ts': await fragmentsOf('docs/guides/content-types.md', NEEDS) },
  prints: [/"raw":"Rose"[\s\S]*\[\{"id":\d+,"meta":\{"liters":2\},"is_dry":true/, /"title":"In the sun"/],
} satisfies Examples as Examples
