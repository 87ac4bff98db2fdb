import type { Examples } from '../pages.ts'
import { PLUGIN_EXPORT } from '../plugin-site.ts'

export default {
  files: { 'export.xml': PLUGIN_EXPORT },
  async prepare(site) {
    await site.shell('mkdir -p old/2024/05 && echo photo > old/2024/05/loaf.jpg && tar -C old -czf uploads.tar.gz .')
    return {}
  },
  prints: [
    /^Imported \d+ objects from http:\/\/bakery\.example[\s\S]*post items +3[\s\S]*Advanced Custom Fields/,
    /^/,
    /custom-fields +yes[\s\S]*forms +yes[\s\S]*languages +yes[\s\S]*seo +yes/,
    /ada[\s\S]*administrator[\s\S]*ada/,
    /301[\s\S]*location: \S+\/rye-bread\/\s+HTTP\S+ 301[\s\S]*location: \S+\/rye-bread\/feed\//i,
    /\d+ URLs would be replaced[\s\S]*\d+ URLs were replaced/,
    /^Exported \d+ objects[\s\S]*site\.xml/,
  ],
  // There is no old site; the test moves a generated one.
  coveredBy: { 1: 'test/plugins/operations/importer/live/killed.long.test.ts' },
} satisfies Examples as Examples
