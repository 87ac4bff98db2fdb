import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { svc } from '../../../helpers/svc.ts'
import { editorFolder } from './fake-bundle.ts'

/** Replaces npm: installs a bundler that writes fixed files, and a few packages. */
const NPM = `#!/bin/sh
mkdir -p node_modules/esbuild node_modules/leaf node_modules/wasm-vips node_modules/@wordpress/vips/build-module out
echo '{ "name": "wasm-vips", "version": "4.5.6", "license": "MIT" }' > node_modules/wasm-vips/package.json
echo 'What libraries are in it.' > node_modules/wasm-vips/THIRD-PARTY-NOTICES.md
echo '{ "name": "@wordpress/vips", "version": "7.8.9", "license": "GPL-2.0-or-later" }' > node_modules/@wordpress/vips/package.json
echo 'export const workerCode = "resize()"' > node_modules/@wordpress/vips/build-module/worker-code.mjs
echo '{ "name": "leaf", "version": "1.2.3", "license": "GPL-2.0-or-later" }' > node_modules/leaf/package.json
echo 'The text of a licence.' > node_modules/leaf/LICENSE.md
echo '{ "name": "esbuild", "type": "module", "exports": "./index.js" }' > node_modules/esbuild/package.json
cat > node_modules/esbuild/index.js <<'END'
import { readFileSync, writeFileSync } from 'node:fs'
export async function build({ outdir, entryPoints, define }) {
  const outputs = {}
  const isWorker = Array.isArray(entryPoints)
  for (const name of isWorker ? ['resizing-worker-X4.js'] : ['editor-X1.js', 'editor-X2.css', 'canvas-X3.css']) {
    writeFileSync(outdir + '/' + name, isWorker ? readFileSync(entryPoints[0]) : String(define.RESIZING_WORKER))
    outputs[outdir + '/' + name] = { inputs: { 'node_modules/leaf/index.js': {} } }
  }
  return { metafile: { outputs } }
}
END
`

interface Place extends AsyncDisposable {
  /** Runs a command of the editor, with a program that replaces npm, or without npm if it is null. */
  run(npm: string | null, ...args: string[]): ReturnType<typeof svc>
  readonly folder: string
  fill(): Promise<void>
}

async function open(plugins = {}): Promise<Place> {
  const files = await editorFolder()
  const above = dirname(files.folder)
  const config = join(above, 'svc.config.json')
  await writeFile(config, JSON.stringify({ database: 'sqlite:site.db', plugins }))
  return {
    folder: files.folder,
    fill: () => files.fill(),
    async run(npm, ...args) {
      const path = process.env['PATH']
      const programs = join(above, 'programs')
      await mkdir(programs, { recursive: true })
      if (npm !== null) await writeFile(join(programs, 'npm'), npm, { mode: 0o755 })
      process.env['PATH'] = npm === null ? programs : `${programs}:${path}`
      try {
        return await svc('editor', ...args, '--config', config)
      } finally {
        process.env['PATH'] = path
      }
    },
    [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
  }
}

const commands = suite('svc editor')

commands('reports that the editor is not installed, and refuses to update or remove it', async () => {
  await using place = await open()
  const { code, out } = await place.run(null, 'status')
  assert.equal([code, out], [0, 'The block editor is not installed. Run "svc editor install".'])
  for (const command of ['update', 'remove']) {
    const { code, err } = await place.run(null, command)
    assert.is(code, 1)
    assert.match(err, 'The block editor is not installed')
  }
})

commands('installs the packages that npm downloads, lists their licenses, and deletes the packages', async () => {
  await using place = await open()
  const { code, output } = await place.run(NPM, 'install')
  assert.is(code, 0, output)
  assert.match(output, 'GPL-2.0-or-later')
  const [bundle = '', ...others] = (await readdir(place.folder)).sort()
  assert.equal(others, ['manifest.json'])
  const licenses = await readFile(join(place.folder, bundle, 'LICENSES.txt'), 'utf8')
  assert.match(licenses, 'leaf 1.2.3: GPL-2.0-or-later')
  assert.match(licenses, 'The text of a licence.')
  const status = JSON.parse((await place.run(null, 'status', '--json')).out) as Record<string, unknown>
  assert.equal([status['installed'], status['current'], status['packages']], [true, true, { leaf: '1.2.3' }])
  assert.match((await place.run(null, 'update')).out, 'up to date')
  assert.is((await place.run(null, 'remove')).code, 0)
  assert.equal(await readdir(place.folder), [])
})

commands('keeps the packages with --keep', async () => {
  await using place = await open()
  assert.is((await place.run(NPM, 'install', '--keep')).code, 0)
  assert.ok((await readdir(join(place.folder, 'packages'))).includes('node_modules'))
})

commands('installs the image resizer with --resizing, and update preserves that choice', async () => {
  await using place = await open()
  const { code, output } = await place.run(NPM, 'install', '--resizing')
  assert.is(code, 0, output)
  assert.match(output, 'after you enable the option client_resizing of the plugin media')
  const read = async (name: string) => {
    const [bundle = ''] = (await readdir(place.folder)).sort()
    return readFile(join(place.folder, bundle, name), 'utf8')
  }
  assert.is(await read('resizing-worker-X4.js'), 'resize()')
  assert.is(await read('editor-X1.js'), '"./resizing-worker-X4.js"')
  const licenses = await read('LICENSES.txt')
  assert.match(
    licenses,
    /@wordpress\/vips 7\.8\.9: GPL-2\.0-or-later[^]*wasm-vips 4\.5\.6: MIT[^]*What libraries are in it\./,
  )
  const resizing = async () => {
    const { resizing, resizes } = JSON.parse((await place.run(null, 'status', '--json')).out) as Record<string, unknown>
    return [resizing, resizes]
  }
  assert.equal(await resizing(), [true, false])
  assert.match((await place.run(null, 'status')).out, /resizing +yes, after you enable the option/)

  const file = join(place.folder, 'manifest.json')
  await writeFile(file, (await readFile(file, 'utf8')).replace(/"set": "[^"]*"/, '"set": "another"'))
  assert.is((await place.run(NPM, 'update')).code, 0)
  assert.equal(await resizing(), [true, false])
  assert.is((await place.run(NPM, 'install')).code, 0)
  assert.equal(await resizing(), [false, false])
  assert.match((await place.run(null, 'status')).out, /resizing +no/)
})

commands('reports that images are resized in the browser if the option client_resizing is enabled', async () => {
  await using place = await open({ media: { client_resizing: true } })
  const { output } = await place.run(NPM, 'install', '--resizing')
  assert.not.match(output, 'client_resizing')
  assert.match((await place.run(null, 'status')).out, /resizing +yes\n/)
})

commands('keeps the installed bundle if npm is missing, or npm or the bundler fails', async () => {
  await using place = await open()
  await place.fill()
  const before = await readFile(join(place.folder, 'manifest.json'), 'utf8')
  const without = await place.run(null, 'install')
  assert.is(without.code, 1)
  assert.match(without.err, 'npm was not found on the PATH')
  const offline = await place.run('#!/bin/sh\necho no way to the registry >&2\nexit 1\n', 'update')
  assert.is(offline.code, 1)
  assert.match(
    offline.err,
    /could not download the packages[^]*the installed version is unchanged[^]*no way to the registry/,
  )
  const broken = await place.run(
    NPM.replace('writeFileSync(outdir', 'throw new Error("no bundle"); (outdir'),
    'install',
  )
  assert.match(broken.err, /could not be bundled; the installed version is unchanged[^]*no bundle/)
  assert.is(await readFile(join(place.folder, 'manifest.json'), 'utf8'), before)
  assert.equal((await readdir(place.folder)).sort(), ['bundle-0123456789abcdef', 'manifest.json'])
})

commands('reports an invalid manifest, and updates a bundle of another version', async () => {
  await using place = await open()
  await place.fill()
  assert.match((await place.run(null, 'status')).out, 'no, run "svc editor update"')
  await writeFile(join(place.folder, 'manifest.json'), '{ "set": ')
  const { code, err } = await place.run(null, 'status')
  assert.is(code, 1)
  assert.match(err, /manifest\.json is invalid/)
  assert.is((await place.run(NPM, 'update')).code, 0)
  assert.match((await place.run(null, 'status')).out, /up to date +yes/)
})

commands.run()
