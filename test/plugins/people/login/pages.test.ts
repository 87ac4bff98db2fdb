import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

/** HTML entities of characters. */
const MARKS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#039;': "'",
  '&#38;': '&',
  '&#60;': '<',
  '&#62;': '>',
  '&#34;': '"',
  '&#39;': "'",
}

for (const { name, place } of databases) {
  const pages = suite(`HTML pages of the server on ${name}`)

  pages('escape user input once', async () => {
    await using site = await serveWithUsers(place, { plugins: { 'site-pages': false } })
    const text = `Q & A <b>"x"</b> 'y'`
    const stored = await site.send('POST', '/svc/v2/settings', { title: text, description: text }, 'admin')
    assert.is(stored.status, 200)
    assert.is((await site.send('POST', '/svc/v2/users/me', { name: 'Ann & "Co" < \'s' }, 'ann')).status, 200)
    const visitor = browse(site)
    const ann = browse(site)
    await ann.logIn('ann', 'pass phrase of ann')
    const app = new URLSearchParams({ app_name: text })
    const texts = {
      front: await (await visitor.open('/')).text(),
      login: await (await visitor.open('/svc-login')).text(),
      refused: await (await visitor.send('/svc-login', { log: text, pwd: 'wrong' })).text(),
      admin: await (await ann.open('/svc-admin/')).text(),
      logout: await (await ann.open('/svc-login?action=logout')).text(),
      authorize: await (await ann.open(`/svc-admin/authorize-application?${String(app)}`)).text(),
      missing: await (await visitor.open(`/${encodeURIComponent(text)}`)).text(),
    }
    for (const [page, html] of Object.entries(texts)) {
      assert.not.match(html, /&(?:amp|#38);(?:amp|lt|gt|quot|#\d+);/, page)
      assert.not.match(html, '<b>', page)
      assert.not.match(html, /& /, page)
    }
    const shown = (html: string) => [...html.matchAll(/&[#\w]+;|[^&]/g)].map(([one]) => MARKS[one] ?? one).join('')
    for (const page of ['front', 'admin'] as const) {
      const [, title = ''] = /<title>(.*)<\/title>/.exec(texts[page])!
      const [, heading = ''] = /<h1>(.*)<\/h1>/.exec(texts[page])!
      assert.ok(shown(title).endsWith(text), `${page}: ${title}`)
      if (page !== 'admin') assert.is(heading, title, page)
    }
    assert.match(shown(texts.front), `<p>${text}</p>`)
    assert.match(shown(texts.refused), `value="${text}"`)
    assert.match(shown(texts.authorize), `<strong>${text}</strong>`)
    for (const page of ['admin', 'logout', 'authorize'] as const) assert.match(shown(texts[page]), `Ann & "Co" < 's`)
  })

  pages.run()
}
