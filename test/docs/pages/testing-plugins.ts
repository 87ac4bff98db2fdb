import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blocksOf, root } from '../blocks.ts'
import { modulesOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

const { 'garden.ts': garden } = await modulesOf('docs/guides/writing-plugins.md')
const [test] = await blocksOf('docs/guides/testing-plugins.md')

const EXPORTS = { '.': './plugins/public.ts', './testing': './test/kit/index.ts' }

export default {
  config: { plugins: { './garden.ts': true } },
  files: { 'garden.ts': garden!, 'garden.test.ts': test!.code },
  async prepare({ folder }) {
    // A package as in a created site, with the modules of the checkout.
    const installed = join(folder, 'node_modules/svc-rest')
    await mkdir(installed)
    await writeFile(join(installed, 'package.json'), JSON.stringify({ type: 'module', exports: EXPORTS }))
    for (const name of ['plugins', 'test']) await symlink(join(root, name), join(installed, name))
    return {}
  },
  prints: [/pass 1\b/, /garden[\s\S]*POST +\/garden\/v1[\s\S]*rest_prepare_/],
} satisfies Examples as Examples
