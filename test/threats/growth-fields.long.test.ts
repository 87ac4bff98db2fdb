import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import { addTerm } from '../helpers/content.ts'
import { growsLinearly } from '../helpers/growth.ts'
import { as, serve } from '../helpers/site.ts'

// Storing and reading every field that users write must take linear time.

const fields = suite('growth of fields')

/** Set for the wider form: all shapes, up to this many characters. */
const WIDE = Number(process.env['SVC_GROWTH_SIZE'] ?? 0)
const LARGEST = WIDE || 16_000
const ALL = [
  '<p a="',
  '[gallery]',
  '<!-- wp:x {"a":"<b>"} /-->',
  '<b>',
  '[caption a="<b>" ',
  '&',
  '\u0327\u0301',
  '" \n',
]
const SHAPES = WIDE > 0 ? ALL : ALL.slice(0, 3)
const WHOLE = { ...as('author'), 'content-type': 'application/json' }
const BY_ADMIN = { ...as('administrator', 1), 'content-type': 'application/json' }

const withMeta = definePlugin({
  name: 'with-meta',
  needs: ['meta'],
  apply({ services }) {
    services.meta.register('post', 'note', { type: 'string', single: true, show_in_rest: true })
  },
})

fields('is linear for any text', async () => {
  await using site = await serve({ add: [withMeta] })
  await site.store.run(site.store.db.insertInto('users').values({ id: 1, login: 'one', slug: 'one' }))
  const tag = await addTerm(site.store, { taxonomy: 'post_tag', name: 'Tag' })
  const send = async (path: string, body: object, headers: Record<string, string> = WHOLE) => {
    const response = await site.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const { id } = (await response.json()) as { id?: number }
    // Rejected texts were parsed as well.
    assert.ok(response.status < 500, `${path} ${response.status}`)
    return id
  }
  const post = await send('/svc/v2/posts', { title: 'A', status: 'publish' })
  const comments = { post, author_name: 'A', author_email: 'a@b.test' }
  const works: Record<string, (text: string) => Promise<unknown>> = {
    content: (content) => send(`/svc/v2/posts/${post}`, { content }),
    excerpt: (excerpt) => send(`/svc/v2/posts/${post}`, { excerpt }),
    title: (title) => send('/svc/v2/posts', { title: title.slice(0, 60_000) }),
    slug: (slug) => send(`/svc/v2/posts/${post}`, { slug }),
    meta: (note) => send(`/svc/v2/posts/${post}`, { meta: { note } }),
    autosave: (content) => send(`/svc/v2/posts/${post}/autosaves`, { content }),
    comment: (content) => send('/svc/v2/comments', { ...comments, content }, BY_ADMIN),
    'name of a term': (name) => send(`/svc/v2/tags/${tag}`, { name }, BY_ADMIN),
    'description of a term': (description) => send(`/svc/v2/tags/${tag}`, { description }, BY_ADMIN),
    'description of a user': (description) => send('/svc/v2/users/1', { description }, BY_ADMIN),
    'file name': async (text) => {
      const name = encodeURIComponent(text.slice(0, 1500).toWellFormed())
      const headers = { ...as('author'), 'content-disposition': `attachment; filename*=UTF-8''${name}.txt` }
      return (await site.request('/svc/v2/media', { method: 'POST', headers, body: 'a' })).arrayBuffer()
    },
    search: (text) => site.json(`/svc/v2/posts?search=${encodeURIComponent(text.slice(0, 3000))}`),
  }
  let textCount = 0
  for (const [field, work] of Object.entries(works))
    for (const shape of SHAPES) {
      const act = async (size: number) => {
        await work(shape.repeat(Math.ceil(size / shape.length)) + (textCount += 1))
        await site.json(`/svc/v2/posts/${post}`)
      }
      await growsLinearly(`${field}, ${JSON.stringify(shape)}^n`, act, LARGEST)
    }
})

fields.run()
