import { join } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { useChromium } from '../../../../helpers/chromium.ts'

const editor = suite('document model of the rich editor in Chromium')
const { inBrowser, openWindow } = useChromium(editor)

const ROOT = join(import.meta.dirname, '../../../../..')
const SCRIPT = `
  import { Editor } from '@tiptap/core'
  import { createExtensions, loadClassic, readDocument, writeDocument } from './plugins/site/admin/assets/editor/model/index.js'
  const element = document.body.appendChild(document.createElement('div'))
  const editor = new Editor({ element, extensions: createExtensions() })
  globalThis.model = {
    async read(source) {
      await loadClassic()
      const doc = readDocument(source, editor.schema)
      editor.view.dispatch(editor.state.tr.replaceWith(0, editor.state.doc.content.size, doc.content))
      editor.view.focus()
      if (editor.state.doc.lastChild.isTextblock) editor.commands.setTextSelection(editor.state.doc.content.size)
    },
    write: () => writeDocument(editor.state.doc),
    selectNode: (position) => editor.commands.setNodeSelection(position),
    html: () => element.innerHTML,
  }
`

/** The functions of the script. */
interface Model {
  read(source: string): Promise<void>
  write(): string
  selectNode(position: number): void
  html(): string
}

const inEditor = (name: string, act: (page: Page) => Promise<void>) =>
  inBrowser(name, async () => {
    await using window = await openWindow()
    await window.page.goto('about:blank')
    await window.page.addScriptTag({ content: await bundle() })
    await act(window.page)
    assert.equal(window.complaints, [])
  })

let bundled: Promise<string> | undefined
function bundle(): Promise<string> {
  bundled ??= build({
    stdin: { contents: SCRIPT, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'error',
  }).then(({ outputFiles }) => outputFiles[0]!.text)
  return bundled
}

async function read(page: Page, source: string): Promise<void> {
  await page.evaluate((text) => (globalThis as unknown as { model: Model }).model.read(text), source)
}

async function written(page: Page): Promise<string> {
  return page.evaluate(() => (globalThis as unknown as { model: Model }).model.write())
}

const paragraph = (html: string) => `<!-- wp:paragraph -->\n<p>${html}</p>\n<!-- /wp:paragraph -->`
const item = (html: string) => `<!-- wp:list-item -->\n<li>${html}</li>\n<!-- /wp:list-item -->`
const list = (...items: string[]) =>
  `<!-- wp:list -->\n<ul class="wp-block-list">${items.map(item).join('\n\n')}</ul>\n<!-- /wp:list -->`

inEditor('writes the typed text, and changes nothing else', async (page) => {
  const odd = '<!-- wp:paragraph  {"x":1}-->\n<p  class="y">Odd</p>\n\n<!-- /wp:paragraph  -->'
  await read(page, `${odd}\n\n\n${paragraph('One')}\n`)
  await page.keyboard.type(' & two')
  assert.is(await written(page), `${odd}\n\n\n${paragraph('One &amp; two')}\n`)
  await page.keyboard.press('Enter')
  await page.keyboard.type('Three')
  assert.is(await written(page), `${odd}\n\n\n${paragraph('One &amp; two')}\n\n${paragraph('Three')}`)
})

inEditor('makes headings, lists and quotes of typed marks', async (page) => {
  await read(page, '')
  await page.keyboard.type('## Title')
  await page.keyboard.press('Enter')
  await page.keyboard.type('- a')
  await page.keyboard.press('Enter')
  await page.keyboard.type('b')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.type('**bold** end')
  assert.is(
    await written(page),
    [
      '<!-- wp:heading -->\n<h2 class="wp-block-heading">Title</h2>\n<!-- /wp:heading -->',
      list(`a${list('b')}`),
      paragraph('<strong>bold</strong> end'),
    ].join('\n\n'),
  )
})

inEditor('keeps all attributes and the source of a block that is cut and pasted', async (page) => {
  const image =
    '<!-- wp:image {"id":3,"acme":{"a":1}} -->\n<figure class="wp-block-image own"><img src="data:," alt="" class="wp-image-3" data-x="1"/></figure>\n<!-- /wp:image -->'
  await read(page, `${image}\n\n${paragraph('Text')}`)
  await page.evaluate(() => (globalThis as unknown as { model: Model }).model.selectNode(0))
  await page.keyboard.press('Control+X')
  assert.is(await written(page), paragraph('Text'))
  await page.keyboard.press('Control+End')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+V')
  assert.is(await written(page), `${paragraph('Text')}\n\n${image}`)
})

inEditor('shows every block type without an error', async (page) => {
  await read(
    page,
    [
      paragraph('a'),
      '<!-- wp:table -->\n<figure class="wp-block-table"><table><thead><tr><th>h</th></tr></thead><tbody><tr><td>c</td></tr></tbody></table><figcaption class="wp-element-caption">t</figcaption></figure>\n<!-- /wp:table -->',
      '<!-- wp:code -->\n<pre class="wp-block-code"><code>x\n  y</code></pre>\n<!-- /wp:code -->',
      '<!-- wp:html -->\n<img src=x onerror="throw 1"><script>throw 1</script>\n<!-- /wp:html -->',
      paragraph('<a href="javascript:throw 1" onclick="throw 1">l</a><svg onload="throw 1"><path/></svg>'),
      '<!-- wp:latest-posts /-->',
      'classic <b>text</b>',
    ].join('\n\n'),
  )
  const html = await page.evaluate(() => (globalThis as unknown as { model: Model }).model.html())
  assert.match(html, /<th[^>]*>h<\/th>/)
  assert.not.match(html, /<script|<svg|href="javascript|<[^>&]* on\w+=/)
})

editor.run()
