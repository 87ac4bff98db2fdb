import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { requestAs, V2, type Json } from './request-as.ts'
import { STYLES, targetsOf } from './targets.ts'

/** Values that no documented coercion (specification 7.1, 7.2) converts to a type. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  object: ['x', 5, true, false, [1], ['a', { b: 1 }]],
  array: [{ a: 1 }, { b: [] }],
  integer: ['x', '', 1.5, {}, [], [1], { raw: 1 }, true],
  number: ['x', '', {}, [], [1], true],
  boolean: ['x', '', 5, {}, [], [1], { raw: true }],
  string: [{ a: 1 }, [], ['a'], 5, true],
}

/** Arguments whose values are not the stored field, so that a success is compared with nothing. */
const COMMANDS = /\/(?:edit|post-process|run|test|replay|secret|confirm)$|block-renderer|^\/batch/

/** Returns the values that have none of the types. */
function wrongFor(types: readonly string[]): readonly unknown[] {
  const lists = types.map((type) => WRONG[type] ?? [])
  const isInAll = (one: unknown) =>
    lists.every((list) => list.some((two) => JSON.stringify(one) === JSON.stringify(two)))
  return (lists[0] ?? []).filter(isInAll)
}

/** Whether a field shows the value that was sent. Numbers, flags and lists sent as texts have no effect. */
function isStored(field: Json, before: Json, value: unknown): boolean {
  const raw = typeof field === 'object' && field !== null && 'raw' in field ? (field.raw as unknown) : undefined
  // A list of styles or settings leaves the stored ones.
  if (Array.isArray(value) && field !== undefined && JSON.stringify(field) === JSON.stringify(before)) return true
  if (raw === undefined) return JSON.stringify(field) === JSON.stringify(value)
  return raw === (typeof value === 'string' ? value : (before?.raw ?? ''))
}

for (const { name, place } of databases) {
  const all = suite(`values of wrong types on ${name}`)

  all('are refused in every writable argument of every route, or stored as they were sent', async () => {
    await using site = await serveWithUsers(place)
    const { pathOf } = await targetsOf(site)
    const root = await requestAs(site, 'admin', 'GET', '/')
    const problems: string[] = []
    let refused = 0
    const send = async (path: string, args: Record<string, Json>, shown: Json, isItem: boolean) => {
      for (const [arg, { type }] of Object.entries(args)) {
        const types = ([type].flat() as string[]).filter((one) => one !== 'null')
        for (const value of wrongFor(types)) {
          const { status, body, text } = await requestAs(site, 'admin', 'POST', path, { [arg]: value })
          const sent = `${path} ${JSON.stringify({ [arg]: value })}`
          if (status === 400) refused += 1
          if (status >= 500) problems.push(`${sent}: ${text.slice(0, 150)}`)
          else if (status < 300 && !COMMANDS.test(path)) {
            if (!isStored(body[arg], shown[arg], value)) problems.push(`${sent} became ${JSON.stringify(body[arg])}`)
            if (!isItem) continue
            shown[arg] = body[arg]
          }
        }
      }
    }
    for (const [pattern, route] of Object.entries(root.body.routes as Record<string, Json>)) {
      const path = pathOf(pattern)
      if (path === null) {
        assert.not(route.methods.includes('POST'), `no object for ${pattern}`)
        continue
      }
      for (const { methods, args } of route.endpoints) {
        if (!methods.includes('POST')) continue
        const written = Object.fromEntries(
          Object.entries(args as Record<string, Json>).filter(([arg]) => !pattern.includes(`<${arg}>`)),
        )
        const isItem = pattern.endsWith(')')
        // An autosave has the texts of its post that are not sent.
        const ofPost = path.endsWith('/autosaves')
        const shown = isItem || ofPost ? path.replace(/\/autosaves$/, '') : null
        const body = shown === null ? {} : (await requestAs(site, 'admin', 'GET', `${shown}?context=edit`)).body
        // A menu item without a title shows the one of its target, its autosave does not.
        if (ofPost && path.includes('/menu-items/')) delete body.title
        await send(path, written, body, isItem)
      }
    }
    assert.equal(problems, [])
    assert.ok(refused > 1000, `${refused} refused`)
  })

  all('never erase stored styles', async () => {
    await using site = await serveWithUsers(place)
    const path = `${V2}/global-styles/${await site.kernel.services.globalStyles.idOf('kept-theme')}`
    assert.is((await requestAs(site, 'admin', 'PUT', path, STYLES)).status, 200)
    for (const arg of ['styles', 'settings']) {
      for (const value of [...WRONG['object']!, null]) {
        const { status, body } = await requestAs(site, 'admin', 'PUT', path, { [arg]: value })
        if (Array.isArray(value)) assert.is(status, 200, `${arg}: ${JSON.stringify(value)}`)
        else assert.equal([status, body.code, Object.keys(body.data.params)], [400, 'rest_invalid_param', [arg]])
      }
    }
    const { body } = await requestAs(site, 'admin', 'GET', `${path}?context=edit`)
    assert.equal([body.styles, body.settings], [STYLES.styles, STYLES.settings])
    // Some clients send an empty object as an empty list.
    const emptied = await requestAs(site, 'admin', 'PUT', path, { styles: [] })
    assert.equal([emptied.body.styles, emptied.body.settings], [{}, STYLES.settings])
  })

  all.run()
}
