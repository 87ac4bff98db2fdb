import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { as, serve } from '../../../helpers/site.ts'

const excerptLength = suite('excerpt_length')

const TEXT = 'one two three four five'

excerptLength('sets the number of words of a generated excerpt, in any order of requests', async () => {
  await using site = await serve()
  for (const [type, base] of [
    ['post', 'posts'],
    ['page', 'pages'],
    ['svc_block', 'blocks'],
  ] as const) {
    const [id, written] = await addPosts(
      site.store,
      { type, content: TEXT },
      { type, content: TEXT, excerpt: 'A written excerpt of six words' },
    )
    const excerptOf = async (query: string, of = id) =>
      (await site.json(`/svc/v2/${base}/${of}${query}`, as('administrator'))).excerpt.rendered
    const whole = await excerptOf('')
    assert.match(whole, 'three four five')
    assert.is(await excerptOf('?excerpt_length=2'), '<p>one two [&hellip;]</p>\n')
    assert.is(await excerptOf('?excerpt_length=%203%20'), '<p>one two three [&hellip;]</p>\n')
    assert.is(await excerptOf('?excerpt_length=5'), whole)
    assert.is(await excerptOf('?excerpt_length=2'), '<p>one two [&hellip;]</p>\n')
    assert.is(await excerptOf(''), whole)
    assert.match(await excerptOf('?excerpt_length=2', written), 'A written excerpt of six words')
    for (const value of ['abc', '1.5', '']) {
      const refused = await site.json(`/svc/v2/${base}/${id}?excerpt_length=${value}`)
      assert.equal(refused.data.params && Object.keys(refused.data.params), ['excerpt_length'], value)
    }
    for (const value of ['0', '-3']) assert.is(await excerptOf(`?excerpt_length=${value}`), '<p> [&hellip;]</p>\n')
  }
})

excerptLength('is an argument of single posts of the types that have excerpts', async () => {
  await using site = await serve()
  const { routes } = await site.json('/', as('administrator'))
  const named = Object.keys(routes).filter((path) => 'excerpt_length' in (routes[path].endpoints[0].args ?? {}))
  assert.equal(
    named.sort(),
    ['blocks', 'pages', 'posts'].map((base) => `/svc/v2/${base}/(?P<id>[\\d]+)`),
  )
  await using older = await serve({ revision: '6.5' })
  const [id] = await addPosts(older.store, { content: TEXT })
  assert.match((await older.json(`/svc/v2/posts/${id}?excerpt_length=x`)).excerpt.rendered, 'three four five')
})

excerptLength.run()
