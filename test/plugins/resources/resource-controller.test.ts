import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../../kernel/index.ts'
import { as, serveOn, type Site } from '../../helpers/site.ts'
import { places } from '../../helpers/stores.ts'

/** Loaded by its path like a third-party plugin, because it imports the kernel by its package name. */
const plugin = join(import.meta.dirname, '../../../docs/examples/notes.ts')

const NOTES = '/svc/v2/notes'
const anna = as('author', 7)
const ben = as('author', 8)
const editor = as('editor', 9)

/** Records the hooks that run, and refuses the note "late". */
declare module '../../../kernel/index.ts' {
  interface ItemTypes {
    note: { item: { text: string }; change: { text?: string } }
  }
}

const watcher = (seen: string[]) =>
  definePlugin({
    name: 'watcher',
    apply({ hooks }) {
      hooks.rest_pre_insert.for('note').tap('watcher', (change) => ({
        ...change,
        ...(change.text !== undefined && { text: change.text.trim() }),
      }))
      hooks.rest_insert.for('note').tap('watcher', (note) => {
        seen.push(`insert ${note.text}`)
        if (note.text === 'late') throw new RestError('note_refused', 'No.', { status: 400 })
      })
      hooks.rest_after_insert
        .for('note')
        .tap('watcher', (note, _request, creating) => void seen.push(`after ${note.text} ${creating}`))
      hooks.rest_delete.for('note').tap('watcher', (note) => void seen.push(`delete ${note.text}`))
    },
  })

for (const { name, make } of places) {
  const resource = suite(`a plugin's resource, on ${name}`)
  const seen: string[] = []
  const start = async () =>
    serveOn(await make(), {
      log: 'error',
      plugins: { [plugin]: {} },
      add: [watcher(seen)],
    })
  const write = (site: Site, path: string, method: string, user: Record<string, string>, body: object) =>
    site.request(path, { method, headers: { 'content-type': 'application/json', ...user }, body: JSON.stringify(body) })

  resource.after.each(() => void seen.splice(0))

  resource('can be created, read, listed, updated and deleted, with meta, links and paging', async () => {
    await using site = await start()
    const created = await write(site, NOTES, 'POST', anna, { text: ' one ', meta: { colour: 'red' } })
    const note = (await created.json()) as { id: number; _links: { self: [{ href: string }] } }
    assert.is(created.status, 201)
    assert.is(created.headers.get('location'), note._links.self[0].href)
    const fields = { id: note.id, author: 7, text: 'one', meta: { colour: 'red' } }
    assert.equal(await site.json(`${NOTES}/${note.id}?_fields=id,author,text,meta`, anna), fields)
    const changed = await write(site, `${NOTES}/${note.id}`, 'PATCH', anna, { meta: { colour: null } })
    assert.is(changed.status, 200)
    assert.equal(await site.json(`${NOTES}/${note.id}?_fields=text,meta`, anna), { text: 'one', meta: { colour: '' } })
    await write(site, NOTES, 'POST', ben, { text: 'two' })
    const mine = await site.get(NOTES, anna)
    assert.is(mine.headers.get('x-svc-total'), '1')
    const page = await site.get(`${NOTES}?per_page=1&page=2&_fields=text`, editor)
    assert.equal([await page.json(), page.headers.get('x-svc-totalpages')], [[{ text: 'two' }], '2'])
    assert.match(page.headers.get('link') ?? '', /[?&]page=1\b[^>]*>; rel="prev"/)
    assert.is((await site.request(`${NOTES}/${note.id}`, { method: 'DELETE', headers: anna })).status, 501)
    const removed = await site.request(`${NOTES}/${note.id}?force=true`, { method: 'DELETE', headers: anna })
    const { deleted, previous } = (await removed.json()) as { deleted: boolean; previous: { text: string } }
    assert.equal([deleted, previous.text], [true, 'one'])
    assert.is((await site.get(`${NOTES}/${note.id}`, anna)).status, 404)
    assert.equal(seen.splice(0), [
      'insert one',
      'after one true',
      'insert one',
      'after one false',
      'insert two',
      'after two true',
      'delete one',
    ])
  })

  resource('is not stored if a hook or the meta refuses it', async () => {
    await using site = await start()
    const refused = await write(site, NOTES, 'POST', anna, { text: 'late', meta: { colour: 'red' } })
    assert.equal([refused.status, await site.json(NOTES, anna)], [400, []])
    const wrong = await write(site, NOTES, 'POST', anna, { text: 'one', meta: { colour: { no: 'text' } } })
    assert.equal([wrong.status, await site.json(NOTES, anna)], [400, []])
    assert.equal(seen.splice(0), ['insert late', 'insert one'])
  })

  resource('checks permissions on every route', async () => {
    await using site = await start()
    const { id } = (await (await write(site, NOTES, 'POST', anna, { text: 'one' })).json()) as { id: number }
    const path = `${NOTES}/${id}`
    for (const user of [{}, ben]) {
      const status = user === ben ? 403 : 401
      assert.is((await site.get(path, user)).status, status)
      assert.is((await write(site, path, 'PUT', user, { text: 'mine' })).status, status)
      assert.is((await site.request(`${path}?force=true`, { method: 'DELETE', headers: user })).status, status)
    }
    assert.is((await site.get(NOTES)).status, 401)
    assert.is((await write(site, NOTES, 'POST', {}, { text: 'mine' })).status, 401)
    assert.is((await site.get(path, editor)).status, 200)
  })

  resource.run()
}

const size = suite('resource example')

size('implements a table, five routes, permissions and meta in 120 lines', async () => {
  const lines = (await readFile(plugin, 'utf8')).trimEnd().split('\n')
  assert.ok(lines.length <= 120, `${lines.length} lines`)
})

size.run()
