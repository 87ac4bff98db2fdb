import { readFile, writeFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../helpers/content.ts'
import { randomOf, type Random } from '../helpers/random.ts'
import { FAILURES, FEATURES, gates, means, someOf, versionOf, type VersionSpec } from '../helpers/random-versions.ts'
import { as, serve, type Site } from '../helpers/site.ts'
import { emptyFilePlace } from '../helpers/stores.ts'
import { failureOf } from '../kernel/failure.ts'

// Whatever is reloaded, removed and added again, and whatever fails: a site answers as one that was just started with the
// same plugins. `SVC_TEST_RELOADS=500 SVC_TEST_SEED=7 npm test -- reload-random` looks for longer.

const STEPS = Number(process.env['SVC_TEST_RELOADS'] ?? 6)
const SEED = Number(process.env['SVC_TEST_SEED'] ?? 1)
const HOME = 'http://localhost:8080'
const NAMES = ['ant', 'bee', 'cat', 'dog']

const reload = suite('reloads at random')

/** What a site says of itself, and shows. */
async function shown(site: Site): Promise<Record<string, unknown>> {
  const { registry, server, plugins, commands, services } = site.kernel
  const admin = as('administrator', 1)
  const get = async (path: string, method = 'GET') => {
    const response = await site.request(path, { method, headers: admin })
    const body = await response.text()
    const { status, headers } = response
    return { status, allow: headers.get('allow'), versions: headers.get('x-versions'), body: body === '' ? null : JSON.parse(body) as unknown } // prettier-ignore
  }
  const added = [...server.routes.keys()].filter((route) => /^\/(?:ant|bee|cat|dog|shared)\b/.test(route) && !route.includes('(')) // prettier-ignore
  const meta = NAMES.flatMap((name) => [
    `/svc/v2/posts?orderby=meta.size_${name}&order=asc&_fields=id`,
    `/svc/v2/posts?meta[size_${name}][gt]=5&_fields=id`,
    `/svc/v2/posts?orderby=field.n_${name}&order=asc&_fields=id`,
    `/svc/v2/${name}s`,
  ])
  const pages: Record<string, unknown> = {}
  for (const path of [
    '/',
    '/svc/v2/types?context=edit',
    '/svc/v2/taxonomies?context=edit',
    '/svc/v2/statuses?context=edit',
    '/svc/v2/settings',
    '/svc/v2/posts',
    '/svc/v2/posts/1?_embed',
    '/svc/v2/pages',
    '/svc-actions/v1/actions',
    ...meta,
    ...added.filter((route) => !route.endsWith('/slow')),
  ])
    // prettier-ignore
    pages[path] = await get(path)
  for (const path of ['/svc/v2/posts', '/svc/v2/pages', '/svc/v2/settings', ...added]) pages[`OPTIONS ${path}`] = await get(path, 'OPTIONS') // prettier-ignore
  const { contentTypes, roles } = services
  return {
    plugins: plugins.map(({ slot }) => slot),
    owned: Object.fromEntries(plugins.map(({ slot, owner }) => [slot, owner.owned()])),
    hooks: Object.fromEntries(registry.list().map(({ name, kind, owner, taps }) => [name, [kind, owner, ...taps.map((tap) => `${tap.plugin}/${tap.name}`)]])), // prettier-ignore
    order: registry.list().flatMap(({ name, family }) => (family === null ? [name] : [])),
    routes: [...server.routes.keys()],
    commands: commands.list().map(({ name, command }) => [name, command.summary]),
    types: contentTypes.all(),
    roles: roles.all(),
    pages,
  }
}

/** Where two things differ; null where they do not. */
function difference(one: unknown, other: unknown, path = ''): string | null {
  if (Object.is(one, other) || (typeof one === 'function' && typeof other === 'function')) return null
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return `${path}: ${JSON.stringify(one)?.slice(0, 300)} in place of ${JSON.stringify(other)?.slice(0, 300)}`
  if (
    Array.isArray(one) &&
    Array.isArray(other) &&
    JSON.stringify(one).length < 800 &&
    JSON.stringify(one) !== JSON.stringify(other)
  )
    // prettier-ignore
    return `${path}: ${JSON.stringify(one)} in place of ${JSON.stringify(other)}`
  const keys = new Set([...Object.keys(other), ...Object.keys(one)])
  for (const key of keys) {
    const found = difference((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], `${path}/${key}`) // prettier-ignore
    if (found !== null) return found
  }
  const [order, otherOrder] = [Object.keys(one).join(), Object.keys(other).join()]
  return order === otherOrder ? null : `${path}: the order ${order.slice(0, 800)} in place of ${otherOrder.slice(0, 800)}` // prettier-ignore
}

/** The database that each site begins with. */
async function template(): Promise<Buffer> {
  await using place = await emptyFilePlace()
  {
    await using site = await serve({ database: place.url })
    for (const size of [7, 30, 4])
      await addPosts(site.store, { title: `Post ${size}`, slug: `p-${size}`, content: '<!-- wp:every/thing /-->\n\n[thing]', meta: Object.fromEntries(NAMES.map((name) => [`size_${name}`, size])) }) // prettier-ignore
  }
  return await readFile(place.url.slice('sqlite:'.length))
}

let texts = 0

/** Another version of a plugin, which may need those before it. */
function another(random: Random, name: string, there: readonly string[]): VersionSpec {
  const before = NAMES.slice(0, NAMES.indexOf(name)).filter((one) => there.includes(one))
  texts += 1
  return {
    name,
    text: `v${texts}`,
    features: someOf(random, Object.keys(FEATURES), 0.4),
    needs: someOf(random, before, 0.3),
    after: someOf(random, NAMES.slice(0, NAMES.indexOf(name)), 0.2),
    fails: null,
  }
}

reload(`leave a site that answers as one that was just started (seed ${SEED})`, async () => {
  const random = randomOf(SEED)
  const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!
  const rows = await template()
  const running = new Map<string, VersionSpec>()
  for (const name of NAMES) running.set(name, another(random, name, [...running.keys()]))
  const specs = () => [...running.values()]
  const begin = async () => {
    const place = await emptyFilePlace()
    await writeFile(place.url.slice('sqlite:'.length), rows)
    const site = await serve({ database: place.url, home: HOME,  add: specs().map((spec) => versionOf(spec)) }).catch(async (error: unknown) => { await place[Symbol.asyncDispose](); throw error }) // prettier-ignore
    return { site, end: async () => { await site[Symbol.asyncDispose](); await place[Symbol.asyncDispose]() } } // prettier-ignore
  }
  const { site, end } = await begin()
  try {
    for (let step = 1; step <= STEPS; step += 1) {
      const name = one(NAMES)
      const there = running.get(name)
      const kind = there === undefined ? 'add' : one(['reload', 'reload', 'fail', 'remove', 'same', 'two'])
      const slowOf = specs().find(({ features }) => features.includes('slow'))
      const gate = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      gates.slow = gate.promise
      gates.begun = begun.resolve
      const slow = slowOf && site.json(`/${slowOf.name}/v1/slow`)
      if (slowOf) await begun.promise
      const next = another(random, name, [...running.keys()])
      const { kernel } = site
      let gone: Promise<unknown> = Promise.resolve()
      const isNeeded = specs().some(({ needs }) => needs.includes(name))
      if (kind === 'add') {
        running.set(name, next)
        gone = kernel.add(versionOf(next))
      } else if (kind === 'same') gone = (await kernel.reload(name)).gone
      else if (kind === 'reload') {
        running.set(name, next)
        gone = (await kernel.reload(name, versionOf(next))).gone
      } else if (kind === 'remove') {
        if (isNeeded) assert.is((await failureOf(() => kernel.remove(name))).code, 'PLUGIN_NEED_MISSING')
        else {
          running.delete(name)
          gone = kernel.remove(name)
        }
      } else if (kind === 'two') {
        const other = one([...running.keys()])
        const theirs = another(random, other, [...running.keys()])
        const both = [kernel.reload(name, versionOf(next)), kernel.reload(other, versionOf(theirs))]
        running.set(name, next)
        running.set(other, theirs)
        gate.resolve()
        gone = Promise.all((await Promise.all(both)).map((exchanged) => exchanged.gone))
      } else {
        const fails = one(Object.keys(FAILURES) as (keyof typeof FAILURES)[])
        assert.match((await failureOf(() => kernel.reload(name, versionOf({ ...next, fails })))).message, /as asked|failed/, fails) // prettier-ignore
      }
      gate.resolve()
      if (slowOf) assert.equal(await slow, [slowOf.text, slowOf.text, false], `${step} ${kind} ${name}`)
      await gone
      // A start has them in the order in which they run.
      const order = kernel.plugins.map(({ slot }) => slot).filter((slot) => running.has(slot))
      const kept = order.map((slot) => running.get(slot)!)
      running.clear()
      for (const spec of kept) running.set(spec.name, spec)
      const [now, timers] = [await shown(site), means.timers]
      const fresh = await begin()
      const expected = await shown(fresh.site)
      const theirTimers = means.timers - timers
      await fresh.end()
      const told = `step ${step}: ${kind} ${name} ${JSON.stringify(kept.map((spec) => [spec.name, spec.text, spec.features.join()]))}`
      assert.is(difference(now, expected), null, told)
      assert.is(timers, theirTimers, told)
    }
  } finally {
    await end()
  }
  assert.is(means.timers, 0)
})

reload.run()
