import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, html, offThread, RequestCache, runWork, Work } from '../../../../../../plugins/public.ts'
import { neverEnd } from '../../../../../fixtures/text-functions.ts'
import { browse, type Browser } from '../../../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../../helpers/site-with-users.ts'

const shop = definePlugin({
  name: 'shop',
  needs: ['admin', 'meta'],
  apply({ services }) {
    services.meta.register('post', 'price', {
      type: 'integer',
      single: true,
      label: 'Price',
      show_in_rest: { schema: { type: 'integer', maximum: 100 } },
    })
    // Protected without a callback: no user may change it, so the form does not contain it.
    // Edited by the panel below.
    services.meta.register('post', 'note', {
      type: 'string',
      single: true,
      show_in_rest: true,
      filterable: true,
      show_ui: false,
    })
    services.meta.register('post', '_locked', { type: 'boolean', single: true, show_in_rest: true })
    services.meta.register('post', '_open', {
      type: 'string',
      single: true,
      show_in_rest: true,
      auth_callback: () => true,
    })
    services.admin.addPanel('post', {
      name: 'note',
      title: 'Note',
      show: () => html`<label>Note <input name="shop_note" /></label>`,
      save: (view, item, form) =>
        services.meta.write('post', Number(item['id']), 'note', [form['shop_note']], view.request.scope),
    })
  },
})

type Form = Record<string, string>

const endless = offThread(neverEnd, { importer: import.meta.url, module: '../../../../../fixtures/text-functions' })

for (const { name, place } of databases) {
  const editor = suite(`the plain editor on ${name}`)
  const open = () => serveWithUsers(place, { add: [shop] })

  editor('creates a post from Markdown on the first save, and shows the Markdown again', async () => {
    await using site = await open()
    const author = await loggedIn(site, 'ann')
    const fresh = await formOf(author, '/svc-admin/content/post/new')
    assert.equal(
      Object.keys(fresh)
        .filter((name) => name.startsWith('meta['))
        .sort(),
      ['meta[_open]', 'meta[price]'],
    )
    assert.is(await posts(site), 2)
    const sent = await send(author, '/svc-admin/content/post/new', {
      ...fresh,
      do: 'publish',
      title: 'Roses & <b>more</b>',
      content: '# Red\n\nText with **bold**.\n\n<script>steal()</script>',
      'names-tags': 'Garden, roses,garden ',
      'meta[price]': '12',
      shop_note: 'water',
    })
    assert.is(sent.status, 303, await sent.clone().text())
    const path = new URL(sent.headers.get('location')!).pathname
    const shown = await (await author.open(path)).text()
    assert.match(shown, /Published\. <a href="[^"]+">View on site<\/a>/)
    assert.match(shown, '\n# Red\n\nText with **bold**.')
    const post = await stored(site, path)
    assert.is(post.status, 'publish')
    assert.match(post.content.raw, '<h1 class="wp-block-heading">Red</h1>')
    assert.not.match(post.content.raw, '<script')
    assert.is(post.tags.length, 2)
    assert.is(post.meta.price, 12)
    assert.is(await site.kernel.services.meta.single('post', post.id, 'note', new RequestCache()), 'water')
  })

  editor('shows an error next to its field and keeps the typed text', async () => {
    await using site = await open()
    const author = await loggedIn(site, 'ann')
    const path = '/svc-admin/content/post/new'
    const sent = await send(author, path, {
      ...(await formOf(author, path)),
      title: 'Too <dear>',
      content: 'Text "stays"',
      'meta[price]': '101',
    })
    const text = await sent.text()
    assert.is(sent.status, 400)
    assert.match(text, /id="field-meta-price--error">meta\.price/)
    assert.match(text, 'value="Too &#60;dear&#62;"')
    assert.match(text, 'Text &#34;stays&#34;')
    assert.match(text, /value="101"/)
    assert.is(await posts(site), 2)
  })

  editor('edits HTML content without a Markdown source unchanged', async () => {
    await using site = await open()
    const id = await create(site, 'ann', { title: 'One', content: '<!-- wp:spacer /--><p>As it is</p>' })
    const author = await loggedIn(site, 'ann')
    const path = `/svc-admin/content/post/${id}`
    const form = await formOf(author, path)
    assert.is(form['mode'], 'html')
    const sent = await send(author, path, { ...form, excerpt: 'Short', slug: 'one-one' })
    assert.is(sent.status, 303, await sent.clone().text())
    const post = await stored(site, path)
    assert.equal(
      [post.content.raw, post.excerpt.raw, post.slug],
      ['<!-- wp:spacer /--><p>As it is</p>', 'Short', 'one-one'],
    )
  })

  editor('converts Markdown to HTML without storing it', async () => {
    await using site = await open()
    const author = await loggedIn(site, 'ann')
    const path = '/svc-admin/content/post/new'
    const sent = await send(author, path, { ...(await formOf(author, path)), do: 'as-html', content: '*a*' })
    assert.match(await sent.text(), '&#60;p&#62;&#60;em&#62;a&#60;/em&#62;&#60;/p&#62;')
    assert.is(await posts(site), 2)
  })

  editor('previews the sanitized content on a page without scripts', async () => {
    await using site = await open()
    const author = await loggedIn(site, 'ann')
    const path = '/svc-admin/content/post/new'
    const form = {
      ...(await formOf(author, path)),
      do: 'preview',
      title: 'A <b>title',
      content: '*a*\n\n<p onclick="x()">b</p><script>1</script>',
    }
    const page = await send(author, path, form)
    const text = await page.text()
    assert.match(text, '<em>a</em>')
    assert.match(text, '<p>b</p>')
    assert.not.match(text, '<script')
    assert.not.match(text, 'onclick')
    assert.match(page.headers.get('content-security-policy')!, "default-src 'none'")
    assert.match(page.headers.get('cache-control')!, 'no-store')
    assert.is((await author.send(path, { ...form, _svcnonce: 'ffff' })).status, 403)
  })

  editor('does not overwrite the changes of another user, shows both versions, and stores one on request', async () => {
    await using site = await open()
    const id = await create(site, 'ann', { title: 'One', content: '<p>old words here</p>' })
    const path = `/svc-admin/content/post/${id}`
    const author = await loggedIn(site, 'ann')
    const form = await formOf(author, path)
    await site.send('PUT', `/svc/v2/posts/${id}`, { content: '<p>theirs words here</p>' }, 'ed')
    const refused = await send(author, path, { ...form, content: '<p>mine words here</p>' })
    const text = await refused.text()
    assert.is(refused.status, 409)
    assert.match(text, /<del><span class="hidden">\[removed: <\/span>theirs/)
    assert.match(text, /<ins><span class="hidden">\[added: <\/span>mine/)
    assert.match((await stored(site, path)).content.raw, 'theirs')
    const again = await send(author, path, fieldsOf(text))
    assert.is(again.status, 303, await again.clone().text())
    assert.match((await stored(site, path)).content.raw, 'mine')
    const revisions = await (await author.open(`${path}/revisions`)).text()
    assert.match(revisions, /Revision \d+/)
  })

  editor('is read-only while another user edits, until the reader takes over the edit', async () => {
    await using site = await open()
    const id = await create(site, 'ann', { title: 'One', content: '<p>a</p>' })
    const path = `/svc-admin/content/post/${id}`
    const [author, other] = [await loggedIn(site, 'ann'), await loggedIn(site, 'ed')]
    const form = await formOf(author, path)
    const page = await (await other.open(path)).text()
    assert.match(page, 'ANN Writer is editing this.')
    assert.match(page, /<fieldset class="bare"\s+disabled/)
    assert.is((await send(other, path, { _svcnonce: fieldsOf(page)['_svcnonce']!, do: 'take' })).status, 303)
    assert.not.match(await (await other.open(path)).text(), 'is editing this.')
    const beat = await author.send('/svc-admin/ajax', {
      action: 'heartbeat',
      _nonce: await author.nonce(),
      'data[svc-refresh-post-lock][post_id]': String(id),
    })
    assert.match(await beat.text(), 'ED Writer')
    // The form keeps its values, and can be stored.
    assert.is((await send(author, path, { ...form, title: 'Mine' })).status, 303)
  })

  editor('autosaves next to the published version, and offers and shows the autosave', async () => {
    await using site = await open()
    const id = await create(site, 'ann', { title: 'One', content: '<p>a</p>', status: 'publish' })
    const path = `/svc-admin/content/post/${id}`
    const author = await loggedIn(site, 'ann')
    const form = await formOf(author, path)
    const saved = await send(author, path, { ...form, do: 'autosave', content: 'In *Markdown*', mode: 'markdown' })
    assert.is(saved.status, 200, await saved.clone().text())
    assert.is((await stored(site, path)).content.raw, '<p>a</p>')
    const page = await (await author.open(path)).text()
    assert.match(page, 'There is a newer autosave.')
    const restored = await formOf(author, `${path}?autosave=${/\?autosave=(\d+)/.exec(page)![1]}`)
    assert.equal([restored['content'], restored['mode']], ['In *Markdown*', 'markdown'])
    assert.not.match(await (await (await loggedIn(site, 'ed')).open(path)).text(), 'There is an autosave')
    // A draft of the user is autosaved in place, unless another user has changed it.
    const draft = await create(site, 'ann', { title: 'Two', content: '<p>a</p>' })
    const at = `/svc-admin/content/post/${draft}`
    const own = await formOf(author, at)
    const first = await send(author, at, { ...own, do: 'autosave', content: '<p>b</p>' })
    const { tag } = (await first.json()) as { tag: string }
    assert.is((await stored(site, at)).content.raw, '<p>b</p>')
    await site.send('PUT', `/svc/v2/posts/${draft}`, { title: 'Theirs' }, 'ed')
    const late = await send(author, at, { ...own, tag, do: 'autosave', content: '<p>c</p>' })
    assert.is(late.status, 409)
    assert.is((await stored(site, at)).content.raw, '<p>b</p>')
  })

  editor('compares any two revisions and restores one', async () => {
    await using site = await open()
    const id = await create(site, 'ann', { title: 'One', content: '<p>new words</p>', status: 'publish' })
    const path = `/svc-admin/content/post/${id}`
    for (const word of ['first', 'second', 'third'])
      await site.send('PUT', `/svc/v2/posts/${id}`, { content: `<p>${word} words</p>` }, 'ann')
    const author = await loggedIn(site, 'ann')
    const page = await (await author.open(`${path}/revisions`)).text()
    const ids = [...page.matchAll(/name="to"\s+value="(\d+)"/g)].map(([, version]) => version!)
    assert.is(ids.length, 3, 'the newest revision is the current version')
    // The current version is compared with the previous one.
    assert.match(page, /<del><span class="hidden">\[removed: <\/span>second/)
    assert.match(page, /<ins><span class="hidden">\[added: <\/span>third/)
    assert.match(page, new RegExp(`name="id" value="${ids[1]}"[^]*Restore Revision ${ids[1]}…`))
    const text = await (await author.open(`${path}/revisions?from=${ids[0]}&to=${ids[2]}`)).text()
    assert.match(text, /<del><span class="hidden">\[removed: <\/span>third/)
    assert.match(text, /<ins><span class="hidden">\[added: <\/span>first/)
    const nonce = fieldsOf(text)['_svcnonce']!
    const asked = await author.send(`${path}/revisions`, { _svcnonce: nonce, do: 'ask-restore', id: ids[2]! })
    assert.match(await asked.text(), /ANN Writer[^]*first[^]*name="do" value="restore"/)
    assert.is((await stored(site, path)).content.raw, '<p>third words</p>')
    const restored = await author.send(`${path}/revisions`, { _svcnonce: nonce, do: 'restore', id: ids[2]! })
    assert.is(restored.status, 303)
    assert.is((await stored(site, path)).content.raw, '<p>first words</p>')
    // Revisions of another post are refused.
    assert.is((await author.send(`${path}/revisions`, { _svcnonce: nonce, do: 'restore', id: '1' })).status, 404)
  })

  editor('submits posts of contributors for review, and shows each user only permitted actions', async () => {
    await using site = await open()
    const contributor = await loggedIn(site, 'con')
    const path = '/svc-admin/content/post/new'
    const page = await (await contributor.open(path)).text()
    assert.match(page, 'Submit for review')
    assert.not.match(page, 'name="author"')
    assert.not.match(page, 'name="sticky"')
    const sent = await send(contributor, path, { ...fieldsOf(page), do: 'publish', title: 'Please', content: 'Text' })
    assert.is(sent.status, 303, await sent.clone().text())
    const own = new URL(sent.headers.get('location')!).pathname
    assert.is((await stored(site, own)).status, 'pending')
    const id = await create(site, 'ann', { title: 'Hers', status: 'publish' })
    assert.is((await contributor.open(`/svc-admin/content/post/${id}`)).status, 403)
    assert.is((await contributor.open('/svc-admin/content/page/new')).status, 403)
    assert.is((await contributor.open('/svc-admin/content/nothing/new')).status, 404)
    const editors = await (await (await loggedIn(site, 'ed')).open('/svc-admin/content/page/new')).text()
    assert.match(editors, 'name="author"')
    assert.match(editors, 'name="parent"')
  })

  editor('moves a post to the trash, and creates a preview link', async () => {
    await using site = await open()
    const id = await create(site, 'ann', { title: 'One', content: '<p>a</p>' })
    const path = `/svc-admin/content/post/${id}`
    const author = await loggedIn(site, 'ann')
    const shared = await send(author, path, { ...(await formOf(author, path)), do: 'share', content: '<p>shared</p>' })
    assert.match(await shared.text(), 'preview_token=')
    const sent = await send(author, path, { ...(await formOf(author, path)), do: 'trash' })
    assert.is(sent.status, 303)
    assert.is((await stored(site, path)).status, 'trash')
  })

  editor('sends its script the reason if the disk is full, and keeps the stored post', async () => {
    await using site = await open()
    const id = await create(site, 'ann', { title: 'One', content: '<p>a</p>' })
    const path = `/svc-admin/content/post/${id}`
    const author = await loggedIn(site, 'ann')
    const form = await formOf(author, path)
    let isFull = true
    site.kernel.hooks.rest_request_before_callbacks.tap('full', (response, _endpoint, { route }) => {
      if (isFull && route.endsWith('/autosaves'))
        throw Object.assign(new Error('ENOSPC: /srv/secret'), { code: 'ENOSPC' })
      return response
    })
    const refused = await send(author, path, { ...form, do: 'autosave', content: '<p>b</p>' })
    assert.is(refused.status, 507)
    const requestId = refused.headers.get('x-request-id')
    const message = `The server has no space left to store this. Request ID: ${requestId}`
    assert.equal(await refused.json(), { message })
    assert.is((await stored(site, path)).content.raw, '<p>a</p>')
    isFull = false
    assert.is((await send(author, path, { ...form, do: 'autosave', content: '<p>b</p>' })).status, 200)
    assert.is((await stored(site, path)).content.raw, '<p>b</p>')
  })

  editor('shows texts of 500 kB in which all lines differ in full, or 503 while too many others wait', async () => {
    await using site = await open()
    const id = await create(site, 'con', { title: 'One', content: 'first' })
    const path = `/svc-admin/content/post/${id}`
    const contributor = await loggedIn(site, 'con')
    for (const mark of ['old', 'new'])
      await site.send('PUT', `/svc/v2/posts/${id}`, { content: numberedLines(mark) }, 'con')
    const versions = await (await contributor.open(`${path}/revisions`)).text()
    const ids = [...versions.matchAll(/name="to"\s+value="(\d+)"/g)].map(([, version]) => version!)
    const differ = (text: string, before: string, after: string) => {
      assert.match(text, new RegExp(`<del><span class="hidden">\\[removed: </span>${before} 0\n`))
      assert.match(text, new RegExp(`<ins><span class="hidden">\\[added: </span>${after} 0\n`))
      assert.is(text.match(/<del>/g)!.length, 1)
    }
    // This number of parallel requests blocked all workers for half a minute before.
    const pages = await Promise.all(
      Array.from({ length: 3 }, () => contributor.open(`${path}/revisions?from=${ids[2]}`)),
    )
    for (const page of pages) differ(await page.text(), 'old', 'new')
    const form = await formOf(contributor, path)
    await site.send('PUT', `/svc/v2/posts/${id}`, { content: numberedLines('their') }, 'ed')
    const conflict = await send(contributor, path, { ...form, content: numberedLines('old') })
    assert.is(conflict.status, 409)
    differ(await conflict.text(), 'their', 'old')
    const work = new Work()
    const calls = runWork(work, () => Promise.allSettled(Array.from({ length: 21 }, () => endless('a'.repeat(60_000)))))
    const busy = await contributor.open(`${path}/revisions?from=${ids[2]}`)
    assert.equal([busy.status, busy.headers.get('retry-after')], [503, '5'])
    work.abort(new Error('enough'))
    await calls
  })

  editor('creates the same blocks from long Markdown as from short, up to 300,000 characters', async () => {
    await using site = await open()
    const contributor = await loggedIn(site, 'con')
    const path = '/svc-admin/content/post/new'
    const form = await formOf(contributor, path)
    const saved = await send(contributor, path, { ...form, content: 'A *word*.\n\n'.repeat(6000) })
    assert.is(saved.status, 303, await saved.clone().text())
    const blocks = (await stored(site, new URL(saved.headers.get('location')!).pathname)).content.raw.split('\n\n')
    const block = '<!-- wp:paragraph -->\n<p>A <em>word</em>.</p>\n<!-- /wp:paragraph -->'
    assert.equal([blocks.length, ...new Set(blocks)], [6000, block])
    const refused = await send(contributor, path, { ...form, content: 'a'.repeat(300_001) })
    assert.is(refused.status, 400)
    assert.match(await refused.text(), 'A Markdown text can have at most 300000 characters')
  })

  editor.run()
}

const numberedLines = (mark: string) => Array.from({ length: 50_000 }, (_, line) => `${mark} ${line}\n`).join('')

async function loggedIn(site: SiteWithUsers, login: string): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

async function formOf(browser: Browser, path: string): Promise<Form> {
  const page = await browser.open(path)
  const text = await page.text()
  assert.is(page.status, 200, mainOf(text))
  return fieldsOf(text)
}

const mainOf = (page: string) => page.slice(page.indexOf('<main'))

/** Returns the fields that a browser would submit, without buttons. */
function fieldsOf(page: string): Form {
  const form: Form = {}
  const main = mainOf(page)
  for (const [tag] of main.matchAll(/<input[^>]*>/g)) {
    const [, name] = /\sname="([^"]*)"/.exec(tag) ?? []
    const [, type] = /\stype="([^"]*)"/.exec(tag) ?? []
    if (name === undefined || type === 'file') continue
    if ((type === 'checkbox' || type === 'radio') && !tag.includes(' checked')) continue
    if (name.endsWith('[]') || name === 'do') continue
    form[name] = unescaped(/\svalue="([^"]*)"/.exec(tag)?.[1] ?? '')
  }
  for (const [, tag = '', text = ''] of main.matchAll(/<textarea([^>]*)>([^]*?)<\/textarea>/g))
    form[/\sname="([^"]*)"/.exec(tag)![1]!] = unescaped(text.replace(/^\n/, ''))
  for (const [, name = '', options = ''] of main.matchAll(/<select[^>]*\sname="([^"]*)"[^>]*>([^]*?)<\/select>/g)) {
    const values = [...options.matchAll(/<option\s+value="([^"]*)"\s*(selected)?/g)]
    form[name] = unescaped((values.find(([, , chosen]) => chosen !== undefined) ?? values[0])?.[1] ?? '')
  }
  return form
}

const unescaped = (text: string) =>
  text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

function send(browser: Browser, path: string, form: Form): Promise<Response> {
  const body = new FormData()
  for (const [name, value] of Object.entries(form)) body.set(name, value)
  return browser.open(path, { method: 'POST', body })
}

async function create(
  site: SiteWithUsers,
  login: 'ann' | 'con',
  post: Readonly<Record<string, unknown>>,
): Promise<number> {
  const response = await site.send('POST', '/svc/v2/posts', post, login)
  return ((await response.json()) as { id: number }).id
}

interface StoredPost {
  id: number
  status: string
  slug: string
  content: { raw: string }
  excerpt: { raw: string }
  tags: number[]
  meta: { price: number }
}

async function stored(site: SiteWithUsers, path: string): Promise<StoredPost> {
  const id = /\d+$/.exec(path)![0]
  const response = await site.send('GET', `/svc/v2/posts/${id}?context=edit`, null, 'admin')
  return (await response.json()) as StoredPost
}

async function posts(site: SiteWithUsers): Promise<number> {
  const { store } = site
  const rows = await store.all(store.db.selectFrom('posts').select('id').where('type', '=', 'post'))
  return rows.length
}
