import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { reasonFor, readReasons } from './crawl-reasons.ts'

const reasons = suite('reasons of the crawl')

const LIST = String.raw`# A comment
body · more # D reason one # ^/wp/v2/media(?![\w-])
body · more # D reason two # [?&]_envelope\b
status · 200 # P reason three`

reasons('explain a difference only on the paths that they cover', () => {
  const list = readReasons(LIST)
  const found = (key: string, path: string) => reasonFor(list, key, path)?.line.split(' # ')[1]
  assert.is(found('body · more', '/wp/v2/media/5?context=edit'), 'D reason one')
  assert.is(found('body · more', '/wp/v2/posts?_envelope=1'), 'D reason two')
  assert.is(found('body · more', '/wp/v2/media-items'), undefined)
  assert.is(found('body · more', '/wp/v2/posts'), undefined)
  assert.is(found('status · 200 is 404', '/wp/v2/posts'), 'P reason three')
  assert.is(found('status · 404', '/wp/v2/posts'), undefined)
})

reasons('are required in each line', () => {
  assert.throws(() => readReasons('body · more'), 'has no reason')
})

reasons('of the list name the paths they cover', async () => {
  const text = await readFile(join(import.meta.dirname, '..', 'crawl-known.txt'), 'utf8')
  assert.equal(
    readReasons(text).flatMap(({ line, paths }) => (paths === null ? [line] : [])),
    [],
  )
})

reasons.run()
