import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { htmlOf, parseBlocks, type Block } from '../../../../plugins/rendering/blocks/parse.ts'
import { growsLinearly } from '../../../helpers/growth.ts'

const parse = suite('parseBlocks')
const blocks = (content: string) => parseBlocks(content, 'my')
const html = (text: string): Block => ({ name: null, attributes: {}, inner: [text] })
const block = (name: string, inner: Block['inner'] = [], attributes = {}): Block => ({ name, attributes, inner })

parse('finds blocks, their content, and the HTML between them', () => {
  assert.equal(blocks('a<!-- my:list {"ordered":true} --><ul><!-- my:shop/item /--></ul><!-- /my:list -->b'), [
    html('a'),
    block('core/list', ['<ul>', block('shop/item'), '</ul>'], { ordered: true }),
    html('b'),
  ])
  assert.equal(blocks('<!-- my:shop/item {"a":{"b":"/"}} /-->'), [block('shop/item', [], { a: { b: '/' } })])
})

parse('treats other comments as HTML', () => {
  for (const text of [
    '<!--more-->',
    '<!-- yours:list -->',
    '<!-- my: -->',
    '<!--my:list-->',
    '<!-- my:list',
    '<!-- my:LIST -->',
  ]) {
    assert.equal(blocks(text), [html(text)])
  }
})

parse('tolerates markup that is not well-formed', () => {
  assert.equal(blocks('<!-- my:a --><!-- my:b -->x<!-- /my:a -->y<!-- /my:b -->'), [
    block('core/a', [block('core/b', ['x'])]),
    html('y'),
  ])
  assert.equal(blocks('<!-- my:a -->x'), [block('core/a', ['x'])])
  assert.equal(blocks('<!-- my:a {no json} /--><!-- my:a [1] /-->'), [block('core/a'), block('core/a')])
  assert.equal(Object.keys(blocks('<!-- my:a {"__proto__":{"x":1},"y":2} /-->')[0]!.attributes), ['y'])
})

parse('drops only block comments', () => {
  const part = fc.constantFrom(
    'text',
    '<p>',
    '<!-- my:a -->',
    '<!-- /my:a -->',
    '<!-- my:b {"c":1} /-->',
    '<!--more-->',
    '<!-- ',
    '-->',
  )
  const marks = /<!-- \/?my:[ab](?: \{"c":1\})? \/?-->/g
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const content = parts.join('')
      // An unterminated comment swallows the next block comment.
      if (/<!-- (?!\/?my:[ab](?: \{"c":1\})? \/?-->)/.test(content)) return
      assert.is(htmlOf(blocks(content)), content.replace(marks, ''))
    }),
  )
})

parse('runs in linear time for hostile content', async () => {
  for (const part of [
    '<!--',
    '<!-- my:a -->',
    '<!-- my:a {',
    '<!-- /my:a -->',
    '<!--  ',
    '<!-- my:a {"b":',
    '-->',
    '<!-- my:a {{{ /-->',
  ]) {
    await growsLinearly(part, (size) => htmlOf(blocks(part.repeat(size / part.length))))
  }
})

parse('S29: searches the end of many comments once', async () => {
  await growsLinearly('comments', (count) => htmlOf(blocks(`${'<!--'.repeat(count)} -->`)))
})

parse.run()
