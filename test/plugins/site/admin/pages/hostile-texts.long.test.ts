import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../../../helpers/browser.ts'
import { dangersIn } from '../../../../helpers/dangers.ts'
import { databases, serveWithUsers } from '../../../../helpers/site-with-users.ts'

const MARK = 'pwned'
const TEXT = `x"'><img src=x onerror=${MARK}()><script>${MARK}()</script></textarea></title><svg onload=${MARK}()>`
const LINK = `javascript:${MARK}()`

/** Scripts of the admin, and the import map, which contains only URLs of the server. */
const isOwn = (script: ReadonlyMap<string, string>) =>
  script.get('src')?.includes('/svc-admin/assets/') === true || script.get('type') === 'importmap'

for (const { name, place } of databases) {
  const texts = suite(`hostile texts in the admin on ${name}`)

  texts('are escaped on every page, and create no links', async () => {
    await using site = await serveWithUsers(place)
    const send = async (path: string, body: Record<string, unknown>, login: 'admin' | 'ann' | 'con' = 'admin') => {
      const response = await site.send('POST', `/svc/v2/${path}`, body, login)
      return ((await response.json()) as { id?: number }).id ?? 0
    }
    // Administrators can write any HTML, so users without that capability write the texts.
    const post = await send(
      'posts',
      { title: TEXT, content: TEXT, excerpt: TEXT, slug: TEXT, status: 'publish' },
      'ann',
    )
    const draft = await send('posts', { title: TEXT, content: TEXT }, 'con')
    const category = await send('categories', { name: TEXT, description: TEXT })
    const comment = await send('comments', {
      post,
      content: TEXT,
      author_name: TEXT,
      author_email: 'x@mail.example',
      author_url: 'https://x.example/"><script>pwned()</script>',
    })
    await send('users/me', { name: TEXT, first_name: TEXT, nickname: TEXT, description: TEXT, url: LINK }, 'ann')
    await send('settings', { title: TEXT, description: TEXT })
    const menu = await send('menus', { name: TEXT })
    await send('menu-items', {
      title: TEXT,
      url: LINK,
      menus: menu,
      status: 'publish',
      description: TEXT,
      attr_title: TEXT,
    })
    await send(`users/${site.users.ann}/application-passwords`, { name: TEXT }, 'ann')
    const upload = await site.request('/svc/v2/media', {
      method: 'POST',
      headers: {
        ...site.by('ann'),
        'content-type': 'text/plain',
        'content-disposition': `attachment; filename="a<img src=x onerror=${MARK}()>.txt"`,
      },
      body: 'A text.',
    })
    const file = ((await upload.json()) as { id: number }).id
    await send(`media/${file}`, { title: TEXT, alt_text: TEXT, caption: TEXT, description: TEXT }, 'ann')
    const admin = browse(site)
    await admin.send('/svc-login', { log: 'admin', pwd: 'pass phrase of admin' }, { 'user-agent': TEXT })
    await browse(site).send('/svc-login', { log: 'ann', pwd: 'pass phrase of ann' }, { 'user-agent': TEXT })

    const pages = [
      '',
      'content/post',
      `content/post?search=${encodeURIComponent(TEXT)}`,
      `content/post/${post}`,
      `content/post/${draft}`,
      `content/post/${post}/revisions`,
      'content/post/new',
      'terms/category',
      `terms/category/${category}`,
      'comments',
      `comments/${comment}`,
      'media',
      'media?view=list',
      `media/${file}`,
      'menus',
      `menus/${menu}`,
      'users',
      `users/${site.users.ann}`,
      'account',
      'settings',
      'settings/reading',
      'appearance',
      'import',
      'jobs',
      'plugins',
      'plugins/posts',
    ]
    let seen = 0
    for (const path of pages) {
      const response = await admin.open(`/svc-admin/${path}`)
      const html = await response.text()
      assert.is(response.status, 200, path)
      assert.equal(dangersIn(html, isOwn), [], path)
      if (html.includes(MARK)) seen += 1
    }
    assert.ok(seen > 15, `${seen} pages show them`)
  })

  texts.run()
}
