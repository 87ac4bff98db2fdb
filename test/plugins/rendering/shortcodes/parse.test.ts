import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { atOnce } from '../../../../plugins/library/long-work/index.ts'
import { htmlPieces } from '../../../../plugins/rendering/content-rendering/html.ts'
import { parseAttributes } from '../../../../plugins/rendering/shortcodes/attributes.ts'
import { parseShortcodes, type ShortcodePart } from '../../../../plugins/rendering/shortcodes/parse.ts'
import { growsLinearly } from '../../../helpers/growth.ts'

const parse = suite('parsing shortcodes')
const names = new Set(['a', 'b', 'big-one'])
const parts = (text: string) => atOnce(parseShortcodes(text, names, htmlPieces))
const code = (name: string, attributes = {}, content: ShortcodePart[] | null = null) => ({ name, attributes, content })

parse('finds those there are, with and without an end', () => {
  assert.equal(parts('x [a] y [b]z[/b] [c]'), ['x ', code('a'), ' y ', code('b', {}, ['z']), ' [c]'])
  assert.equal(parts('[a][b][/a][a/]'), [code('a', {}, [code('b')]), code('a')])
  assert.equal(parts('[a]1[a]2[/a]'), [code('a'), '1', code('a', {}, ['2'])])
  assert.equal(parts('[big-one x=1][/b][a'), [code('big-one', { x: '1' }), '[/b][a'])
})

parse('finds as many as there are, but none nested without end', () => {
  assert.is(parts('[a]'.repeat(500)).length, 500)
  assert.is(parts(`${'[a]'.repeat(500)}x${'[/a]'.repeat(500)}`).length > 0, true)
})

parse('shows what stands in two pairs of brackets', () => {
  assert.equal(parts('x [[a x="1"]]'), ['x ', '[a x="1"]'])
  assert.equal(parts('x [[a][b]"y"[/a]] z'), ['x [a][b]"y"[/a]', ' z'])
  assert.equal(parts('[a][[b]y[/b]][/a]'), [code('a', {}, ['[b]y[/b]'])])
  assert.equal(parts('[[a]y[/a]'), ['[', code('a', {}, ['y'])])
  assert.equal(parts('[a]y[/a]]'), [code('a', {}, ['y']), ']'])
})

parse('finds none in tags and comments', () => {
  for (const html of ['<i title="[a]">', '<!-- [a] -->']) assert.equal(parts(html), [html])
})

parse('S31: finds none that begins or ends in a tag, or takes the end of an element around it', () => {
  for (const html of [
    `[a x='<img alt="'] ">k`,
    '[a x="<b title="]">k</b>',
    '[a <!-- ] -->',
    '[/a <b title="]">k</b>',
    `<textarea>[a x='</textarea>']k`,
    `<div>[a </div>]<div>[b x="</div>"]`,
  ]) {
    assert.equal(parts(html), [html])
  }
  // What an attribute of a tag says ends nothing outside.
  assert.equal(parts('[a]<i title="[a]">k</i>[/a]'), [code('a', {}, ['<i title="[a]">k</i>'])])
  assert.equal(parts('[a]<i title="[/a]">k</i>'), [code('a'), '<i title="[/a]">k</i>'])
  assert.equal(parts('<p>[a</p>\n<p> x=1]</p>'), ['<p>', code('a', { 0: '', 1: '', x: '1' }), '</p>'])
})

parse('S31: empties values whose markup is not whole', () => {
  const x = (value: string) => {
    const [part] = parts(`[a x=${value}]`)
    return typeof part === 'object' ? part.attributes['x'] : undefined
  }
  assert.is(x(`'<b>k</b> <img alt="k" /> <br>'`), '<b>k</b> <img alt="k" /> <br>')
  assert.is(x(`"<i title='k'>k</i> > k"`), "<i title='k'>k</i> > k")
  for (const value of ["'<b>k'", "'k</b>'", "'<b><i></b></i>'", "'k <'", "'k <b'", '"<b title="', "'<!--k-->'"]) {
    assert.ok(['', undefined].includes(x(value)), value)
  }
  // Quotes that typing programs make are those of the shortcode, not those of a tag in it.
  assert.is(x('&#8220;k k&#8221;'), 'k k')
  assert.is(x(`'<img alt="&#8221; onerror=k" />'`), '<img alt="&#8221; onerror=k" />')
})

parse('reads attributes in every form', () => {
  assert.equal(parseAttributes(` One="1 ]" two='2' three=3 "four five" six `, htmlPieces), {
    one: '1 ]',
    two: '2',
    three: '3',
    0: 'four five',
    1: 'six',
  })
  assert.equal(parts('[a x="]" y=\'[b]\']'), [code('a', { x: ']', y: '[b]' })])
})

parse('loses no text', () => {
  const text = (list: readonly ShortcodePart[]): string =>
    list.map((part) => (typeof part === 'string' ? part : text(part.content ?? []))).join('')
  const part = fc.constantFrom('[a]', '[b]', '[/a]', '[/b]', '[c]', 'text', '<i>', '[', ']', ' ')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (list) => {
      const letters = (from: string) => from.replace(/\[\/?[ab]\]|[[\]]/g, '')
      assert.is(letters(text(parts(list.join('')))), letters(list.join('')))
    }),
  )
})

parse('takes hostile text in its stride', async () => {
  for (const part of [
    '[a',
    '[a]',
    '[/a]',
    '[a "',
    `[a "]"`,
    '[[a]',
    '[a x="',
    "[a ']",
    '<a [a]',
    '[a x=',
    '[b][a]',
    '[[a]',
    '[/a]]',
    '[[a][/a]]',
  ]) {
    await growsLinearly(part, (size) => parts(part.repeat(size / part.length) + ']'))
  }
})

parse.run()
