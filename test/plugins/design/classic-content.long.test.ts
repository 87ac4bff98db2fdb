import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { useChromium } from '../../helpers/chromium.ts'
import { addPosts } from '../../helpers/content.ts'
import { assertFits } from '../../helpers/page-width.ts'
import { serveWithUsers } from '../../helpers/site-with-users.ts'
import { filePlace } from '../../helpers/stores.ts'

const classic = suite('classic content in the built-in themes')
const { inBrowser, openWindow } = useChromium(classic)

const IMAGE = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%222000%22 height=%22500%22/%3E'
const LONG_WORD = 'a'.repeat(300)

/** Elements of content without blocks, with the classes that editors wrote before there were blocks. */
const CONTENT = [
  `<p id="p">Text with a <a href="/">link</a> and ${LONG_WORD}.</p>`,
  ...[1, 2, 3, 4, 5, 6].map((level) => `<h${level} id="h${level}">Heading ${LONG_WORD}</h${level}>`),
  '<blockquote id="blockquote"><p>A quote <cite>of somebody</cite></p><blockquote><p>inside a quote</p></blockquote></blockquote>',
  '<ul id="ul"><li>One<ul><li>inside</li></ul></li></ul>',
  '<ol id="ol"><li>One<ol><li>inside</li></ol></li></ol>',
  '<dl id="dl"><dt>Term</dt><dd>Description</dd></dl>',
  `<table id="table"><caption>Beds</caption><tbody><tr>${'<td>wide</td>'.repeat(30)}</tr></tbody></table>`,
  `<pre id="pre">${'code '.repeat(60)}</pre>`,
  `<pre id="short">code</pre>`,
  `<figure id="figure"><img src="${IMAGE}" alt="" width="2000" height="500" /><figcaption>Caption</figcaption></figure>`,
  `<p><img id="img" src="${IMAGE}" alt="" width="2000" height="500" /></p>`,
  '<hr id="hr" />',
  '<iframe id="iframe" src="about:blank" title="Frame" width="1600" height="90"></iframe>',
  '<video id="video" width="1600" height="90" controls></video>',
  '<audio id="audio" controls></audio>',
  '<form id="form" action="/"><label>Name <input name="s" size="200" /></label></form>',
  '<details id="details"><summary>More</summary>Text</details>',
  '<address id="address">Street 1<br />Town</address>',
  `<div id="caption" class="wp-caption alignnone" style="width: 2010px"><img src="${IMAGE}" alt="" width="2000" height="500" /><p class="wp-caption-text">Caption</p></div>`,
  `<div id="gallery" class="gallery gallery-columns-3">${`<figure class="gallery-item"><div class="gallery-icon"><img src="${IMAGE}" alt="" width="150" height="150" /></div></figure>`.repeat(7)}</div>`,
  `<p><img id="aligncenter" class="aligncenter" src="${IMAGE}" alt="" width="200" height="50" /></p>`,
  `<p><img id="alignleft" class="alignleft" src="${IMAGE}" alt="" width="200" height="50" />Text beside it.</p>`,
  `<p><img id="alignright" class="alignright" src="${IMAGE}" alt="" width="200" height="50" />Text beside it.</p>`,
  `<div id="captionleft" class="wp-caption alignleft" style="width: 210px"><img src="${IMAGE}" alt="" width="200" height="50" /><p class="wp-caption-text">Caption</p></div>`,
  `<div id="captionright" class="wp-caption alignright" style="width: 210px"><img src="${IMAGE}" alt="" width="200" height="50" /><p class="wp-caption-text">Caption</p></div>`,
  '<p>The last paragraph is next to both.</p>',
].join('\n\n')

/** Elements that start at the left edge of the column. */
const AT_THE_START =
  'p h1 h2 h3 h4 h5 h6 blockquote dl table pre short figure img hr iframe video audio form details address caption gallery alignleft captionleft'
/** Elements that are as wide as the column at every width. */
const FULL_WIDTH = 'p h1 h2 h3 h4 h5 h6 blockquote ul ol dl pre short figure img form details address gallery'

interface Box {
  left: number
  right: number
}

/** Script that measures the column of the content, and all elements with an ID in it. */
const MEASURE_SCRIPT = `(() => {
  const content = document.querySelector('main .wp-block-post-content, main .svc-block-post-content')
  const boxes = {}
  for (const one of content.querySelectorAll('[id]')) {
    const { left, right } = one.getBoundingClientRect()
    boxes[one.id] = { left, right }
  }
  return boxes
})()`

for (const theme of ['default', 'magazine', 'minimal']) {
  inBrowser(`keeps every element in the column of the theme ${theme} at three widths`, async () => {
    await using site = await serveWithUsers(filePlace)
    await site.kernel.services.options.set('theme', { stylesheet: theme })
    const [id] = await addPosts(site.store, { title: LONG_WORD, slug: 'classic', content: CONTENT })
    await using window = await openWindow()
    const { page } = window
    await page.goto(`${site.home}/?p=${id}`)
    for (const width of [1280, 768, 390]) {
      await assertFits(page, width)
      const boxes = await page.evaluate<Record<string, Box>>(MEASURE_SCRIPT)
      const { p: column } = boxes
      assert.ok(column!.left >= 16 && column!.right <= width - 16, `the column at ${width}`)
      const near = (one: number, other: number) => Math.abs(one - other) <= 1
      for (const [name, { left, right }] of Object.entries(boxes))
        assert.ok(
          left >= column!.left - 1 && right <= column!.right + 1,
          `${name} at ${width}: ${left}–${right} in ${column!.left}–${column!.right}`,
        )
      for (const name of AT_THE_START.split(' '))
        assert.ok(near(boxes[name]!.left, column!.left), `${name} at ${width}: ${boxes[name]!.left}`)
      for (const name of FULL_WIDTH.split(' '))
        assert.ok(near(boxes[name]!.right, column!.right), `${name} at ${width}: ${boxes[name]!.right}`)
      const { aligncenter: centered, alignright, captionright } = boxes
      assert.ok(near(centered!.left - column!.left, column!.right - centered!.right), `aligncenter at ${width}`)
      for (const one of [alignright, captionright]) assert.ok(near(one!.right, column!.right), `alignright at ${width}`)
    }
    assert.equal(
      window.complaints.filter((text) => !text.includes('about:blank')),
      [],
    )
  })
}

inBrowser('lets readers scroll wide code with the keyboard, and skips code that fits', async () => {
  await using site = await serveWithUsers(filePlace)
  const [id] = await addPosts(site.store, { title: 'Code', content: CONTENT })
  await using window = await openWindow()
  const { page } = window
  await page.goto(`${site.home}/?p=${id}`)
  const code = page.getByRole('region', { name: 'Code' })
  assert.is(await code.count(), 1)
  assert.is(await code.getAttribute('id'), 'pre')
  assert.is(await page.locator('#short').getAttribute('tabindex'), null)
  const [served] = (await site.json(`/svc/v2/posts?include=${id}`)) as [{ content: { rendered: string } }]
  assert.not.match(served.content.rendered, 'tabindex')
})

classic.run()
