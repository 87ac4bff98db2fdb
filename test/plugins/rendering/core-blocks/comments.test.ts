import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, type TestPost } from '../../../helpers/content.ts'
import { renderedOf } from '../../../helpers/rendered.ts'
import { serve, type Site, startOnly } from '../../../helpers/site.ts'

startOnly('content-rendering', 'core-blocks', 'comments')

const BLOCKS =
  '<!-- wp:comments --><div class="wp-block-comments"><!-- wp:comments-title /--><!-- wp:comment-template -->' +
  '<!-- wp:avatar /--><!-- wp:comment-author-name /--><!-- wp:comment-date {"format":"Y-m-d"} /-->' +
  '<!-- wp:comment-content /--><!-- wp:comment-reply-link /--><!-- wp:comment-edit-link /-->' +
  '<!-- /wp:comment-template --></div><!-- /wp:comments -->'

interface TestComment {
  content: string
  approved?: string
  type?: string
  parent_id?: number
  author_name?: string
  author_url?: string
}

async function withComments(site: Site, comments: readonly TestComment[], post: TestPost = {}): Promise<number> {
  const { store } = site
  const count = comments.filter(({ approved = '1', type = 'comment' }) => approved === '1' && type !== 'note').length
  const fields = { title: 'Talk', content: BLOCKS, comment_status: 'open', comment_count: count, ...post }
  const [id] = await addPosts(store, fields)
  const date = '2025-06-01 10:00:00'
  const ids: number[] = []
  for (const { parent_id: parent = 0, ...one } of comments) {
    const row = { post_id: id!, author_name: 'Visitor', approved: '1', type: 'comment', date, date_gmt: date, ...one }
    const parentId = parent === 0 ? 0 : ids[parent - 1]!
    const inserted = await store.first(
      store.db
        .insertInto('comments')
        .values({ ...row, parent_id: parentId })
        .returning('id'),
    )
    ids.push(inserted!.id)
  }
  return id!
}

const comments = suite('comment blocks')

comments('show only approved comments and replies', async () => {
  await using site = await serve()
  const id = await withComments(site, [
    { content: 'First', author_name: 'Ann <b>', author_url: 'https://ann.test/"x' },
    { content: 'Reply', parent_id: 1, author_url: 'javascript:alert(1)' },
    { content: 'Held', approved: '0' },
    { content: 'Spam', approved: 'spam' },
    { content: 'Note', type: 'note' },
    { content: 'Second [gallery] "quoted"' },
  ])
  const html = await renderedOf(site, id)
  assert.match(html, /<h2 id="comments" class="wp-block-comments-title">3 responses to &#8220;Talk&#8221;<\/h2>/)
  assert.match(
    html,
    /<ol class="wp-block-comment-template"><li id="comment-\d+" class="comment even thread-even depth-1">/,
  )
  assert.match(html, /<ol><li id="comment-\d+" class="comment odd alt depth-2">/)
  for (const word of ['Held', 'Spam', 'Note', 'javascript:', 'Ann <b>']) assert.not.match(html, word)
  assert.match(html, '2025-06-01')
  assert.match(html, 'data-replyto="Reply to Ann &lt;b&gt;"')
  assert.not.match(html, 'comment-edit-link')
  // Shortcodes of visitors are not run.
  assert.match(html, '&#91;gallery]')
})

comments('use the same number of statements for two comments and for a hundred', async () => {
  await using site = await serve()
  const shortThread = await withComments(site, [{ content: 'One' }, { content: 'Two' }])
  const longThread = await withComments(
    site,
    Array.from({ length: 100 }, (_, at) => ({ content: `Comment ${at}`, parent_id: at % 3 })),
  )
  const costOf = async (id: number) => (await site.statements(async () => void (await renderedOf(site, id)))).length
  const first = await costOf(shortThread)
  assert.is(await costOf(longThread), first)
  assert.is((await renderedOf(site, longThread)).match(/<li id="comment-/g)?.length, 100)
})

comments('are hidden for closed posts without comments and for protected posts', async () => {
  await using site = await serve()
  const closed = await withComments(site, [], { comment_status: 'closed' })
  assert.is(await renderedOf(site, closed), '')
  const shut = await withComments(site, [{ content: 'Hidden words' }], { password: 'word' })
  assert.not.match(await renderedOf(site, shut), 'Hidden words')
  assert.match(await renderedOf(site, shut, '&password=word'), 'Hidden words')
})

comments('render a default layout with a reply link in themes without inner blocks', async () => {
  await using site = await serve()
  for (const content of ['<!-- wp:post-comments /-->', '<!-- wp:comments {"legacy":true} /-->']) {
    const open = await renderedOf(
      site,
      await withComments(site, [{ content: 'First' }, { content: 'Held', approved: '0' }], { content }),
    )
    assert.match(open, 'One response to')
    assert.match(open, /<p>First<\/p>/)
    assert.match(open, /<div class="comment-respond wp-block-post-comments-form" id="respond">/)
    assert.match(open, /<a rel="nofollow" href="[^"]+">Log in<\/a> to leave a reply/)
    assert.not.match(open, 'Held')
    const closed = await withComments(site, [{ content: 'First' }], { content, comment_status: 'closed' })
    assert.match(await renderedOf(site, closed), /<p>First<\/p>/)
    assert.not.match(await renderedOf(site, closed), 'comment-respond')
    const none = await withComments(site, [], { content, comment_status: 'closed' })
    assert.is(await renderedOf(site, none), '')
    const shut = await withComments(site, [{ content: 'First' }], { content, password: 'word' })
    assert.not.match(await renderedOf(site, shut), 'First')
  }
})

comments.run()
