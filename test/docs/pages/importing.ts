import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blocksOf, root } from '../blocks.ts'
import type { Examples } from '../pages.ts'

const siteFile = (await blocksOf('docs/guides/importing.md')).find(({ language }) => language === 'json')!.code

export default {
  files: {
    'export.wxr.xml': await readFile(join(root, 'test/fixtures/garden.wxr.xml'), 'utf8'),
    'site.json': siteFile,
  },
  async prepare(site) {
    await site.shell('mkdir -p old/2024/05 && echo photo > old/2024/05/photo.txt && tar -C old -czf uploads.tar.gz .')
    return {}
  },
  prints: [
    /^Imported \d+ objects from[\s\S]*users +\d+[\s\S]*files that belong to no attachment/,
    /^/,
    /^/,
    /^Imported 0 objects from/,
    /anna[\s\S]*administrator[\s\S]*anna/,
    /^/,
  ],
  // The hosts of the old sites and the further files do not exist.
  coveredBy: {
    1: 'test/plugins/operations/importer/live/live-import.test.ts',
    2: 'test/plugins/operations/importer/old-sites/old-site.test.ts',
    3: 'test/plugins/operations/importer/downloads.test.ts',
    5: 'test/bin/import.test.ts',
  },
} satisfies Examples as Examples
