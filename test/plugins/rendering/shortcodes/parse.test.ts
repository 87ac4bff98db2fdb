import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { atOnce } from '../../../../plugins/library/long-work/index.ts'
import { htmlPieces } from '../../../../plugins/rendering/content-rendering/html.ts'
import { parseAttributes } from '../../../../plugins/rendering/shortcodes/attributes.ts'
import { parseShortcodes, type ShortcodePart } from '../../../../plugins/rendering/shortcodes/parse.ts'
import { growsLinearly } from '../../../helpers/growth.ts'

const parse = suite('parseShortcodes')
const names = new Set(['a', 'b', 'big-one'])
const parts = (text: string) => atOnce(parseShortcodes(text, names, htmlPieces))
const code = (name: string, attributes = {}, content: ShortcodePart[] | null = null) => ({ name, attributes, content })

parse('finds shortcodes with and without a closing tag', () => {
  assert.equal(parts('x [a] y [b]z[/b] [c]'), ['x ', code('a'), ' y ', code('b', {}, ['z']), ' [c]'])
  assert.equal(parts('[a][b][/a][a/]'), [code('a', {}, [code('b')]), code('a')])
  assert.equal(parts('[a]1[a]2[/a]'), [code('a'), '1', code('a', {}, ['2'])])
  assert.equal(parts('[big-one x=1][/b][a'), [code('big-one', { x: '1' }), '[/b][a'])
})

parse('finds any number of shortcodes, and limits their nesting', () => {
  assert.is(parts('[a]'.repeat(500)).length, 500)
  assert.is(parts(`${'[a]'.repeat(500)}x${'[/a]'.repeat(500)}`).length > 0, true)
})

parse('unescapes shortcodes in double brackets', () => {
  assert.equal(parts('x [[a x="1"]]'), ['x ', '[a x="1"]'])
  assert.equal(parts('x [[a][b]"y"[/a]] z'), ['x [a][b]"y"[/a]', ' z'])
  assert.equal(parts('[a][[b]y[/b]][/a]'), [code('a', {}, ['[b]y[/b]'])])
  assert.equal(parts('[[a]y[/a]'), ['[', code('a', {}, ['y'])])
  assert.equal(parts('[a]y[/a]]'), [code('a', {}, ['y']), ']'])
})

parse('ignores shortcodes in tags and comments', () => {
  for (const html of ['<i title="[a]">', '<!-- [a] -->']) assert.equal(parts(html), [html])
})

parse('S31: ignores shortcodes that begin or end in a tag, or enclose the end of an outer element', () => {
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
  // A closing tag in an attribute does not close a shortcode outside.
  assert.equal(parts('[a]<i title="[a]">k</i>[/a]'), [code('a', {}, ['<i title="[a]">k</i>'])])
  assert.equal(parts('[a]<i title="[/a]">k</i>'), [code('a'), '<i title="[/a]">k</i>'])
  assert.equal(parts('<p>[a</p>\n<p> x=1]</p>'), ['<p>', code('a', { 0: '', 1: '', x: '1' }), '</p>'])
})

parse('S31: empties values with incomplete markup', () => {
  const x = (value: string) => {
    const [part] = parts(`[a x=${value}]`)
    return typeof part === 'object' ? part.attributes['x'] : undefined
  }
  assert.is(x(`'<b>k</b> <img alt="k" /> <br>'`), '<b>k</b> <img alt="k" /> <br>')
  assert.is(x(`"<i title='k'>k</i> > k"`), "<i title='k'>k</i> > k")
  for (const value of ["'<b>k'", "'k</b>'", "'<b><i></b></i>'", "'k <'", "'k <b'", '"<b title="', "'<!--k-->'"]) {
    assert.ok(['', undefined].includes(x(value)), value)
  }
  // Typographic quotes delimit values of the shortcode, but not attributes of a tag in a value.
  assert.is(x('&#8220;k k&#8221;'), 'k k')
  assert.is(x(`'<img alt="&#8221; onerror=k" />'`), '<img alt="&#8221; onerror=k" />')
})

parse('parses attributes in every notation', () => {
  assert.equal(parseAttributes(` One="1 ]" two='2' three=3 "four five" six `, htmlPieces), {
    one: '1 ]',
    two: '2',
    three: '3',
    0: 'four five',
    1: 'six',
  })
  assert.equal(parts('[a x="]" y=\'[b]\']'), [code('a', { x: ']', y: '[b]' })])
})

parse('keeps all text', () => {
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

parse('runs in linear time for hostile text', async () => {
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
