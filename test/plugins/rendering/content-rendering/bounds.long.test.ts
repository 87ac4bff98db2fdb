import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve, type Site } from '../../../helpers/site.ts'

const bounds = suite('rendering limits')

const post = (content: string) => ({ id: 1, type: 'post', status: 'publish', title: '', content, excerpt: '' })
const render = async (site: Site, content: string) => site.kernel.services.contentRendering.content(post(content))

async function addImages(site: Site, count: number): Promise<void> {
  const date = '2025-01-01 00:00:00'
  const rows = Array.from({ length: count }, (_, index) => ({
    id: index + 10,
    type: 'attachment',
    status: 'inherit',
    mime_type: 'image/png',
    slug: `image-${index}`,
    title: `Image ${index}`,
    parent_id: 1,
    date,
    date_gmt: date,
    modified: date,
    modified_gmt: date,
  }))
  for (let at = 0; at < count; at += 100) {
    await site.store.run(site.store.db.insertInto('posts').values(rows.slice(at, at + 100)))
  }
}

bounds('limit the images of all galleries in one post', async () => {
  await using site = await serve()
  await addImages(site, 1000)
  const one = await render(site, '[gallery]')
  assert.is(one.split('gallery-item').length - 1, 1000)
  const many = await render(site, '[gallery]\n'.repeat(5000))
  const shown = many.split('gallery-item').length - 1
  assert.ok(shown >= 1000 && shown <= 20_000, String(shown))
  assert.ok(many.length < 10_000_000, String(many.length))
})

bounds('limit the HTML of all shortcodes in one post', async () => {
  await using site = await serve()
  let calls = 0
  site.kernel.services.shortcodes.register('much', () => {
    calls += 1
    return 'x'.repeat(100_000)
  })
  const html = await render(site, '[much]'.repeat(10_000))
  assert.ok(html.length >= 4_000_000 && html.length < 10_000_000, String(html.length))
  assert.ok(calls < 200, String(calls))
  // Enclosed content is kept.
  site.kernel.services.shortcodes.register('twice', (_attributes, content) => `${content}${content}`)
  const nested = await render(site, `${'[twice]'.repeat(32)}${'x'.repeat(1000)}${'[/twice]'.repeat(32)}`)
  assert.ok(nested.length < 20_000_000, String(nested.length))
})

bounds('limit the text that reusable blocks include, even if they include each other', async () => {
  await using site = await serve()
  const date = '2025-01-01 00:00:00'
  const content = `${'x'.repeat(100_000)}${'<!-- wp:block {"ref":51} /-->'.repeat(100)}`
  for (const [id, text] of [
    [50, content],
    [51, 'y'.repeat(100_000)],
  ] as const) {
    await site.store.run(
      site.store.db.insertInto('posts').values({
        id,
        type: site.kernel.branding.typeName('block'),
        status: 'publish',
        slug: `block-${id}`,
        content: text,
        date,
        date_gmt: date,
        modified: date,
        modified_gmt: date,
      }),
    )
  }
  const html = await render(site, '<!-- wp:block {"ref":50} /-->'.repeat(1000))
  assert.ok(html.length > 1_000_000 && html.length < 3_000_000, String(html.length))
})

bounds('allow blocks, shortcodes and elements of any nesting depth', async () => {
  await using site = await serve()
  site.kernel.services.shortcodes.register('in', (_attributes, content) => `(${content})`)
  const depth = 20_000
  const nested: [begin: string, end: string][] = [
    ['<!-- wp:group -->', '<!-- /wp:group -->'],
    ['<!-- wp:group --><!-- wp:block {"ref":1} /-->', '<!-- /wp:group -->'],
    ['[in]', '[/in]'],
    ['<div>', '</div>'],
    ['<b>', '</b>'],
    ['<blockquote><p>', '</p></blockquote>'],
    [`<!-- wp:group {"a":${'['.repeat(50)}${']'.repeat(50)}} -->`, '<!-- /wp:group -->'],
  ]
  for (const [begin, end] of nested) {
    const content = `${begin.repeat(depth)}text${end.repeat(depth)}`
    assert.ok((await render(site, content)).includes('text'), begin)
    assert.ok(site.kernel.services.html.filter(content, 'post').includes('text'), begin)
  }
  const json = `<!-- wp:group {"a":${'['.repeat(depth)}${']'.repeat(depth)}} -->text<!-- /wp:group -->`
  assert.ok((await render(site, json)).includes('text'))
  assert.is(site.kernel.services.html.filter(json, 'post'), 'text<!-- /wp:group -->')
})

bounds('make long content yield to other work while it is rendered', async () => {
  await using site = await serve()
  for (const unit of [
    'word "and"\n\n',
    '<p>"a"</p>\n',
    '[audio src="/a.mp3"]\n',
    '<!-- wp:block {"ref":3} /-->',
    '<img src="a">',
  ]) {
    let turns = 0
    let going = true
    const turn = () => {
      turns += 1
      if (going) setImmediate(turn)
    }
    setImmediate(turn)
    await render(site, unit.repeat(1_000_000 / unit.length))
    going = false
    assert.ok(turns > 3, `${unit}: ${turns}`)
  }
})

bounds.run()
