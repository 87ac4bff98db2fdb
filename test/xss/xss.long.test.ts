import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serveWithUsers } from '../helpers/site-with-users.ts'
import { xssFindings } from './findings.ts'
import { markupIn, unsafeUrl, unsafeHtml } from './unsafe.ts'

const HOME = 'https://site.test'
/** Texts, and what they are made from; `npm run audit` takes others, and many more. */
const TEXTS = { seed: 8, count: 2000 }

const xss = suite('texts of users without unfiltered_html')

xss('S31: run no code in a browser, with 2,000 hostile texts in every field', async () => {
  const uploads = await mkdtemp(join(tmpdir(), 'xss-test-'))
  try {
    await using site = await serveWithUsers(
      async () => ({ url: 'sqlite::memory:', async [Symbol.asyncDispose]() {} }),
      {
        uploads,
      },
    )
    const by = { contributor: site.by('con'), author: site.by('ann'), editor: site.by('ed') }
    const request = (path: string, init?: RequestInit) => site.request(path, init)
    const { texts, fields, findings } = await xssFindings({ home: site.home, request, by }, TEXTS)
    assert.equal(findings, [])
    assert.ok(texts >= TEXTS.count && fields > 10 * TEXTS.count, `${fields} fields of ${texts} texts`)
  } finally {
    await rm(uploads, { recursive: true })
  }
})

xss('S31: that run code are found by the search', () => {
  const found: readonly [html: string, why: string][] = [
    ['<b onclick="x">k</b>', 'attribute onclick'],
    ['<script>x</script>', 'element script'],
    ['<svg><a xlink:href="x">k</a></svg>', 'element svg'],
    ['<p><math><mi>k</mi></math></p>', 'element math'],
    ['<a href="java&Tab;script&colon;x">k</a>', 'URL javascript: in href'],
    ['<img src="data:text/html,x">', 'URL data: in src'],
    ['<img srcset="/a 1x, vbscript:x 2x">', 'URL vbscript: in srcset'],
    ['<p style="position:fixed">k</p>', 'style position:fixed'],
    ['<p style="background:url(javascript:x)">k</p>', 'URL javascript: in style'],
    ['<p style="width:expression(x)">k</p>', 'style width:expression(x)'],
    ['<div data-wp-bind--src="x">k</div>', 'attribute data-wp-bind--src'],
    ['<iframe srcdoc="x"></iframe>', 'attribute srcdoc'],
    ['<button formaction="x">k</button>', 'attribute formaction'],
    ['<object data="https://elsewhere.test/x.pdf"></object>', 'object'],
    ['<!--a<b-->', 'comment'],
    ['<textarea>k', 'what follows it'],
    ['<img alt="k', 'what follows it'],
    ['<table><noscript><p title="</noscript><img src=x onerror=x>">', 'attribute onerror'],
    ['<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src onerror=x&gt;">', 'element math'],
  ]
  for (const [html, problem] of found)
    assert.ok(unsafeHtml(html, HOME).includes(problem), `${html}: ${unsafeHtml(html, HOME).join()}`)
  for (const html of ['<p class="a" style="color:red">k <a href="/x">k</a></p>', '<table><tr><td>k</table>', 'a < b']) {
    assert.equal(unsafeHtml(html, HOME), [], html)
  }
  assert.equal(
    [markupIn('a < b & "c"'), markupIn('a <b')].map((marks) => marks.length > 0),
    [false, true],
  )
  assert.equal(unsafeUrl(' java\nscript:x', HOME), ['URL javascript:'])
})

xss.run()
