import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type AnyPlugin } from '../../kernel/index.ts'
import type { PluginSetting } from '../../plugins/library/site-config/index.ts'
import { defaults, revisions } from '../../plugins/index.ts'
import { serve } from '../kit/index.ts'

const names = suite('names')

const ROOT = new URL('../../plugins/', import.meta.url)
const directoriesIn = (folder: URL) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
/** Folders of functions that all rooms use, with a plugin or without. */
const LIBRARIES = ['library', 'resources']
/** Folders of several plugins. */
const rooms = directoriesIn(ROOT).filter((name) => !LIBRARIES.includes(name))

/** Folders of rooms that are not a plugin. */
const WITHOUT_PLUGIN: Readonly<Record<string, string>> = {
  compat: 'plugins that take the place of defaults in earlier revisions, a file each',
}

/** Services that are not named as their plugin, each with the reason why its plugin has more than one. */
const FURTHER_SERVICES: Readonly<Record<string, string>> = {
  accountChanges: 'roles: checks credentials before a change of roles; programs and jobs are exempt',
  avatars: 'users: URLs for users, and for comments of people who are not users',
  capabilities: 'roles: answers who may do what; roles is the registry that the answers come from',
  changeHistory: 'changes: stored changes by number; changes answers whether cached data is current',
  changeReaders: 'changes: the registry of readers, which plugins fill for their kinds',
  importRuns: 'importer: imports in the background; importer runs one and waits',
  imageSizes: 'media: the registry of sizes, which plugins and themes fill',
  migrations: 'store: the kernel runs migrations, and plugins declare them in their definitions',
  nonces: 'cookie-auth: nonces for forms and links',
  options: 'settings: stored values by name; settings says which of them the REST API shows',
  plainPages: 'login: HTML documents without a theme, which log-in needs without the admin',
  sessionCookie: 'cookie-auth: the cookie that carries the token of a session',
  sessions: 'cookie-auth: sessions of users, whichever way their token comes',
  statuses: 'content-types: the statuses of posts, registered along with their types',
  transactions: 'store: groups the writes of services for plugins that write no SQL',
}

/** Names that plugins had in earlier releases, with the current ones. */
const FORMER_PLUGINS: Readonly<Record<string, string>> = {
  attempts: 'login-attempts',
  fields: 'fields-parameter',
  import: 'importer',
  options: 'options-method',
  rendering: 'content-rendering',
}

/** Names that services had in earlier releases, with the current ones. */
const FORMER_SERVICES: Readonly<Record<string, string>> = {
  attempts: 'loginAttempts',
  blockEditor: 'editor',
  fields: 'extraFields',
  fontCollections: 'fonts',
  keptPages: 'responseCache',
  logins: 'login',
  pages: 'plainPages',
  rendering: 'contentRendering',
  seenChanges: 'changeFeed',
  viewConfigs: 'viewConfig',
}

const camelCase = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

names('of default plugins equal the names of their files or folders, and are unique in all rooms', async () => {
  for (const plugin of defaults) {
    const files = globSync([`{.,*}/${plugin.name}.ts`, `{.,*}/${plugin.name}/index.ts`], { cwd: ROOT })
    assert.is(files.length, 1, `${plugin.name} is in ${files.join(' and ') || 'no file or folder of its name'}`)
    const { default: exported } = (await import(new URL(files[0]!, ROOT).href)) as { default: AnyPlugin }
    assert.is(exported, plugin, files[0])
  }
})

names('of folders in rooms equal plugin names, and no room has the name of a plugin', () => {
  const plugins = new Set(defaults.map(({ name }) => name))
  const folders = rooms.flatMap((room) => directoriesIn(new URL(`${room}/`, ROOT)))
  assert.equal(
    folders.filter((folder) => !plugins.has(folder) && !Object.hasOwn(WITHOUT_PLUGIN, folder)),
    [],
  )
  assert.equal(
    rooms.filter((room) => plugins.has(room)),
    [],
  )
})

names('of plugins from earlier revisions equal their file names', () => {
  const defaultNames = new Set<AnyPlugin>(defaults)
  for (const changes of Object.values(revisions)) {
    for (const change of Object.values(changes)) {
      if (change === false || change.use === undefined || defaultNames.has(change.use)) continue
      const { name } = change.use
      assert.ok(existsSync(new URL(`responses/compat/${name}.ts`, ROOT)), name)
    }
  }
})

names('of earlier releases are declared by the plugins that had them', () => {
  const former = defaults.flatMap(({ name, formerNames = [] }) => formerNames.map((one) => [one, name] as const))
  const services = defaults.flatMap(({ formerServices = {} }) => Object.entries(formerServices))
  assert.equal(Object.fromEntries(former), FORMER_PLUGINS)
  assert.equal(Object.fromEntries(services), FORMER_SERVICES)
})

names('of files of posts/query are imported through its index, which exports one function', async () => {
  for (const file of globSync('**/*.ts', { cwd: ROOT })) {
    if (file.startsWith('content/posts/query/')) continue
    const text = readFileSync(new URL(file, ROOT), 'utf8')
    const inside = file.startsWith('content/posts/') ? /from '\.\/query\/(?!index)/ : /posts\/query\//
    assert.not.match(text, inside, file)
  }
  const exported: Record<string, unknown> = await import('../../plugins/content/posts/query/index.ts')
  assert.equal(
    Object.keys(exported).filter((name) => typeof exported[name] === 'function'),
    ['createPostQueries'],
  )
})

names('of services equal plugin names, and no service has the name of another plugin', async () => {
  await using site = await serve()
  const owners = defaults.map(({ name }) => camelCase(name))
  const provided = site.kernel.running().flatMap((plugin) => {
    const services = plugin.details().owned.flatMap(({ kind, name }) => (kind === 'service' ? [name] : []))
    return services.map((service) => ({ service, own: camelCase(plugin.name), count: services.length }))
  })
  for (const { service, own, count } of provided) {
    assert.ok(service === own || !owners.includes(service), `the service ${service} is named as another plugin`)
    if (service === own) continue
    assert.ok(Object.hasOwn(FURTHER_SERVICES, service), `the service ${service} is not named as its plugin, ${own}`)
    assert.ok(count > 1, `${service} is the only service of ${own}: give it the name of the plugin`)
  }
  const services = new Set(provided.map(({ service }) => service))
  assert.equal(
    Object.keys(FURTHER_SERVICES).filter((service) => !services.has(service)),
    [],
  )
})

/** Starts a site with a plugin file's settings and a plugin; returns its warnings. */
async function warningsOf(plugins: Record<string, PluginSetting>, add: readonly AnyPlugin[] = []) {
  const lines: string[] = []
  const site = await serve({ plugins, add, logTo: (line) => lines.push(line) })
  const warnings = () =>
    lines.flatMap((line) => (/now named/.test(line) ? [(JSON.parse(line) as { msg: string }).msg] : []))
  return { site, warnings }
}

names('that plugins had before still configure them, with one warning each', async () => {
  const old = definePlugin({ name: 'from-before', needs: ['rendering'], after: ['fields'], apply() {} })
  const { site, warnings } = await warningsOf({ options: false, fields: {}, import: false }, [old])
  await using _ = site
  const running = site.kernel.running().map(({ name }) => name)
  assert.not.ok(running.includes('options-method'))
  assert.not.ok(running.includes('importer'))
  assert.ok(running.includes('from-before'))
  assert.equal(warnings(), [
    'the config uses the plugin options, which is now named options-method. Rename it.',
    'the config uses the plugin fields, which is now named fields-parameter. Rename it.',
    'the config uses the plugin import, which is now named importer. Rename it.',
    'from-before uses the plugin rendering, which is now named content-rendering. Rename it.',
  ])
  // The route of a request without the plugin that answers OPTIONS.
  const response = await site.request('/svc/v2/posts', { method: 'OPTIONS' })
  assert.is(response.status, 404)
})

names('that options had before still set them, with one warning each', async () => {
  const { site, warnings } = await warningsOf({ compression: { least: 10 } })
  await using _ = site
  assert.is(site.kernel.services.compression.minBytes, 10)
  assert.equal(warnings(), [
    'the config uses the option compression.least, which is now named compression.minBytes. Rename it.',
  ])
  const both = await warningsOf({ compression: { minBytes: 20, least: 10 } })
  await using __ = both.site
  assert.is(both.site.kernel.services.compression.minBytes, 20)
})

names('that services had before still reach them, with one warning each', async () => {
  let seen: unknown[] = []
  const old = definePlugin({
    name: 'from-before',
    needs: ['extra-fields', 'rendering', 'login'],
    apply({ services, has }) {
      const before = services as unknown as Record<string, object>
      seen = [before['fields'] === services.extraFields, before['pages'] === services.plainPages, has('rendering')]
      assert.is(before['fields'], services.extraFields)
    },
  })
  const { site, warnings } = await warningsOf({}, [old])
  await using _ = site
  assert.equal(seen, [true, true, true])
  assert.equal(warnings().sort(), [
    'from-before uses the plugin rendering, which is now named content-rendering. Rename it.',
    'from-before uses the service fields, which is now named extraFields. Rename it.',
    'from-before uses the service pages, which is now named plainPages. Rename it.',
  ])
})

names('that services had before may be provided in place of a default', async () => {
  const { writeFile } = await import('node:fs/promises')
  const { createSiteFolder } = await import('../kit/site-folder.ts')
  const folder = createSiteFolder()
  try {
    const source = `export default { name: 'own', apply({ provide }) { provide('fields', { register() {}, update: async () => null }) } }`
    await writeFile(`${folder.path}/own.mjs`, source)
    await using site = await serve({
      folder: folder.path,
      plugins: { 'extra-fields': { use: './own.mjs' } },
      log: 'silent',
    })
    assert.type(site.kernel.services.extraFields.register, 'function')
  } finally {
    folder.remove()
  }
})

names('that plugins of the site declare as former still work, with one warning each', async () => {
  const { writeFile } = await import('node:fs/promises')
  const { createSiteFolder } = await import('../kit/site-folder.ts')
  const folder = createSiteFolder()
  try {
    const garden = `export default {
      name: 'garden',
      formerNames: ['garden-beds'],
      formerServices: { plots: 'beds' },
      formerOptions: { least: 'minBeds' },
      options: { minBeds: { default: 1, type: 'integer' } },
      apply({ provide }, { minBeds }) { provide('beds', { minBeds }) },
    }`
    const visitor = `export default {
      name: 'visitor',
      needs: ['garden-beds'],
      apply({ provide, services }) { provide('visit', { beds: services.plots }) },
    }`
    await writeFile(`${folder.path}/garden.mjs`, garden)
    await writeFile(`${folder.path}/visitor.mjs`, visitor)
    const plugins = { './visitor.mjs': true, './garden.mjs': { least: 3 } } as const
    const lines: string[] = []
    await using site = await serve({ folder: folder.path, plugins, logTo: (line) => lines.push(line) })
    const { visit } = site.kernel.services as unknown as { visit: { beds: { minBeds: number } } }
    assert.is(visit.beds.minBeds, 3)
    assert.equal(
      lines.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((text) => text.includes('now named')),
      [
        'the config uses the option garden.least, which is now named garden.minBeds. Rename it.',
        'visitor uses the plugin garden-beds, which is now named garden. Rename it.',
        'visitor uses the service plots, which is now named beds. Rename it.',
      ],
    )
  } finally {
    folder.remove()
  }
})

names.run()
