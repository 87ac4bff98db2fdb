import { Parser } from 'htmlparser2'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { add, requestAs, POSTS, V2 } from './request-as.ts'

for (const { name, place } of databases) {
  const all = suite(`output on ${name}`)

  const SCRIPTS = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '<svg><script>alert(1)</script></svg>',
    '<math><mi xlink:href="javascript:alert(1)">x</mi></math>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="jav&#x09;ascript:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<iframe src="https://evil.test"></iframe>',
    '<object data="x"></object>',
    '<embed src="x">',
    '<form action="https://evil.test"><button formaction="javascript:alert(1)">x</button></form>',
    '<style>@import "https://evil.test"</style>',
    '<p style="background:url(javascript:alert(1))">x</p>',
    '<div data-svc-bind--onclick="x" data-wp-bind--href="javascript:alert(1)">x</div>',
    '<link rel=stylesheet href=//evil.test>',
    '<meta http-equiv=refresh content=0>',
    '<base href=//evil.test>',
    '<!--><script>alert(1)</script>-->',
    '<p onclick\n=alert(1)>x</p>',
    '<<script>alert(1)//<</script>',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<textarea></textarea><script>alert(1)</script>',
    '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    '<!-- svc:html {"content":"\\u003cscript\\u003ealert(1)\\u003c/script\\u003e"} --><script>alert(1)</script><!-- /svc:html -->',
    '<!-- svc:paragraph {"onclick":"alert(1)","style":"\\u003cimg src=x onerror=alert(1)\\u003e"} --><p onclick="alert(1)">x</p><!-- /svc:paragraph -->',
    '<!-- svc:image {"url":"javascript:alert(1)","href":"javascript:alert(1)"} --><figure><img src="javascript:alert(1)"/></figure><!-- /svc:image -->',
    '[caption]<script>alert(1)</script>[/caption]',
    '[caption id="x" width="1" caption="<img src=x onerror=alert(1)>"]<img src="a">[/caption]',
    '[audio src="javascript:alert(1)"]',
    '[gallery ids="1" link="file\' onclick=\'alert(1)"]',
    '[gallery columns="1\' onclick=\'alert(1)" size="\' onclick=\'x"]',
  ]
  /** Elements that run something, bring something in or send something off. */
  const RUNNING = new Set(
    'script iframe frame object embed style link meta base form input svg math noscript template portal'.split(' '),
  )
  /** What of HTML a browser would run. */
  const runs = (html: string): string[] => {
    const found: string[] = []
    const parser = new Parser({
      onopentag(tag, attributes) {
        if (RUNNING.has(tag)) found.push(`<${tag}>`)
        for (const [attribute, value] of Object.entries(attributes)) {
          // oxlint-disable-next-line no-control-regex -- browsers leave these out of URLs
          const bare = value.replace(/[\0-\x20]/g, '')
          if (
            /^(?:javascript|vbscript|data):/i.test(bare) ||
            /url\(|expression\(/i.test(bare) ||
            /^on|^data-(?:svc|wp)-|srcdoc/i.test(attribute)
          )
            found.push(`${attribute}="${value}"`)
        }
      },
    })
    parser.end(html)
    return found
  }

  all('S31: contains no script from users without unfiltered_html, in any field or format', async () => {
    await using site = await serveWithUsers(place)
    const check = async (id: number, about: string) => {
      const view = await requestAs(site, 'admin', 'GET', `${POSTS}/${id}?context=edit`)
      const { title, content, excerpt } = view.body
      for (const html of [content.rendered, excerpt.rendered, title.rendered, content.raw, excerpt.raw, title.raw])
        assert.equal(runs(html as string), [], `${about}: ${html}`)
      // Attributes of blocks are read by editors and by what renders.
      assert.not.match(content.raw, /\\u003cscript|\\u003cimg src=x/i, content.raw)
    }
    const { blockMark } = site.kernel.branding
    for (const script of SCRIPTS) {
      const html = script.replaceAll('svc:', `${blockMark}:`)
      const texts = { title: `a ${html}`, content: `a ${html}`, excerpt: `a ${html}` }
      for (const login of ['con', 'ann'] as const) {
        const created = await requestAs(site, login, 'POST', POSTS, texts)
        assert.is(created.status, 201, html)
        await check(created.body.id, `post of ${login}: ${html}`)
        const changed = await requestAs(site, login, 'PUT', `${POSTS}/${created.body.id}`, {
          content: { raw: `${html}!` },
        })
        assert.is(changed.status, 200)
        await check(created.body.id, `change of ${login}: ${html}`)
        const saved = await requestAs(site, login, 'POST', `${POSTS}/${created.body.id}/autosaves`, {
          ...texts,
          content: `${html}?`,
        })
        assert.is(saved.status, 200)
        for (const part of ['title', 'content', 'excerpt'])
          assert.equal(runs(`${saved.body[part].rendered} ${saved.body[part].raw}`), [], `autosave: ${html}`)
        const requests = [{ method: 'PUT', path: `${POSTS}/${created.body.id}`, body: { excerpt: `${html}#` } }]
        await requestAs(site, login, 'POST', '/batch/v1', { requests })
        await check(created.body.id, `batch of ${login}: ${html}`)
      }
    }
  })

  all('S35: is not stored in caches if it is for a user', async () => {
    await using site = await serveWithUsers(place)
    const draft = await add(site, { status: 'draft' })
    for (const [method, path] of [
      ['GET', POSTS],
      ['HEAD', POSTS],
      ['GET', `${POSTS}/${draft}`],
      ['GET', `${POSTS}/99999`],
      ['GET', '/nope'],
      ['OPTIONS', POSTS],
      ['GET', '/'],
      ['GET', `${V2}/users/me`],
      ['GET', `${V2}/settings`],
      ['POST', '/batch/v1'],
      ['GET', `${POSTS}?per_page=x`],
      ['GET', `${POSTS}?_envelope`],
    ] as const) {
      for (const headers of [site.by('ed'), { authorization: 'Basic eDp5' }]) {
        const answer = await site.request(path, { method, headers })
        const control = answer.headers.get('cache-control') ?? ''
        assert.ok(control.includes('private') && control.includes('no-store'), `${method} ${path}: ${control}`)
        await answer.text()
      }
    }
  })

  all.run()
}
