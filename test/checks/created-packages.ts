// Runs the packed create-svc-rest outside of the checkout. The new site and the new plugin must compile and pass their
// tests, and the site must serve both plugins.
import assert from 'node:assert/strict'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { freePort } from './free-port.ts'
import { install } from './npm.ts'
import { getJson, run, startServer, type RunningServer } from './server.ts'

const checkout = resolve(import.meta.dirname, '../..')

/**
 * @param folder folder in which svc-rest, create-svc-rest and the compiler are installed
 * @param tarball the packed svc-rest
 */
export async function checkCreatedPackages(folder: string, tarball: string): Promise<void> {
  const workingFolder = join(folder, 'made')
  await mkdir(workingFolder)
  const create = join(folder, 'node_modules', '.bin', 'create-svc-rest')
  // The registry does not have this version yet.
  await run(process.execPath, [create, 'svc-rest-rain', '--plugin', '--tarball', tarball], workingFolder)
  await run(process.execPath, [create, 'my-site', '--tarball', tarball], workingFolder)
  const [plugin, site] = [join(workingFolder, 'svc-rest-rain'), join(workingFolder, 'my-site')]

  for (const one of [plugin, site]) {
    // Packages that npm finds in place are neither downloaded nor unpacked again.
    await run('cp', ['-al', join(folder, 'node_modules'), join(one, 'node_modules')], one)
    await install(one)
    await run('npm', ['run', 'check', '--silent'], one)
    await run('npm', ['test', '--silent'], one)
  }
  await checkPlugin(plugin)

  await install(site, plugin)
  const file = join(site, 'svc.config.json')
  const config = JSON.parse(await readFile(file, 'utf8')) as { plugins: Record<string, unknown> }
  config.plugins['svc-rest-rain'] = { greeting: 'Good evening' }
  await writeFile(file, JSON.stringify(config, null, 2))

  {
    await using served = await runScript(site, 'start')
    assert.deepEqual(await getJson(`${served.api}/hello/v1/greet/Ada`), { lines: ['Good morning, Ada!'] })
    assert.deepEqual(await getJson(`${served.api}/rain/v1/greet/Ada`), { text: 'Good evening, Ada!' })
  }
  await using served = await runScript(site, 'dev')
  const source = join(site, 'plugins/hello.ts')
  await writeFile(source, (await readFile(source, 'utf8')).replace('${greeting}, ', '${greeting}, dear '))
  await until(async () => {
    const { lines } = await getJson(`${served.api}/hello/v1/greet/Ada`)
    return String(lines) === 'Good morning, dear Ada!'
  }, 'npm run dev serves what was changed')
}

/** Serves a site with a script of its package.json, on a separate port, because the server can outlive npm. */
async function runScript(folder: string, script: string): Promise<RunningServer & { api: string }> {
  const port = await freePort()
  const home = `http://127.0.0.1:${port}`
  const env = { SVC_PORT: String(port), SVC_HOME: home, SVC_LOG: 'warn' }
  const npm = process.env['npm_execpath'] ?? ''
  const server = await startServer(npm, { folder, home }, { args: ['run', script, '--silent'], env })
  return Object.assign(server, { api: `${home}/svc-json` })
}

async function until(isSo: () => Promise<boolean>, message: string): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await isSo())) {
    assert.ok(Date.now() < deadline, message)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Checks the files that `npm publish` would send for the plugin. */
async function checkPlugin(plugin: string): Promise<void> {
  const declarations = await readFile(join(plugin, 'dist/index.d.ts'), 'utf8')
  assert.match(declarations, /declare module 'svc-rest'/, 'the hooks of the plugin are in its types')
  await access(join(plugin, 'LICENSE'))
  await run(join(checkout, 'node_modules', '.bin', 'publint'), ['run', plugin, '--strict'], plugin)
}
