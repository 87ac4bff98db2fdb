import { suite } from 'uvu'
import { applyFilter } from '../../../../kernel/index.ts'
import type { Comment } from '../../../../plugins/content/comments/index.ts'
import { autolink, markLinks } from '../../../../plugins/content/comments/autolink.ts'
import { changeText } from '../../../../plugins/rendering/content-rendering/html.ts'
import * as assert from 'uvu/assert'
import { growsLinearly } from '../../../helpers/growth.ts'
import { serve, startOnly } from '../../../helpers/site.ts'

startOnly('comments')

const links = suite('links in comments')

links('S29: are created in linear time for every input pattern', async () => {
  const units = [
    'a',
    'a.',
    'a@',
    'a@a.',
    'www.',
    'http://',
    'http://a.test/(',
    ' http://a)',
    ';',
    '&amp;',
    '<code>',
    '.',
  ]
  for (const unit of units) {
    const text = (size: number) => unit.repeat(size / unit.length)
    const link = (plain: string) => autolink(plain, 'http://home.test')
    await growsLinearly(unit, (size) => changeText(text(size), link, ['a']))
  }
})

links('get rel="nofollow ugc" if they lead to other sites, regardless of other attributes', () => {
  const home = 'http://home.test'
  for (const [html, marked] of [
    ['<a href="http://x.test/">k</a>', '<a href="http://x.test/" rel="nofollow ugc">k</a>'],
    ['<a href="//x.test/" rel="me">k</a>', '<a href="//x.test/" rel="me nofollow ugc">k</a>'],
    ['<a rel="ugc nofollow" href="//x.test/">k</a>', '<a href="//x.test/" rel="ugc nofollow">k</a>'],
    ['<a href="http://home.test/a">k</a> <a href="/b">k</a>', '<a href="http://home.test/a">k</a> <a href="/b">k</a>'],
    [
      '<a title=" href=" href="http://x.test/ k" download>k</a>',
      '<a title=" href=" href="http://x.test/ k" download rel="nofollow ugc">k</a>',
    ],
    ['<a title=" rel=" href="http://x.test/">k</a>', '<a title=" rel=" href="http://x.test/" rel="nofollow ugc">k</a>'],
  ] as const) {
    assert.is(markLinks(html, home), marked)
  }
})

links('end before closing punctuation of any script', () => {
  const url = 'https://ex.example/a'
  const link = `<a href="${url}" rel="nofollow ugc">${url}</a>`
  for (const mark of '”’»›«“…。！？、，」』】）؟،।՞።៖?!.,:')
    assert.is(autolink(`x “${url}${mark} y`, 'http://h'), `x “${link}${mark} y`)
  for (const end of ['&#8221;', '&rdquo;', '&raquo;', '&#187;', '&hellip;', '&quot;'])
    assert.is(autolink(`“${url}${end}`, 'http://h'), `“${link}${end}`)
  assert.is(autolink(`見て${url}。次は`, 'http://h'), `見て${link}。次は`)
  const www = 'www.ex.example'
  assert.is(autolink(`“${www}”`, 'http://h'), `“<a href="http://${www}" rel="nofollow ugc">http://${www}</a>”`)
  // Addresses with letters, apostrophes and brackets of other scripts stay whole.
  for (const path of ['/L’Équipe', '/東京', '/a_(b)', '/Ελλάδα?α=β', '/x-y']) {
    const html = autolink(`${url}${path} z`, 'http://h')
    assert.ok(html.includes(`href="${url}${path}"`), html)
  }
})

links('are created in slices in a long comment, so that other requests can run in between', async () => {
  await using site = await serve()
  const { comment_text: text } = site.kernel.hooks
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const html = await applyFilter(text, 'See "http://a.test" and\n\n'.repeat(40_000), { type: 'comment' } as Comment)
  isOver = true
  assert.ok(turns > 3, `${turns} turns`)
  assert.is(html.split('<p>See &#8220;<a href="http://a.test" rel="nofollow ugc">').length, 40_001)
})

links.run()
