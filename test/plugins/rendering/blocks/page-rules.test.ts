import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { renderedOf } from '../../../helpers/rendered.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const block = (name: string, html: string, attributes: object = {}) =>
  `<!-- wp:${name} ${JSON.stringify(attributes)} -->${html}<!-- /wp:${name} -->`

const pageOf = async (site: SiteWithUsers, id: number) => (await fetch(`${site.home}/?p=${id}`)).text()

/** Returns the page of a new post with this content, and the content as the API returns it. */
async function shown(site: SiteWithUsers, content: string): Promise<{ page: string; html: string; id: number }> {
  const [id] = await addPosts(site.store, { title: 'Ruled', content })
  // The page is rendered with the HTML that the cache has from the API response.
  const html = await renderedOf(site, id!)
  return { page: await pageOf(site, id!), html, id: id! }
}

const link = (color: unknown) => ({ style: { elements: { link: { color: { text: color } } } } })

for (const { name, place } of databases) {
  const rules = suite(`rules of blocks, ${name}`)

  rules('color the elements of a block through a class of its own', async () => {
    await using site = await serveWithUsers(place)
    const elements = {
      link: { color: { text: '#ff0012' }, ':hover': { color: { text: 'var:preset|color|pale-pink' } } },
      heading: { color: { text: '#120034', background: '#fffffe' } },
      h3: { typography: { fontSize: '3.3em' } },
      button: { color: { gradient: 'linear-gradient(90deg, #111 0%, #222 100%)' }, border: { radius: '7px' } },
      caption: { color: { text: 'rgb(1 2 3 / 0.5)' } },
    }
    const { page, html } = await shown(
      site,
      block('group', '<div class="g"><p><a href="#">x</a></p></div>', { style: { elements } }),
    )
    const [, own] = /^<div class="g (wp-elements-[\da-f]{32}) /.exec(html) ?? []
    assert.ok(own !== undefined, html)
    for (const rule of [
      `.${own} a:where(:not(.wp-element-button)){color:#ff0012}`,
      `.${own} a:where(:not(.wp-element-button)):hover{color:var(--wp--preset--color--pale-pink)}`,
      `.${own} h1,.${own} h2,.${own} h3,.${own} h4,.${own} h5,.${own} h6{color:#120034;background-color:#fffffe}`,
      `.${own} h3{font-size:3.3em}`,
      `.${own} .wp-element-button,.${own} .wp-block-button__link{background:linear-gradient(90deg, #111 0%, #222 100%);border-radius:7px}`,
      `.${own} .wp-element-caption,.${own} figcaption{color:rgb(1 2 3 / 0.5)}`,
    ])
      assert.ok(page.includes(rule), rule)
    assert.is(page.split(`.${own} h3{`).length, 2, 'each rule stands once')
    // Rendered blocks get the class as well, and the marker class that editors save into static blocks.
    const title = await shown(site, block('post-title', '', link('#aa0011')))
    assert.match(title.html, /^<h2 class="[^"]*has-link-color[^"]* wp-elements-[\da-f]{32}/)
    assert.ok(title.page.includes('{color:#aa0011}'))
  })

  rules('reach every page that shows the text: lists, included posts and patterns', async () => {
    await using site = await serveWithUsers(place)
    const [pattern] = await addPosts(site.store, {
      type: 'svc_block',
      title: 'Pattern',
      content: block('paragraph', '<p><a href="#">x</a></p>', link('#00c0de')),
    })
    const { page, id } = await shown(site, block('block', '', { ref: pattern }))
    assert.ok(page.includes('{color:#00c0de}'), page)
    const loop = block(
      'query',
      '<div class="wp-block-query"><!-- wp:post-template --><!-- wp:post-content /--><!-- /wp:post-template --></div>',
      { query: { perPage: 3, postType: 'post', exclude: [], include: [id] } },
    )
    const around = await shown(site, loop)
    assert.ok(around.page.includes('{color:#00c0de}'), around.page)
    const plain = await shown(site, block('paragraph', '<p>x</p>'))
    assert.not.ok(plain.page.includes('#00c0de'))
    assert.not.ok(plain.html.includes('wp-elements-'))
  })

  rules('follow each change of the text and of the global styles', async () => {
    await using site = await serveWithUsers(place)
    const cover = (duotone: unknown) =>
      block('cover', '<div class="c"><img class="wp-block-cover__image-background" src="/a.png"/></div>', {
        style: { color: { duotone } },
      })
    const { page, html, id } = await shown(site, cover('var:preset|duotone|blue-red'))
    assert.match(html, /^<div class="c wp-duotone-blue-red /)
    assert.match(
      page,
      /\.wp-duotone-blue-red\.wp-block-cover > \.wp-block-cover__image-background.*\{filter:url\(#wp-duotone-blue-red\)\}/,
    )
    assert.match(page, /<filter id="wp-duotone-blue-red"[^>]*>.*tableValues="0 1"/)
    const [theme] = (await site.json('/svc/v2/themes?status=active', site.by('admin'))) as {
      _links: Record<string, { href: string }[]>
    }[]
    const styles = theme!._links['svc:user-global-styles']![0]!.href.split('/').at(-1)
    const custom = [{ slug: 'blue-red', name: 'Mine', colors: ['#000000', '#ff0000', '#ffffff'] }]
    const settings = { color: { duotone: { custom } } }
    const put = await site.send('PUT', `/svc/v2/global-styles/${styles}`, { settings }, 'admin')
    assert.is(put.status, 200)
    assert.match(await pageOf(site, id), /tableValues="0 1 1"/)
    const write = (content: string) => site.send('PUT', `/svc/v2/posts/${id}`, { content }, 'admin')
    await write(cover(['#8c00b7', '#fcff41']))
    const changed = await pageOf(site, id)
    assert.match(changed, /class="c wp-duotone-8c00b7-fcff41-1 /)
    assert.match(changed, /<filter id="wp-duotone-8c00b7-fcff41-1"/)
    assert.not.match(changed, /blue-red/)
    await write(cover('unset'))
    assert.match(await pageOf(site, id), /\.wp-duotone-unset-1\.wp-block-cover[^{]*\{filter:none\}/)
  })

  rules('lay out containers as their attributes say', async () => {
    await using site = await serveWithUsers(place)
    const cases: readonly (readonly [layout: object, spacing: object, expected: readonly string[]])[] = [
      [
        { type: 'flex', flexWrap: 'nowrap', justifyContent: 'right' },
        {},
        ['{flex-wrap:nowrap;justify-content:flex-end}'],
      ],
      [
        { type: 'flex', orientation: 'vertical', justifyContent: 'center' },
        {},
        ['{flex-direction:column;align-items:center}'],
      ],
      [{ type: 'flex', verticalAlignment: 'bottom' }, {}, ['{align-items:flex-end}']],
      [{ type: 'flex' }, { blockGap: '3.25em' }, ['{gap:3.25em}']],
      [{ type: 'flex' }, { blockGap: { top: '1.1em', left: '2.2em' } }, ['{row-gap:1.1em;column-gap:2.2em}']],
      [{ type: 'grid', columnCount: 5 }, {}, ['{grid-template-columns:repeat(5, minmax(0, 1fr))}']],
      [{ type: 'grid', minimumColumnWidth: '9rem' }, {}, ['repeat(auto-fill, minmax(min(9rem, 100%), 1fr))']],
      [{ type: 'constrained', contentSize: '321px' }, {}, ['{max-width:321px;margin-inline:auto}']],
      [{ type: 'constrained', wideSize: '987px', contentSize: '4px' }, {}, ['>.alignwide{max-width:987px}']],
      [{ type: 'constrained', justifyContent: 'left' }, {}, ['{margin-inline:0 auto}']],
      [
        { type: 'constrained' },
        { padding: { left: '13px', right: '0' } },
        ['>.alignfull{margin-left:calc(13px * -1)}'],
      ],
      [{ type: 'default' }, { blockGap: '4.5em' }, ['>*{margin-block:0}', '>*+*{margin-block-start:4.5em}']],
    ]
    for (const [layout, spacing, expected] of cases) {
      const { page, html } = await shown(site, block('group', '<div class="g"></div>', { layout, style: { spacing } }))
      const [, own] = /(wp-container-core-group-is-layout-[\da-f]{8})/.exec(html) ?? []
      assert.ok(own !== undefined && page.includes(`.${own}.is-layout-`), html)
      for (const rule of expected) assert.ok(page.includes(rule), `${rule} of ${JSON.stringify(layout)}`)
    }
  })

  rules('contain no value that could end a declaration, load a URL or leave the style element', async () => {
    await using site = await serveWithUsers(place)
    const evil = [
      'red}body{display:none',
      'url(//evil.example/x)',
      '</style><script>evil</script>',
      'a;evil:1',
      'calc(evil',
      'evil)',
      '/*evil',
    ]
    for (const value of evil) {
      const style = {
        elements: { link: { color: { text: value } } },
        spacing: { blockGap: value },
        color: { duotone: [value, value] },
      }
      const layout = { type: 'constrained', contentSize: value, minimumColumnWidth: value, justifyContent: value }
      const { page } = await shown(
        site,
        block('cover', '<div class="c"></div>', { style, layout }) +
          block('group', '<div class="g"></div>', { style, layout: { ...layout, type: 'grid' } }),
      )
      for (const [, css] of page.matchAll(/<style>([^]*?)<\/style>/g)) assert.not.match(css!, /evil|display:none/)
      assert.not.match(page, /<script(?! type="application\/ld\+json")/)
    }
    const many = Array.from({ length: 1_200 }, (_, at) =>
      block('paragraph', '<p>x</p>', link(`#${String(100_000 + at)}`)),
    )
    const { page } = await shown(site, many.join(''))
    assert.is(page.match(/\.wp-elements-[\da-f]{32} a/g)?.length, 1_000)
  })

  rules.run()
}
