import { readFileSync, globSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { core, defaults, studio } from '../../plugins/index.ts'
import { definePlugin } from '../../kernel/index.ts'
import { failureOf } from '../kernel/failure.ts'
import { as, serve, type ServeOptions, type Site } from '../kit/index.ts'
import { places } from '../helpers/stores.ts'

const presets = suite('presets')

const ROOT = fileURLToPath(new URL('../../plugins/', import.meta.url))
const studioNames = new Set(studio.map(({ name }) => name))

/** The studio plugin that a file belongs to; undefined for other files. */
const studioPluginOf = (file: string) =>
  relative(ROOT, file)
    .split('/')
    .map((part) => part.replace(/\.ts$/, ''))
    .slice(0, 2)
    .find((name) => studioNames.has(name))

const serveCore = (options: ServeOptions = {}) => serve({ preset: 'core', log: 'silent', ...options })

const runningNames = (site: Site) => site.kernel.running().map(({ name }) => name)

presets('split the defaults in two', () => {
  assert.equal(defaults, [...core, ...studio])
  assert.is(new Set(defaults).size, defaults.length)
})

presets('are listed in the guide', () => {
  const guide = readFileSync(new URL('../../docs/guides/operating.md', import.meta.url), 'utf8')
  const [, names = ''] = /all defaults except (.*) \|/.exec(guide)!
  assert.equal(names.split(', '), [...studioNames].toSorted())
})

presets('contain every plugin that a plugin of the core needs', () => {
  const needs = core.flatMap(({ name, needs: needed = [] }) => needed.map((need) => `${name} needs ${need}`))
  assert.equal(
    needs.filter((need) => studioNames.has(need.split(' ').at(-1)!)),
    [],
  )
})

/** Files that a module imports at run time, with import statements (except type imports) and `import()`. */
function valueImportsOf(text: string): string[] {
  const statements = [...text.matchAll(/^(?:import|export)\s+(?!type\b)(?:([^'";]*?)\s+from\s+)?'(\.[^']+)'/gm)]
  const isOfTypes = (names: string) =>
    /^\{.*\}$/s.test(names) &&
    names
      .slice(1, -1)
      .split(',')
      .every((name) => /^\s*(?:type\s|$)/.test(name))
  return [
    ...statements.flatMap(([, names = '', specifier]) => (isOfTypes(names) ? [] : [specifier!])),
    ...[...text.matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, specifier]) => specifier!),
  ]
}

presets('leave out no file that a plugin of the core imports, except for types', () => {
  const found: string[] = []
  const files = globSync('**/*.ts', { cwd: ROOT, exclude: ['**/assets/**'] }).map((file) => join(ROOT, file))
  for (const file of files) {
    // The list of the plugins of a room imports all of them.
    const isList = relative(ROOT, file).split('/').length < 3 && file.endsWith('/index.ts')
    if (isList || relative(ROOT, file).split('/').length < 2 || studioPluginOf(file) !== undefined) continue
    const imported = valueImportsOf(readFileSync(file, 'utf8'))
    for (const specifier of imported) {
      const target = join(dirname(file), specifier)
      if (specifier.startsWith('.') && studioPluginOf(target) !== undefined) {
        found.push(`${relative(ROOT, file)} imports ${relative(ROOT, target)}`)
      }
    }
  }
  assert.equal(found, [])
})

/** Sends JSON as an administrator; returns the body of a response with this status. */
async function send(site: Site, method: string, path: string, body: object | null, status: number) {
  const response = await site.request(path, {
    method,
    headers: { ...as('administrator', 1), ...(body !== null && { 'content-type': 'application/json' }) },
    ...(body !== null && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.is(response.status, status, `${method} ${path}: ${text}`)
  return JSON.parse(text) as { id: number; [field: string]: unknown }
}

/** Creates, changes, reads and deletes an item of a collection. */
async function crud(site: Site, path: string, created: object, changed: object, query = '?force=true'): Promise<void> {
  const { id } = await send(site, 'POST', path, created, 201)
  await send(site, 'POST', `${path}/${id}`, changed, 200)
  const read = await send(site, 'GET', `${path}/${id}?context=edit`, null, 200)
  for (const [field, value] of Object.entries(changed)) {
    const stored = read[field] as { raw?: unknown }
    assert.equal(stored?.raw ?? stored, value, `${path}: ${field}`)
  }
  await send(site, 'GET', path, null, 200)
  await send(site, 'DELETE', `${path}/${id}${query}`, null, 200)
  assert.is((await site.get(`${path}/${id}`, as('administrator', 1))).status, 404)
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

for (const { name, make } of places) {
  presets(`of the core serve the resources of the specification on ${name}`, async () => {
    await using place = await make()
    await using site = await serveCore({ database: place.url })
    assert.equal(
      runningNames(site).filter((running) => studioNames.has(running)),
      [],
    )
    const author = await send(
      site,
      'POST',
      '/svc/v2/users',
      { username: 'ada', email: 'ada@site.test', password: 'long enough 1815', roles: ['author'] },
      201,
    )
    await send(site, 'POST', `/svc/v2/users/${author.id}`, { name: 'Ada' }, 200)
    await crud(site, '/svc/v2/posts', { title: 'One', status: 'publish', author: author.id }, { title: 'Two' })
    await crud(site, '/svc/v2/pages', { title: 'About', status: 'publish' }, { title: 'About us' })
    // The first category is the default one, which cannot be deleted.
    await send(site, 'POST', '/svc/v2/categories', { name: 'General' }, 201)
    await crud(site, '/svc/v2/categories', { name: 'Sea' }, { name: 'Seas' })
    await crud(site, '/svc/v2/tags', { name: 'salt' }, { name: 'salty' })
    const post = await send(site, 'POST', '/svc/v2/posts', { title: 'Open', status: 'publish' }, 201)
    await crud(site, '/svc/v2/comments', { post: post.id, content: 'Hello' }, { content: 'Hello again' })
    const upload = await site.request('/svc/v2/media', {
      method: 'POST',
      headers: {
        ...as('administrator', 1),
        'content-type': 'image/png',
        'content-disposition': 'attachment; filename="pixel.png"',
      },
      body: PIXEL,
    })
    assert.is(upload.status, 201)
    const { id: file } = (await upload.json()) as { id: number }
    await send(site, 'POST', `/svc/v2/media/${file}`, { alt_text: 'A pixel' }, 200)
    await send(site, 'DELETE', `/svc/v2/media/${file}?force=true`, null, 200)
    const settings = await send(site, 'POST', '/svc/v2/settings', { title: 'Core' }, 200)
    assert.is(settings['title'], 'Core')
    await send(site, 'DELETE', `/svc/v2/users/${author.id}?force=true&reassign=0`, null, 200)
    for (const path of ['types', 'statuses', 'taxonomies', 'search', 'themes', `posts/${post.id}/revisions`])
      await send(site, 'GET', `/svc/v2/${path}`, null, 200)
  })
}

presets('of the core create a new site without a warning', async () => {
  const lines: string[] = []
  await using site = await serve({
    preset: 'core',
    log: 'warn',
    logTo: (line) => lines.push(line),
    plugins: { 'first-run': true },
  })
  assert.ok(((await site.json('/svc/v2/posts')) as unknown[]).length > 0)
  assert.equal(lines, [])
})

presets('of the core lack the routes of the other plugins', async () => {
  await using full = await serve({ log: 'silent' })
  await using site = await serveCore()
  const routesOf = async (of: Site) =>
    Object.keys(((await of.json('', as('administrator', 1))) as { routes: object }).routes)
  const inCore = new Set(await routesOf(site))
  const left = (await routesOf(full)).filter((route) => !inCore.has(route))
  for (const part of ['/menus', '/font-families', '/icons', '/templates', '/global-styles', '/navigation', '/webhooks'])
    assert.ok(
      left.some((route) => route.includes(part)),
      part,
    )
  // Routes with parameters need a value that matches.
  for (const route of left.filter((one) => !one.includes('('))) {
    const response = await site.get(route, as('administrator', 1))
    assert.is(response.status, 404, route)
    assert.is(((await response.json()) as { code: string }).code, 'rest_no_route', route)
  }
  for (const path of ['/admin/', '/feed/', '/sitemap.xml', '/robots.txt'])
    assert.is((await site.get(`${site.home}${path}`)).status, 404, path)
})

presets('of the core start each other plugin with its dependencies', async () => {
  await using site = await serveCore({ plugins: { webhooks: true, menus: {} } })
  const running = runningNames(site).filter((name) => studioNames.has(name))
  assert.equal(running.sort(), ['change-feed', 'menus', 'webhooks'])
  await send(site, 'GET', '/svc/v2/menus', null, 200)
})

presets('of the core start what added plugins need', async () => {
  const added = definePlugin({ name: 'added', needs: ['themes', 'templates'], apply() {} })
  await using site = await serveCore({ add: [added] })
  assert.ok(runningNames(site).includes('templates'))
  assert.not.ok(runningNames(site).includes('admin'))
})

presets('name the plugin that is missing if it is switched off', async () => {
  const error = await failureOf(() => serveCore({ plugins: { webhooks: true, 'change-feed': false } }))
  assert.is((error as { code?: string }).code, 'PLUGIN_NEED_MISSING')
  assert.match(error.message, 'webhooks needs the plugin change-feed, which is switched off')
})

presets('that do not exist are refused, with their name', async () => {
  const error = await failureOf(() => serve({ preset: 'small' }))
  assert.match(error.message, /preset.*core, full/)
})

presets.run()
