import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../helpers/content.ts'
import { as, serve, type Site, CONTENT_PLUGINS, startOnly } from '../../helpers/site.ts'

startOnly('smilies', ...CONTENT_PLUGINS)

const smilies = suite('smilies')

/** Returns the rendered content. */
async function shown(site: Site, content: string): Promise<string> {
  const [id] = await addPosts(site.store, { content })
  return (await site.json(`/svc/v2/posts/${id}?_fields=content.rendered`)).content.rendered.trim()
}

smilies('are replaced between white space or tags', async () => {
  await using site = await serve()
  assert.is(await shown(site, 'Hello :-)'), '<p>Hello 🙂</p>')
  assert.is(await shown(site, ':) <b>;)</b> :lol: :???:'), '<p>🙂 <b>😉</b> 😆 😕</p>')
  assert.is(await shown(site, 'a:) :)b 8) http://x:D'), '<p>a:) :)b 8) http://x:D</p>')
})

smilies('are not replaced in code, attributes and comments', async () => {
  await using site = await serve()
  const unchanged = '<p><code>a :) b</code> <a title="a :) b" href="/">c</a><!-- a :) b --></p>'
  assert.is(await shown(site, unchanged), unchanged)
})

smilies('are replaced in excerpts and reader comments too', async () => {
  await using site = await serve()
  const [id] = await addPosts(site.store, { title: 'Post :)', excerpt: 'Short :)' })
  const post = await site.json(`/svc/v2/posts/${id}?_fields=title.rendered,excerpt.rendered`)
  assert.equal(post, { title: { rendered: 'Post :)' }, excerpt: { rendered: '<p>Short 🙂</p>\n' } })
  const answer = await site.request('/svc/v2/comments', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('administrator') },
    body: JSON.stringify({ post: id, content: 'Fine :)', author_name: 'Ann', author_email: 'ann@mail.example' }),
  })
  const seen = (await answer.json()) as { content: { rendered: string } }
  assert.is(seen.content.rendered, '<p>Fine 🙂</p>\n')
})

smilies('are not replaced if the option is off, or without the plugin', async () => {
  await using site = await serve()
  await site.kernel.services.options.set('use_smilies', false)
  assert.is(await shown(site, 'Hello :-)'), '<p>Hello :-)</p>')
  await using other = await serve({ plugins: { smilies: false } })
  assert.is(await shown(other, 'Hello :-)'), '<p>Hello :-)</p>')
})

smilies.run()
