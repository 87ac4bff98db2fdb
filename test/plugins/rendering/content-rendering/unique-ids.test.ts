import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DERIVED_ID, uniqueIds } from '../../../../plugins/rendering/content-rendering/index.ts'

const ids = suite('unique IDs')

const search = (number: number) =>
  `<label for="wp-block-search__input-${number}">S</label><input id="wp-block-search__input-${number}">`
const menu = (id: string) =>
  `<button popovertarget="${id}"></button><div popover id="${id}"><button popovertarget="${id}" popovertargetaction="hide"></button></div>`

for (const [name, html, expected] of [
  ['nothing', '<p id="a"><p id="b"> id="a"', '<p id="a"><p id="b"> id="a"'],
  ['numbers of blocks', search(1) + search(1) + search(1), search(1) + search(2) + search(3)],
  ['numbers that others have', search(1) + search(1) + search(2), search(1) + search(3) + search(2)],
  ['popovers', menu('modal-0123456789ab').repeat(2), menu('modal-0123456789ab') + menu('modal-0123456789ab-2')],
  [
    'labels after their field, and quotes',
    `<input id='a'><label for='a'>A</label><input id='a'><label for='a'>A</label>`,
    `<input id='a'><label for='a'>A</label><input id='a-2'><label for='a-2'>A</label>`,
  ],
  [
    'forms after their fields',
    '<select form="x-block-y__form-1"></select><form id="x-block-y__form-1"></form>'.repeat(2),
    '<select form="x-block-y__form-1"></select><form id="x-block-y__form-1"></form><select form="x-block-y__form-2"></select><form id="x-block-y__form-2"></form>',
  ],
  [
    'lists of IDs',
    '<i id="a"></i><i id="b"></i><p aria-describedby="a b c"></p><i id="a"></i><p aria-describedby="a b c">',
    '<i id="a"></i><i id="b"></i><p aria-describedby="a b c"></p><i id="a-2"></i><p aria-describedby="a-2 b c">',
  ],
] as const)
  ids(`change ${name}`, async () => {
    assert.is(await uniqueIds(html), expected)
    assert.is(await uniqueIds(await uniqueIds(html)), expected)
  })

ids('change only the IDs of blocks in a content', async () => {
  const html = `<p id="a"></p><p id="a"></p>${search(1)}${search(1)}`
  assert.is(await uniqueIds(html, DERIVED_ID), `<p id="a"></p><p id="a"></p>${search(1)}${search(2)}`)
})

ids('differ in any page, and each label keeps its field', async () => {
  const name = fc.constantFrom('a', 'a-2', 'a-3', 'x-block-y-1', 'x-block-y-2', 'x-block-y-9', '__proto__')
  await fc.assert(
    fc.asyncProperty(fc.array(name, { maxLength: 12 }), async (names) => {
      const html = names.map((one) => `<label for="${one}"></label><input id="${one}">`).join('<hr>')
      const unique = await uniqueIds(html)
      const found = [...unique.matchAll(/<label for="([^"]*)"><\/label><input id="([^"]*)">/g)]
      assert.is(found.length, names.length)
      for (const [, label, input] of found) assert.is(label, input)
      assert.is(new Set(found.map(([, , input]) => input)).size, names.length)
      for (const [at, one] of names.entries()) if (!names.slice(0, at).includes(one)) assert.is(found[at]![2], one)
    }),
  )
})

ids.run()
