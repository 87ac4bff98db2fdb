import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, html } from '../../../../plugins/public.ts'
import { bundledName, LIBRARIES } from '../../../../plugins/site/admin/frame/libraries.ts'
import { bundleLibraries } from '../../../checks/bundle.ts'
import { browse } from '../../../helpers/browser.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../helpers/log-in.ts'
import { startOnly } from '../../../helpers/site.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'

startOnly('admin')

const modules = suite('modules of the admin')
const { inBrowser, openWindow } = useChromium(modules)

/** Names that a script imports. */
const importedNames = (script: string) =>
  [...script.matchAll(/^\s*(?:import|export)\b[^'"]*?from\s*['"]([^'"]+)['"]/gm)].map(([, name]) => name!)

/** A plugin with a module that imports a library, and a page whose script imports the module by its name. */
async function gardenIn(folder: string) {
  await writeFile(
    join(folder, 'beds.js'),
    `import { Idiomorph } from 'idiomorph'
     export const grow = (element) => Idiomorph.morph(element, Object.assign(document.createElement('p'), { id: 'bed', textContent: 'Roses' }))`,
  )
  await writeFile(
    join(folder, 'page.js'),
    `import { grow } from 'garden/beds'
     import { Schema } from '@tiptap/pm/model'
     import { Editor } from '@tiptap/core'
     import Sortable from 'sortablejs'
     import Cropper from 'cropperjs'
     grow(document.querySelector('#bed'))
     if (typeof Editor === 'function' && typeof Schema === 'function' && typeof Sortable.create === 'function' && typeof Cropper === 'function')
       document.querySelector('#bed').dataset.ready = '1'`,
  )
  return definePlugin({
    name: 'garden',
    needs: ['admin'],
    apply({ services: { admin } }) {
      admin.addAssets('garden', folder)
      admin.addModule({ name: 'garden/beds', file: 'garden/beds.js' })
      admin.addPage({
        path: 'garden',
        title: 'Garden',
        scripts: ['garden/page.js'],
        show: () => ({ main: html`<p id="bed">Nothing</p>` }),
      })
    },
  })
}

modules('have an import map with a nonce, and URLs that contain a hash of their content', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'garden-'))
  await using site = await serveWithUsers(filePlace, { add: [await gardenIn(folder)] })
  const author = browse(site)
  await author.logIn('ann', 'pass phrase of ann')
  const page = await author.open('/svc-admin/garden')
  const [, nonce, map] = /<script type="importmap" nonce="([^"]+)">(.*?)<\/script>/.exec(await page.text())!
  assert.match(
    page.headers.get('content-security-policy')!,
    `script-src ${site.home}/svc-admin/assets/ 'nonce-${nonce}'`,
  )
  const { imports } = JSON.parse(map!) as { imports: Record<string, string> }
  for (const name of [...Object.keys(LIBRARIES), 'garden/beds']) assert.ok(imports[name], name)
  for (const [name, url] of Object.entries(imports)) {
    const file = await browse(site).open(url)
    assert.is(file.status, 200, name)
    assert.match(file.headers.get('content-type')!, 'javascript')
    assert.match(file.headers.get('cache-control')!, 'max-age=31536000')
    for (const one of importedNames(await file.text())) {
      const found = one.startsWith('.') ? new URL(one, url).href : imports[one]
      assert.is((await browse(site).open(found ?? '/nowhere')).status, 200, `${name} imports ${one}`)
    }
  }
  const again = await author.open('/svc-admin/garden')
  assert.not.match(await again.text(), nonce!)
  await rm(folder, { recursive: true })
})

modules('need a name with the name of their plugin, and a file', async () => {
  const wrong = (name: string, file: string) =>
    definePlugin({
      name: 'wrong',
      needs: ['admin'],
      apply: ({ services: { admin } }) => admin.addModule({ name, file }),
    })
  for (const [name, file] of [
    ['idiomorph', 'wrong/x.js'],
    ['wrong/x', ''],
  ] as const) {
    const failed = await serveWithUsers(filePlace, { add: [wrong(name, file)] }).catch((error: unknown) => error)
    assert.match(String(failed), `The module "${name}" of the admin cannot be registered`)
  }
})

inBrowser('run under the policy of the page', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'garden-'))
  await using site = await serveWithUsers(filePlace, { add: [await gardenIn(folder)] })
  await using window = await openWindow()
  await logInByKeyboard(window.page, `${site.home}/svc-admin/garden`, 'ann')
  await window.page.locator('#bed[data-ready]', { hasText: 'Roses' }).waitFor()
  assert.equal(window.complaints, [])
  await rm(folder, { recursive: true })
})

modules('are bundled for the package with their licenses, and the bundle imports nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
  await bundleLibraries(folder)
  const files = await readdir(folder)
  for (const name of Object.keys(LIBRARIES)) assert.ok(files.includes(`${bundledName(name)}.js`), name)
  for (const file of files.filter((one) => one.endsWith('.js'))) {
    const text = await readFile(join(folder, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:\bfrom|\bimport)"([\w@./-]+)"/g))
      assert.ok(files.includes(name.replace('./', '')), `${file} imports ${name}`)
  }
  assert.match(await readFile(join(folder, 'LICENSES.txt'), 'utf8'), /prosemirror-view .*license MIT/)
  await rm(folder, { recursive: true })
})

modules.run()
