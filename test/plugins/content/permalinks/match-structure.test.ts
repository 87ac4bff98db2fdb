import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { matchStructure } from '../../../../plugins/content/permalinks/match-structure.ts'

const matching = suite('matching of paths with structures')

const match = (structure: string, path: string) => {
  const values = matchStructure(structure.split(/%(\w+)%/), path)
  return values === null ? null : Object.fromEntries(values)
}

matching('finds the value of each tag', () => {
  assert.equal(match('/%year%/%monthnum%/%postname%.html', '/2024/05/story.html'), {
    year: ['2024'],
    monthnum: ['05'],
    postname: ['story'],
  })
  assert.equal(match('/%year%%monthnum%%day%/%hour%%minute%%second%/', '/20240506/102030'), {
    year: ['2024'],
    monthnum: ['05'],
    day: ['06'],
    hour: ['10'],
    minute: ['20'],
    second: ['30'],
  })
  assert.equal(match('/p/%post_id%-%postname%/', '/p/12-3-story'), { post_id: ['12'], postname: ['3-story'] })
  assert.equal(match('/%category%/%postname%/', '/a/b/c/story'), { category: ['a/b/c'], postname: ['story'] })
  assert.equal(match('/%postname%-%post_id%', '/a-1-2'), { postname: ['a-1'], post_id: ['2'] })
  assert.equal(match('/%what%/%postname%/', '/x/story'), { what: ['x'], postname: ['story'] })
  assert.equal(match('/Blog/%postname%/', '/blog/story'), { postname: ['story'] })
})

matching('finds all values of an ambiguous path, up to twenty', () => {
  assert.equal(match('/%author%-%postname%/', '/a-b-c'), { author: ['a', 'a-b'], postname: ['b-c', 'c'] })
  assert.equal(match('/%post_id%%postname%/', '/12a'), { post_id: ['1', '12'], postname: ['2a', 'a'] })
  const many = match('/%author%-%postname%/', `/${'a-'.repeat(500)}a`)
  assert.equal([many!['author']!.length, many!['postname']!.length], [20, 20])
})

matching('rejects other paths', () => {
  for (const [structure, path] of [
    ['/%postname%/', '/a/b'],
    ['/%postname%/', ''],
    ['/%postname%/', '/'],
    ['/%category%/%postname%/', '/a'],
    ['/%category%/%postname%/', '//a'],
    ['/%postname%.html', '/story.htm'],
    ['/%postname%.html', '/.html'],
    ['/%year%/%postname%/', '/24/story'],
    ['/%year%/%postname%/', '/20245/story'],
    ['/archives/%post_id%', '/archives/12a'],
    ['/archives/%post_id%', '/archives/1234567890123456'],
    ['', '/story'],
  ] as const)
    assert.is(match(structure, path), null, `${structure} ${path}`)
})

matching.run()
