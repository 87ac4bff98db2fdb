import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ArgumentSchema, Endpoint, Route } from '../../kernel/index.ts'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { ENCODINGS, type Send } from './encodings.ts'
import { FIXED_IDS, snapshot, storeFixedObjects, type Kind } from './fixed-objects.ts'
import { requestAs, type Json } from './request-as.ts'
import { endOfGroup, targetsOf } from './targets.ts'

/** Names of arguments that contain the ID or the name of another object. Such an argument declares its source. */
const NAMES =
  /(?:^|_)(?:id|ids|parent|author|user|post|media|menu|menus|object|theme|area|template|types?|taxonomy|status|roles?|category|categories|tags|terms?|locations?|reassign|kinds|logo|icon|archive|family|stylesheet|size|src|plugin|webhook)$|^page_(?!size)/

/** Arguments with such a name and without a source, by path and argument, with the reason. */
const UNDECLARED: readonly [RegExp, string][] = [
  [/application-passwords.* app_id$/, 'The ID of an app is its own.'],
  [/^\/svc\/v2\/comments.* status$/, 'The words of a change of the status, some of which are no status: unspam.'],
  [/(?:posts|blocks|navigation)\/.*autosaves parent$/, 'Describes the ID in the path, as recorded, and is not read.'],
  [/block-renderer.* post_id$/, 'Renders for the users who can edit the post, and writes nothing.'],
]

/** Kinds of objects that the sources of IDs accept; by content type or taxonomy for sources with one. */
const ACCEPTED: Readonly<Record<string, readonly Kind[]>> = {
  post_author: ['user'],
  comment_author: ['user'],
  user_heir: ['user'],
  post_parent: ['post', 'page', 'attachment', 'item', 'trashed'],
  comment_post: ['post', 'page', 'attachment', 'item'],
  media_parent: ['post', 'page', 'item', 'trashed'],
  'post attachment': ['attachment'],
  'term category': ['category'],
  'term post_tag': ['tag'],
  'term nav_menu': ['menu'],
  'term svc_pattern_category': [],
  'setting page_on_front': ['page'],
  'setting page_for_posts': ['page'],
  'setting site_logo': ['attachment'],
  'setting site_icon': ['attachment'],
  'setting default_category': ['category'],
  'post nav_menu_item': ['item'],
  menu_item_object: [],
  // Comments on the same post only; the fixed comment is on another one.
  comment_parent: [],
}

/** Arguments that accept any value. */
const ANY_VALUE = / app_id$|(?:posts|blocks|navigation)\/\d+\/autosaves parent$/

const UNKNOWN_NAMES = ['no-such-thing', 'constructor', '__proto__', 'toString', 'has space']

/** What a request needs besides the argument, by path and argument. */
const CONTEXT: readonly [RegExp, object][] = [
  [/menu-items.* object$/, { type: 'post_type', object_id: 1 }],
  [/menu-items.* object_id$/, { type: 'post_type', object: 'page' }],
  [/\/edit post$/, { src: 'https://kept.example/kept.png' }],
  [/\/edit src$/, { rotation: 90 }],
  [/ reassign$/, { force: true }],
]

/** Returns the unknown values of an argument: IDs that no object has, IDs of objects of other kinds, and names. */
function unknownValues({ type, items, references }: ArgumentSchema): unknown[] {
  const types = [type].flat()
  const isId = (types.includes('array') ? [items?.type].flat() : types).includes('integer')
  const { source, of } = typeof references === 'object' ? references : { source: references ?? '', of: undefined }
  const key = of === undefined || source === 'post_template' ? source : `${source} ${of}`
  if (isId && references !== undefined) assert.ok(Object.hasOwn(ACCEPTED, key), `no accepted kinds for ${key}`)
  const others = Object.entries(FIXED_IDS).filter(([kind]) => !ACCEPTED[key]?.includes(kind as Kind))
  const ids = [987_654, -987_654, 9_007_199_254_740_991, ...others.map(([, id]) => id)]
  const values = isId ? ids : UNKNOWN_NAMES
  return types.includes('array') ? values.map((value) => [value]) : values
}

const isDeclared = ({ enum: names, items, references }: ArgumentSchema) =>
  references !== undefined || names !== undefined || items?.enum !== undefined

/** Effect of an unknown value that is not refused, as the argument declares it. */
const effectOf = ({ references }: ArgumentSchema) =>
  typeof references === 'object' ? (references.unknown ?? 'refused') : 'refused'

/** Returns the endpoints that write, with the arguments that their paths do not contain. */
function writersOf({ pattern, endpoints }: Route): (Endpoint & { named: [string, ArgumentSchema][] })[] {
  return endpoints
    .filter(({ methods }) => methods.some((method) => method !== 'GET' && method !== 'HEAD'))
    .map((endpoint) => ({
      ...endpoint,
      named: Object.entries(endpoint.args).filter(
        ([arg, schema]) => !pattern.includes(`<${arg}>`) && (NAMES.test(arg) || schema.references !== undefined),
      ),
    }))
}

for (const { name, place } of databases) {
  const all = suite(`unknown references on ${name}`)

  all('have a declared source in every argument of every route that writes', async () => {
    await using site = await serveWithUsers(place)
    const undeclared: string[] = []
    let count = 0
    for (const route of site.kernel.server.routes.values()) {
      for (const [arg, schema] of writersOf(route).flatMap(({ named }) => named)) {
        const sentTo = `${route.pattern} ${arg}`
        count += 1
        if (!isDeclared(schema) && !UNDECLARED.some(([one]) => one.test(sentTo))) undeclared.push(sentTo)
      }
    }
    assert.equal(undeclared, [])
    assert.ok(count > 150, `${count} arguments`)
  })

  all('are refused, and nothing is written, as JSON, form, query string and in batches, by every method', async () => {
    await using site = await serveWithUsers(place, { plugins: { media: { client_resizing: true } } })
    const { pathOf, bodies } = await targetsOf(site)
    await storeFixedObjects(site)
    const problems: string[] = []
    const counts: Record<string, number> = {}
    let turn = 0
    for (const route of site.kernel.server.routes.values()) {
      const path = pathOf(route.pattern)
      if (path === null) continue
      for (const { methods, named, allow_batch: batches } of writersOf(route)) {
        const before = await snapshot(site)
        const later: (() => Promise<void>)[] = []
        for (const method of methods.filter((one) => one !== 'GET' && one !== 'HEAD')) {
          for (const [arg, schema] of named) {
            const sentTo = `${path} ${arg}`
            if (ANY_VALUE.test(sentTo)) continue
            const context = CONTEXT.find(([names]) => names.test(sentTo))?.[1]
            const effect = effectOf(schema)
            const check = async (send: Send, encoding: string, value: unknown) => {
              const unique = (counts['all'] = (counts['all'] ?? 0) + 1)
              const created = JSON.stringify(bodies.get(path) ?? {}).replace(/kept/gi, `kept-${unique}`)
              const body = { ...(JSON.parse(created) as object), ...context, [arg]: value }
              const { status, body: answer, text } = await send(site, method, path, body)
              const shown = `${method} ${encoding} ${sentTo} = ${JSON.stringify(value)}: ${status} ${text.slice(0, 160)}`
              if (effect === 'refused') {
                if (status < 400 || status >= 500) problems.push(shown)
              } else if (status >= 300 && status !== 400) problems.push(shown)
              else if (effect === 'left out' && status < 300) {
                const isShown = [answer?.[arg]].flat().some((one) => [value].flat().includes(one))
                if (isShown) problems.push(`not left out: ${shown}`)
              }
              counts[`${effect} ${encoding}`] = (counts[`${effect} ${encoding}`] ?? 0) + 1
            }
            for (const [encoding, send] of Object.entries(ENCODINGS)) {
              if (encoding === 'batch' && batches === null) continue
              // All values in one way, and one of them in turn in every other way.
              const values = unknownValues(schema)
              const isWhole = encoding === 'json' && method === methods[0]
              for (const value of isWhole ? values : [values[(turn += 1) % values.length]]) {
                if (effect === 'refused') await check(send, encoding, value)
                else later.push(() => check(send, encoding, value))
              }
            }
          }
        }
        const after = await snapshot(site)
        const written = Object.keys(after).filter((table) => after[table] !== before[table])
        if (written.length > 0) problems.push(`written: ${methods.join()} ${path}: ${written.join(', ')}`)
        for (const one of later) await one()
      }
    }
    assert.equal(problems, [])
    for (const encoding of Object.keys(ENCODINGS)) {
      for (const [effect, least] of Object.entries({ refused: 80, 'left out': 5, stored: 2 })) {
        const count = counts[`${effect} ${encoding}`] ?? 0
        assert.ok(count > least, `${effect} ${encoding}: ${count}`)
      }
    }
  })

  all('are refused in every part of the path of a route that writes', async () => {
    await using site = await serveWithUsers(place)
    const { pathOf, bodies } = await targetsOf(site)
    const before = await snapshot(site)
    const problems: string[] = []
    let count = 0
    for (const route of site.kernel.server.routes.values()) {
      const { pattern } = route
      const path = pathOf(pattern)
      if (path === null) continue
      for (let start = pattern.indexOf('(?P<'); start >= 0; start = pattern.indexOf('(?P<', start + 1)) {
        const above = pathOf(pattern.slice(0, start))!
        const known = pathOf(pattern.slice(0, endOfGroup(pattern, start)))!.slice(above.length)
        const isId = /^\d+$/.test(known)
        for (const unknown of isId ? ['987654', '9007199254740993'] : ['no-such-thing', 'constructor', 'toString']) {
          const unknownPath = `${above}${unknown}${path.slice(above.length + known.length)}`
          const body = bodies.get(path.slice(0, path.lastIndexOf('/'))) ?? {}
          for (const method of writersOf(route).flatMap(({ methods }) => methods)) {
            if (method === 'GET' || method === 'HEAD') continue
            const sent = { ...body, force: true, ...(method === 'DELETE' && { reassign: 0 }) }
            const { status, text } = await requestAs(site, 'admin', method, unknownPath, sent)
            count += 1
            if (status < 400 || status >= 500)
              problems.push(`${method} ${unknownPath}: ${status} ${text.slice(0, 150)}`)
          }
        }
      }
    }
    assert.equal(problems, [])
    assert.equal(await snapshot(site), before)
    assert.ok(count > 150, `${count} requests`)
  })

  all('in the filters of lists return empty lists, as recorded', async () => {
    await using site = await serveWithUsers(place)
    const { pathOf } = await targetsOf(site)
    await storeFixedObjects(site)
    const problems: string[] = []
    let count = 0
    for (const { pattern, endpoints } of site.kernel.server.routes.values()) {
      const path = pathOf(pattern)
      const list = endpoints.find(({ methods, args }) => methods.includes('GET') && args['page'] !== undefined)
      if (path === null || list === undefined) continue
      const whole = await requestAs(site, 'admin', 'GET', path)
      for (const [arg, schema] of Object.entries(list.args)) {
        const isFilter = /^(?:include|exclude)$|_exclude$/.test(arg) || NAMES.test(arg)
        if (!isFilter || pattern.includes(`<${arg}>`) || isDeclared(schema)) continue
        const { status, body, text } = await requestAs(site, 'admin', 'GET', `${path}?${arg}=${unknownFilter(schema)}`)
        const got = `${status} ${status === 200 ? (body as Json[]).length : (body.code as string)}`
        const isExcluded = arg.endsWith('exclude')
        const wanted = OTHER_ANSWERS.find(([one]) => one.test(`${path} ${arg}`))?.[1] ?? '200 0'
        count += 1
        if (isExcluded ? text !== whole.text : got !== wanted) problems.push(`${path}?${arg}: ${got}`)
      }
    }
    assert.equal(problems, [])
    assert.ok(count > 50, `${count} filters`)
  })

  all.run()
}

/** Answers to unknown values of filters that do not return an empty list, as recorded. */
const OTHER_ANSWERS: readonly [RegExp, string][] = [
  [/(?:categories|tags|menus|svc_pattern_category) post$/, '400 rest_post_invalid_id'],
  // Types that no upload can have are ignored.
  [/media mime_type$/, '200 2'],
]

function unknownFilter({ type, items }: ArgumentSchema): string {
  const types = [type, items?.type].flat()
  return types.includes('integer') || types.includes('object') ? '987654' : 'no-such-thing'
}
