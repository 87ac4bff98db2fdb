// npm run check:editor: installs the block editor and tests it in Chromium on a site with each word, and again with the package
// that resizes images in the browser. Needs the npm registry and Chromium (SVC_TEST_CHROMIUM). SVC_TEST_EDITOR is a folder that
// keeps the installed editor for the next run.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromiumPath } from '../helpers/chromium.ts'
import { svc } from '../helpers/svc.ts'
import { editWith } from './session.ts'

if (chromiumPath === null) {
  console.error('No Chromium here: install it, or name it in SVC_TEST_CHROMIUM.')
  process.exitCode = 1
} else {
  const folder = await mkdtemp(join(tmpdir(), 'editor-'))
  const configured = process.env['SVC_TEST_EDITOR']
  const installed = configured === undefined || configured === '' ? join(folder, 'editor') : resolve(configured)
  process.once('exit', () => void rm(folder, { recursive: true, force: true }))
  const resizing = `${installed}-resizing`
  if ((await isInstalled(folder, installed)) && (await isInstalled(folder, resizing, '--resizing'))) {
    for (const word of ['svc', 'wp']) editWith(word, installed)
    editWith('svc', resizing, true)
  } else {
    process.exitCode = 1
  }
}

/** Installs the block editor into a folder unless it is current. Prints the output, and returns whether it succeeded. */
async function isInstalled(above: string, folder: string, ...flags: string[]): Promise<boolean> {
  const config = join(above, 'svc.config.json')
  await writeFile(config, JSON.stringify({ database: 'sqlite:site.db', plugins: { editor: { folder } } }))
  const { out } = await svc('editor', 'status', '--json', '--config', config)
  if (out.startsWith('{') && (JSON.parse(out) as { current?: boolean }).current === true) return true
  const { code, output } = await svc('editor', 'install', ...flags, '--config', config)
  console.log(output)
  return code === 0
}
