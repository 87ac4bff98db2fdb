import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { withoutTheme } from '../../../../plugins/design/templates/markup.ts'

const test = suite('markup of templates')

test('loses the theme of its template parts in files, and keeps the bytes of the other attributes', () => {
  const part = (attributes: string) => `<!-- wp:template-part ${attributes}/-->`
  const without = (attributes: string) => withoutTheme(part(attributes), 'mine', 'wp')
  const others = String.raw`"slug" : "a\/b","n":1.0,"label":"\u003cb\u003e \u002d\u002d"`
  assert.is(without(`{"theme":"mine",${others}} `), part(`{${others}} `))
  assert.is(without(`{${others},"theme":"mine"} `), part(`{${others}} `))
  assert.is(without('{"theme":"mine"} '), part(''))
  assert.is(without(`{"theme":"other",${others}} `), part(`{"theme":"other",${others}} `))
})

test.run()
