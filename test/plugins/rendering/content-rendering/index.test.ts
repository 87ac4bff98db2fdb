import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../../kernel/index.ts'
import type { RenderedPost } from '../../../../plugins/rendering/content-rendering/index.ts'
import { serve } from '../../../helpers/site.ts'

const rendering = suite('content rendering')

function post(fields: Partial<RenderedPost>): RenderedPost {
  return { id: 1, type: 'post', status: 'publish', title: '', content: '', excerpt: '', ...fields }
}

rendering('removes block comments, and adds no paragraphs to block content', async () => {
  await using site = await serve()
  const { contentRendering: render } = site.kernel.services
  const content =
    '<!-- wp:paragraph {"a":"b"} -->\n<p>One\ntwo</p>\n<!-- /wp:paragraph -->\n\n<!--more-->\n<!-- wp:my/thing /-->\n<!-- a note -->'
  assert.is(
    await render.content(post({ content })),
    '\n<p class="wp-block-paragraph">One\ntwo</p>\n\n\n<!--more-->\n\n<!-- a note -->',
  )
  assert.equal([render.blockVersion(content), render.blockVersion('<p>text</p>')], [1, 0])
})

rendering('uses the written excerpt', async () => {
  await using site = await serve()
  const { contentRendering: render } = site.kernel.services
  assert.is(await render.excerpt(post({ excerpt: 'Short\nform', content: 'long form' })), '<p>Short<br />\nform</p>\n')
})

rendering('generates an excerpt from the first 55 words', async () => {
  await using site = await serve()
  const { contentRendering: render } = site.kernel.services
  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(' ')
  assert.is(await render.excerpt(post({ content: words(55) })), `<p>${words(55)}</p>\n`)
  assert.is(await render.excerpt(post({ content: words(5000) })), `<p>${words(55)} [&hellip;]</p>\n`)
  const html = `<h2>w0</h2><!-- x --><style>p{}</style><ul><li>w1</li><li>w2</li></ul><script>no()</script>`
  assert.is(await render.excerpt(post({ content: html })), '<p>w0 w1 w2</p>\n')
  const blocks = '<!-- wp:list -->\n<ul><li>w0</li><li>w1</li></ul>\n<!-- /wp:list -->'
  assert.is(await render.excerpt(post({ content: blocks })), '<p>w0 w1</p>\n')
  assert.is(await render.excerpt(post({ content: ' ' })), '')
})

rendering('ends an excerpt at the end of the teaser or first page', async () => {
  await using site = await serve()
  const { contentRendering: render } = site.kernel.services
  assert.is(await render.excerpt(post({ content: 'before<!--more Read on-->after' })), '<p>before</p>\n')
  assert.is(await render.excerpt(post({ content: 'one<!--nextpage-->two<!--more-->three' })), '<p>one</p>\n')
  assert.is(await render.excerpt(post({ content: 'one <!--more' })), '<p>one <!--more</p>\n')
})

rendering('prefixes titles of private posts, with a format plugins can change', async () => {
  await using site = await serve()
  const { contentRendering: render } = site.kernel.services
  assert.is(await render.title(post({ title: ' Plans ', status: 'private' })), 'Private:  Plans')
  site.kernel.hooks.private_title_format.tap('test', () => '%s (private)')
  assert.is(await render.title(post({ title: 'Plans', status: 'private' })), 'Plans (private)')
  assert.is(await render.title(post({ title: ' Plans ' })), 'Plans')
})

rendering(
  'prefixes titles of protected posts on pages, in the language of the site and a format plugins can change',
  async () => {
    await using site = await serve()
    const { contentRendering: render, options } = site.kernel.services
    const shut = { ...post({ title: 'Plans' }), password: 'word' }
    assert.is(await render.title(shut), 'Plans')
    assert.is(await render.pageTitle(shut), 'Protected: Plans')
    await options.set('language', 'de_DE')
    assert.is(await render.pageTitle(shut), 'Geschützt: Plans')
    assert.is(await render.pageTitle({ ...shut, status: 'private' }), 'Geschützt: Privat: Plans')
    assert.is(await render.pageTitle({ ...shut, password: '' }), 'Plans')
    assert.is(await render.pageTitle({ ...shut, title: '' }), '')
    site.kernel.hooks.protected_title_format.tap('test', () => '%s (protected)')
    assert.is(await render.pageTitle(shut), 'Plans (protected)')
  },
)

rendering('applies its filters in order', async () => {
  await using site = await serve()
  const { contentRendering: render } = site.kernel.services
  const { hooks } = site.kernel
  hooks.the_content.tap({ name: 'before', stage: -10 }, (content) => content.replace('[year]', '2024'))
  hooks.the_content.tapPromise({ name: 'after', stage: 10 }, async (content) =>
    content.replace('<p>', '<p class="first">'),
  )
  hooks.excerpt_length.tap('test', () => 2)
  hooks.excerpt_more.tap('test', () => ' …')
  hooks.get_the_excerpt.tap('test', (excerpt) => excerpt.toUpperCase())
  hooks.the_title.tap('test', (title, { id }) => `${id}: ${title}`)
  assert.is(await render.content(post({ content: 'In [year].' })), '<p class="first">In 2024.</p>\n')
  assert.is(await render.excerpt(post({ content: 'In [year] and later.' })), '<p>IN 2024 …</p>\n')
  assert.is(await render.title(post({ title: 'T' })), '1: T')
})

rendering('renders short content once for content and excerpt of a response', async () => {
  await using site = await serve()
  const { contentRendering: render } = site.kernel.services
  let runs = 0
  site.kernel.hooks.the_content.tap('test', (content) => {
    runs += 1
    return content
  })
  const show = async (content: string) => {
    const [shown, scope] = [post({ content }), new RequestCache()]
    runs = 0
    await Promise.all([render.content(shown, scope), render.excerpt(shown, scope)])
    return runs
  }
  assert.is(await show('Some words'), 1)
  assert.is(await show('Some words<!--more-->and more'), 2)
  const shown = post({ content: 'Some words' })
  runs = 0
  for (const scope of [new RequestCache(), new RequestCache()]) await render.excerpt(shown, scope)
  assert.is(runs, 2, 'another scope renders it again')
})

rendering.run()
