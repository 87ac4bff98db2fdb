import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../../../helpers/until.ts'
import { assertValid, checkInBlockEditor, useWriting, type Writing } from '../../../../../helpers/writing-page.ts'

const paste = suite('pasting in the rich editor')
const { inEditor } = useWriting(paste, { login: 'admin' })

const FOLDER = join(import.meta.dirname, '../../../../../fixtures/clipboard')
const fixture = (name: string) => readFileSync(join(FOLDER, name), 'utf8').trimEnd()

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`
const heading = (text: string) => `<!-- wp:heading -->\n<h2 class="wp-block-heading">${text}</h2>\n<!-- /wp:heading -->`
const list = (...items: string[]) =>
  `<!-- wp:list -->\n<ul class="wp-block-list">${items
    .map((item) => `<!-- wp:list-item -->\n<li>${item}</li>\n<!-- /wp:list-item -->`)
    .join('\n\n')}</ul>\n<!-- /wp:list -->`
const table = (...rows: string[][]) =>
  `<!-- wp:table -->\n<figure class="wp-block-table"><table class="has-fixed-layout"><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table></figure>\n<!-- /wp:table -->`
const quote = (text: string, citation: string) =>
  `<!-- wp:quote -->\n<blockquote class="wp-block-quote">${paragraph(text)}<cite>${citation}</cite></blockquote>\n<!-- /wp:quote -->`
const pre = (name: 'preformatted' | 'verse', text: string) =>
  `<!-- wp:${name} -->\n<pre class="wp-block-${name}">${text}</pre>\n<!-- /wp:${name} -->`
const code = (text: string) =>
  `<!-- wp:code -->\n<pre class="wp-block-code"><code>${text}</code></pre>\n<!-- /wp:code -->`

const html = (source: string, text = 'text') => ({ 'text/html': source, 'text/plain': text })
const plain = (text: string) => ({ 'text/plain': text })
type Data = Readonly<Record<string, string>>

/** Pastes over a text, or in an empty document, and returns the content. */
async function pasted({ show, select, paste: pasteData, source }: Writing, data: Data, start = '', over = '') {
  await show(start)
  if (over !== '') await select(over)
  const before = await source()
  await pasteData(data)
  // Markdown is converted by the server.
  await until(async () => (await source()) !== before)
  const content = await source()
  assertValid(content)
  return content
}

for (const name of ['word', 'google-docs', 'libreoffice', 'web-page']) {
  inEditor(
    `keeps the structure of ${name}, without its styles and scripts, as one step of the history`,
    async (writing) => {
      const content = await pasted(writing, html(fixture(`${name}.html`)), paragraph('Before'), 'Before')
      assert.is(content, fixture(`${name}.blocks.html`))
      await writing.page.keyboard.press('Control+z')
      assert.is(await writing.source(), paragraph('Before'))
      await writing.page.keyboard.press('Control+Shift+z')
      assert.is(await writing.source(), content)
    },
  )
}

inEditor('converts Markdown, and keeps it as text if the server is unreachable', async (writing) => {
  const { page, paste: pasteData, show, source } = writing
  assert.is(await pasted(writing, plain(fixture('markdown.md'))), fixture('markdown.blocks.html'))
  await page.keyboard.press('Control+z')
  assert.is(await source(), '')
  // Code editors copy the colors of Markdown, too.
  const colored = { ...html('<div style="white-space: pre"># One</div>', '# One'), 'vscode-editor-data': '{}' }
  assert.is(await pasted(writing, colored), heading('One').replaceAll('h2', 'h1').replace('-->', '{"level":1} -->'))
  await page.context().setOffline(true)
  await show('')
  await pasteData(plain('# One\n- two\n\nthree'))
  await until(async () => (await source()) !== '')
  assert.is(await source(), [paragraph('# One<br>- two'), paragraph('three')].join('\n\n'))
  await page.context().setOffline(false)
})

inEditor('makes paragraphs of text with blank lines, and breaks of single lines', async (writing) => {
  const content = await pasted(writing, plain('One\r\nstill one\r\n\r\n  \r\nTwo & <b>\n'))
  assert.is(content, [paragraph('One<br>still one'), paragraph('Two &amp; &lt;b>')].join('\n\n'))
})

inEditor('reads block markup of other editors from HTML and text', async ({ show, paste: pasteData, source }) => {
  const blocks = [
    '<!-- wp:heading {"level":3,"textAlign":"center"} -->\n<h3 class="wp-block-heading has-text-align-center">H</h3>\n<!-- /wp:heading -->',
    '<!-- wp:archives {"showPostCounts":true} /-->',
    '<!-- wp:my/block {"a":1} -->\n<div class="x"><b>y</b></div>\n<!-- /wp:my/block -->',
  ].join('\n\n')
  for (const data of [
    html(`<meta charset='utf-8'><!--StartFragment-->${blocks}<!--EndFragment-->`),
    plain(`${blocks}\n`),
  ]) {
    await show('')
    await pasteData(data)
    assert.is(await source(), blocks)
  }
})

inEditor('drops markup that can run scripts, also in blocks and in copies of other editors', async (writing) => {
  const hostile =
    '<p onclick="alert(1)" style="position:fixed"><a href="java&#9;script:alert(1)" style="inset:0">x</a></p>'
  for (const source of [
    hostile,
    `<div data-pm-slice="0 0 []">${hostile}</div>`,
    `<!-- wp:paragraph -->${hostile}<!-- /wp:paragraph -->`,
    `<!-- wp:html --><script>alert(1)</script><!-- /wp:html -->${hostile}`,
    `<p data-editor-node='1-2-3-4 {"attributes":{"anchor":"a"},"form":{"main":{"open":"&lt;p onclick=alert(1)>"}}}'>x</p>`,
    `<p><img src="x" onerror="alert(1)">x<svg onload="alert(1)"></svg><iframe srcdoc="x"></iframe></p>`,
  ])
    assert.is(await pasted(writing, html(source)), paragraph('x'), source)
  const text = '<!-- wp:html -->\n<img src=x onerror=alert(1)>\n<!-- /wp:html -->'
  assert.is(
    await pasted(writing, plain(text)),
    paragraph('&lt;!-- wp:html --><br>&lt;img src=x onerror=alert(1)><br>&lt;!-- /wp:html -->'),
  )
})

inEditor('copies blocks byte for byte, also to another post', async ({ page, show, source, save }) => {
  const content = [
    '<!-- wp:paragraph {"align":"center","custom":"x"} -->\n<p class="has-text-align-center" data-x=\'1\'>A &mdash; <u>b</u> <span style="text-decoration: underline">c</span></p>\n<!-- /wp:paragraph -->',
    '<!-- wp:archives {"showPostCounts":true} /-->',
    '<!-- wp:image {"id":7,"sizeSlug":"large"} -->\n<figure class="wp-block-image size-large"><img src="/svc-admin/assets/favicon.svg" alt="" class="wp-image-7"/></figure>\n<!-- /wp:image -->',
    '<!-- wp:html -->\n<marquee>x</marquee>\n<!-- /wp:html -->',
    code('let a\n\n  b'),
    table(['1', '2'], ['3', '4']),
    paragraph('Last'),
  ].join('\n\n')
  await show(content)
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+c')
  await page.keyboard.press('End')
  await show('')
  await page.keyboard.press('Control+v')
  assert.is(await source(), content)
  assert.is(await save(), content)
  await page.goto(page.url().replace(/\d+$/, 'new'))
  await page.locator('.ProseMirror').click()
  await page.keyboard.press('Control+v')
  assert.is(await source(), content)
})

inEditor('fits content to headings, list items, cells, captions and code', async (writing) => {
  const two = html('<p>one <b>b</b></p><p>two</p>', 'one b\n\ntwo')
  const cases: [start: string, data: Data, expected: string][] = [
    [heading('A here'), two, `${heading('A one <b>b</b>')}\n\n${paragraph('two')}`],
    [heading('A here'), plain('x **b** y'), heading('A x <strong>b</strong> y')],
    [paragraph('A here C'), plain('x **b** y'), paragraph('A x <strong>b</strong> y C')],
    [list('A here'), two, list('A one <b>b</b>', 'two')],
    [list('A here', 'C'), html('<ul><li>a</li><li>b</li></ul>'), list('A a', 'b', 'C')],
    [list('A here'), plain('- a\n- **b**'), list('A a', '<strong>b</strong>')],
    [list('A here'), plain('one\ntwo\n\nthree'), list('A one<br>two', 'three')],
    [table(['A here', 'B']), two, table(['A one <b>b</b><br>two', 'B'])],
    [table(['A here', 'B']), plain('# x\n\n- **y**'), table(['A x<br><strong>y</strong>', 'B'])],
    [table(['A here', 'B']), plain(`${paragraph('x')}\n\n${paragraph('y')}`), table(['A x<br>y', 'B'])],
    [
      table(['A here', 'B'], ['C', 'D']),
      html('<table><tr><td>1</td><td>2</td></tr><tr><td><p>3</p></td><td>4</td></tr></table>'),
      table(['1', '2'], ['3', '4']),
    ],
    [quote('A', 'B here'), two, quote('A', 'B one <b>b</b><br>two')],
    [code('let here'), html('<p># a <b>b</b></p><p>c</p>', '# a **b**\n\n  c'), code('let # a **b**\n\n  c')],
    [code('let here'), plain(paragraph('x')), code(`let ${paragraph('x').replaceAll('<', '&lt;')}`)],
    [pre('preformatted', 'A here'), html('<p>x</p><p>y</p>', 'x\n\n  y'), pre('preformatted', 'A x\n\n  y')],
    [pre('verse', 'A here'), plain('# x\n\n  y'), pre('verse', 'A # x\n\n  y')],
  ]
  for (const [start, data, expected] of cases) assert.is(await pasted(writing, data, start, 'here'), expected, start)
})

inEditor('reads tables of spreadsheets and web pages', async (writing) => {
  const excel =
    '<html><body><table border=0><col width=64><tr height=20><td class=xl63>A</td><td align=right>1</td></tr><tr><td>B</td><td>2</td></tr></table></body></html>'
  assert.is(await pasted(writing, html(excel, 'A\t1\nB\t2')), table(['A', '1'], ['B', '2']))
  const captioned =
    '<table><caption>Boats</caption><thead><tr><th scope="col">H</th></tr></thead><tbody><tr><td>a<br><br>b</td></tr><tr><td><ul><li>x</li><li>y</li></ul></td></tr></tbody><tfoot><tr><td>F</td></tr></tfoot></table>'
  assert.is(
    await pasted(writing, html(captioned)),
    '<!-- wp:table -->\n<figure class="wp-block-table"><table class="has-fixed-layout"><thead><tr><th>H</th></tr></thead><tbody><tr><td>a<br>b</td></tr><tr><td>x<br>y</td></tr></tbody><tfoot><tr><td>F</td></tr></tfoot></table><figcaption class="wp-element-caption">Boats</figcaption></figure>\n<!-- /wp:table -->',
  )
})

inEditor('makes embeds and links of addresses, and links selected text', async (writing) => {
  const url = 'https://www.youtube.com/watch?v=abc'
  const embed = await pasted(writing, plain(url))
  assert.match(
    embed,
    /^<!-- wp:embed \{"url":"https:\/\/www\.youtube\.com\/watch\?v=abc","type":"video","providerNameSlug":"youtube"/,
  )
  await writing.page.keyboard.press('Control+z')
  assert.is(await writing.source(), '')
  const link = (address: string, text = address) => `<a href="${address}">${text}</a>`
  assert.is(
    await pasted(writing, plain(' https://sea.example/?a=1&b=2\n')),
    paragraph(link('https://sea.example/?a=1&amp;b=2')),
  )
  assert.is(await pasted(writing, plain('https://www.youtube.com/')), paragraph(link('https://www.youtube.com/')))
  assert.is(await pasted(writing, plain('http://[')), paragraph('http://['))
  assert.is(await pasted(writing, plain(url), paragraph('A here C'), 'here'), paragraph(`A ${link(url, 'here')} C`))
  assert.is(
    await pasted(writing, html(link(url, 'Title'), url), paragraph('A here'), 'here'),
    paragraph(`A ${link(url, 'here')}`),
  )
  assert.is(await pasted(writing, plain(url), heading('A here'), 'here'), heading(`A ${link(url, 'here')}`))
  assert.is(await pasted(writing, plain(url), table(['A', 'here'])), table(['A', 'here']).replace('A', `${link(url)}A`))
})

checkInBlockEditor(paste, inEditor)

paste.run()
