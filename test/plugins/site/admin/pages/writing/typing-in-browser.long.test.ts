import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assertValid, checkInBlockEditor, useWriting, type Writing } from '../../../../../helpers/writing-page.ts'

const typing = suite('typing in the rich editor')
const { inEditor } = useWriting(typing)

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`
const heading = (text: string, level: number) =>
  `<!-- wp:heading${level === 2 ? '' : ` {"level":${level}}`} -->\n<h${level} class="wp-block-heading">${text}</h${level}>\n<!-- /wp:heading -->`
const item = (text: string) => `<!-- wp:list-item -->\n<li>${text}</li>\n<!-- /wp:list-item -->`
const list = (...items: string[]) =>
  `<!-- wp:list -->\n<ul class="wp-block-list">${items.map(item).join('\n\n')}</ul>\n<!-- /wp:list -->`
const numbered = (start: number, ...items: string[]) =>
  start === 1
    ? `<!-- wp:list {"ordered":true} -->\n<ol class="wp-block-list">${items.map(item).join('\n\n')}</ol>\n<!-- /wp:list -->`
    : `<!-- wp:list {"start":${start},"ordered":true} -->\n<ol class="wp-block-list" start="${start}">${items.map(item).join('\n\n')}</ol>\n<!-- /wp:list -->`
const separator =
  '<!-- wp:separator -->\n<hr class="wp-block-separator has-alpha-channel-opacity"/>\n<!-- /wp:separator -->'
const code = (text: string) =>
  `<!-- wp:code -->\n<pre class="wp-block-code"><code>${text}</code></pre>\n<!-- /wp:code -->`
const quote = (...blocks: string[]) =>
  `<!-- wp:quote -->\n<blockquote class="wp-block-quote">${blocks.join('\n\n')}</blockquote>\n<!-- /wp:quote -->`

/** Types in an empty document; a line break is Enter, a tab is Tab. */
async function typed({ page, show, source }: Writing, text: string): Promise<string> {
  await show('')
  for (const part of text.split(/(\t)/)) {
    if (part === '\t') await page.keyboard.press('Tab')
    else await page.keyboard.type(part)
  }
  return source()
}

inEditor('reads Markdown while it is typed', async (writing) => {
  const cases: [text: string, content: string][] = [
    ['# One', heading('One', 1)],
    ['## Two', heading('Two', 2)],
    ['###### Six\nText', `${heading('Six', 6)}\n\n${paragraph('Text')}`],
    ['- one\ntwo\n\ntext', `${list('one', 'two')}\n\n${paragraph('text')}`],
    ['* one', list('one')],
    ['+ one', list('one')],
    ['1. one\ntwo', numbered(1, 'one', 'two')],
    ['7. seven', numbered(7, 'seven')],
    ['- one\n\ttwo', list(`one${list('two')}`)],
    ['> one', quote(paragraph('one'))],
    ['``` let a\n  # b', code('let a<br>  # b')],
    [
      '```js\nlet a',
      code('let a')
        .replace('wp:code', 'wp:code {"className":"language-js"}')
        .replace('wp-block-code', 'wp-block-code language-js'),
    ],
    ['---text', `${separator}\n\n${paragraph('text')}`],
    ['a **b** c', paragraph('a <strong>b</strong> c')],
    ['a __b__ c', paragraph('a <strong>b</strong> c')],
    ['a *b* c', paragraph('a <em>b</em> c')],
    ['a _b_ c', paragraph('a <em>b</em> c')],
    ['(**b**) and "*c*"', paragraph('(<strong>b</strong>) and "<em>c</em>"')],
    ['a `b <i>` c', paragraph('a <code>b &lt;i></code> c')],
    ['a ~~b~~ c', paragraph('a <s>b</s> c')],
    ['a [b c](https://sea.example) d', paragraph('a <a href="https://sea.example">b c</a> d')],
    ['[b](/about/)', paragraph('<a href="/about/">b</a>')],
    ['[b](javascript:alert) c', paragraph('[b](javascript:alert) c')],
    ['2 * 3 * 4, snake_case_name, a ** b', paragraph('2 * 3 * 4, snake_case_name, a ** b')],
    ['#tag -x 1.5', paragraph('#tag -x 1.5')],
  ]
  const bad: string[] = []
  for (const [text, content] of cases) {
    const source = await typed(writing, text)
    if (source !== content) bad.push(`${text} =>\n${source}\n--- expected\n${content}\n`)
    else assertValid(source)
  }
  assert.equal(bad, [])
})

inEditor('takes a rule back with undo or Backspace, which keep the typed characters', async (writing) => {
  const { page, source } = writing
  for (const key of ['Control+z', 'Backspace']) {
    for (const [text, content] of [
      ['## ', '## '],
      ['a **b**', 'a **b**'],
    ] as const) {
      await typed(writing, text)
      await page.keyboard.press(key)
      assert.is((await source()).trim(), paragraph(content), `${key} after ${text}`)
    }
  }
})

inEditor('inserts every block of the menu, each of which reopens as it was stored', async (writing) => {
  const { page, show, source } = writing
  await show('')
  await page.keyboard.type('/')
  const menu = page.getByRole('listbox', { name: 'Blocks' })
  await menu.waitFor()
  const names = await menu.getByRole('option').allInnerTexts()
  assert.ok(names.length >= 25, names.join())
  // These open a dialog.
  const chosen = ['Image', 'Gallery', 'Video', 'Audio', 'File', 'Embed']
  for (const name of names.filter((one) => !chosen.includes(one))) {
    await show(paragraph('Before'))
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.type(`/${name.replaceAll(/[“”]/g, '').split(' ')[0]}`)
    await menu.getByRole('option', { name, exact: true }).click()
    await menu.waitFor({ state: 'hidden' })
    await page.keyboard.type('Text')
    const content = await source()
    assert.not.match(content, `/${name}`)
    assert.ok(content.startsWith(paragraph('Before')), content)
    assertValid(content)
    await page.keyboard.press('Control+z')
  }
})

checkInBlockEditor(typing, inEditor)

typing.run()
