import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HeaderMap } from '../../../kernel/index.ts'
import { growsLinearly } from '../../helpers/growth.ts'

const headers = suite('headers')

headers('are case-insensitive, and accept underscores in place of hyphens', () => {
  const map = HeaderMap.received({ 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'] })
  for (const name of ['content-type', 'Content-Type', 'content_type', 'CONTENT_TYPE']) {
    assert.is(map.get(name), 'text/plain', name)
    assert.is(map.has(name), true, name)
  }
  assert.is(map.get('set_cookie'), 'a=1, b=2')
})

headers('received with an underscore are not read as headers with a hyphen', () => {
  for (const map of [
    HeaderMap.received({ x_forwarded_for: '1.2.3.4' }),
    new HeaderMap({ X_Forwarded_For: '1.2.3.4' }),
  ]) {
    assert.is(map.get('x-forwarded-for'), null)
    map.set('other', '1')
    assert.is(map.get('x-forwarded-for'), null)
    assert.is(map.get('x_forwarded_for'), null)
  }
})

headers('keep the spelling of their first use, with hyphens', () => {
  const map = new HeaderMap()
  map.set('x_svc_total', 3)
  map.set('X-SVC-Total', 4)
  assert.equal([...map], [['x-svc-total', 4]])
  map.delete('X_SVC_TOTAL')
  assert.is(map.size, 0)
})

headers('append further values after a comma, each once', () => {
  const map = new HeaderMap()
  for (const value of ['Origin', 'Accept', 'Origin']) map.append('Vary', value)
  assert.is(map.get('vary'), 'Origin, Accept')
})

headers('have no properties of Object.prototype', () => {
  const map = HeaderMap.received({ host: 'a' })
  assert.is(map.get('toString'), null)
  assert.is(map.get('constructor'), null)
  assert.is(map.has('hasOwnProperty'), false)
})

headers('can be read, changed and deleted', () => {
  const names = Array.from({ length: 100 }, (_, index) => `X-Name-${index}`)
  const map = new HeaderMap(Object.fromEntries(names.map((name) => [name, 'a'])))
  map.set('x_name_0', 'b')
  map.append('X-NAME-50', 'c')
  map.set('X-Last', 'd')
  map.delete('X-Name-99')
  assert.equal([map.get('x-name-0'), map.get('x-name-50'), map.get('x-last')], ['b', 'a, c', 'd'])
  assert.is(map.has('x-name-99'), false)
  assert.equal(
    [...map].map(([name]) => name),
    [...names.slice(0, 99), 'X-Last'],
  )
})

headers('take linear time', async () => {
  const fill = (size: number) => {
    const names = Array.from({ length: size }, (_, index) => `X-Name-${index}`)
    const map = new HeaderMap(Object.fromEntries(names.map((name) => [name, 'a'])))
    for (const name of names) map.set(name, map.get(name)!)
  }
  await growsLinearly('headers by name', fill, 20_000)
})

headers.run()
