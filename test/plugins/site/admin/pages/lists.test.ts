import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formNonce, hiddenValue } from '../../../../helpers/admin-forms.ts'
import { editorFolder } from '../../editor/fake-bundle.ts'
import { act, create, enter, nextOf, noticeOf, pageOf as page, rowsOf } from '../../../../helpers/admin-lists.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'
import { takeLock } from '../../../../../plugins/content/editor-ajax/index.ts'
import { definePlugin, RequestCache } from '../../../../../kernel/index.ts'

const garden = definePlugin({
  name: 'garden',
  needs: ['content-types', 'taxonomies', 'admin'],
  apply({ services }) {
    services.contentTypes.register('plant', {
      label: 'Plants',
      public: true,
      hierarchical: true,
      show_in_rest: true,
      rest_base: 'plants',
      supports: ['title', 'page-attributes'],
    })
    services.contentTypes.register('secret', { label: 'Secrets', public: true, show_ui: false, show_in_rest: true })
    services.taxonomies.register('bed', 'plant', { label: 'Beds', show_in_rest: true, rest_base: 'beds' })
    services.admin.addColumn('plant', {
      name: 'litres',
      label: 'Water',
      cell: ({ slug }) => `litres <${String(slug)}>`,
    })
  },
})

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  `${'long '.repeat(2000)}`,
  '\u202eright to left\u202c שלום',
  '👩‍👩‍👧‍👦 &amp; 🏳️‍🌈',
  "' or 1=1 --",
]

const sorted = (ids: readonly number[]) => ids.toSorted((one, other) => one - other)

const statusOf = async (site: SiteWithUsers, id: number, route = 'posts') =>
  ((await site.json(`/svc/v2/${route}/${id}?context=edit`, site.by('admin'))) as { status: string }).status

for (const { name, place } of databases) {
  const lists = suite(`lists of the admin on ${name}`)
  const open = () => serveWithUsers(place, { add: [garden] })

  lists('show posts with escaped titles, their status, and their actions', async () => {
    await using site = await open()
    for (const title of HOSTILE) await create(site, 'admin', 'posts', { title, status: 'publish' })
    const future = await create(site, 'ed', 'posts', { title: 'Soon', status: 'future', date: '2999-01-01T10:00:00' })
    await create(site, 'ed', 'posts', { title: 'Locked', status: 'publish', password: 'x' })
    await create(site, 'ed', 'posts', { title: 'On top', status: 'publish', sticky: true })
    await create(site, 'ed', 'posts', { title: 'Own', status: 'private' })
    const editor = await enter(site, 'ed')
    const text = await page(editor, '/svc-admin/content/post')
    assert.not.match(text, /<img src=x|<script>alert/)
    assert.match(text, '&#60;img src=x onerror=alert(1)&#62;')
    assert.match(text, '👩‍👩‍👧‍👦 &#38;amp; 🏳️‍🌈')
    for (const badge of ['Scheduled', 'Password protected', 'Sticky', 'Private', 'Draft'])
      assert.match(text, `<span class="badge">${badge}</span>`)
    assert.match(text, `/svc-admin/content/post/${future}"`)
    assert.ok(text.length < 120_000, String(text.length))
    assert.match(text, /All <span class="number">\(12\)/)
    assert.match(text, /Published <span class="number">\(9\)/)
    const menu = /<nav id="menu"[^]*?<\/nav>/.exec(text)![0]
    for (const entry of ['content/post"', 'terms/category"', 'content/page"', 'content/plant"', 'comments"'])
      assert.match(menu, entry)
    assert.not.match(menu, 'content/secret')
    assert.is((await editor.open('/svc-admin/content/secret')).status, 404)
    assert.is((await editor.open('/svc-admin/content/nothing')).status, 404)
  })

  lists('page by cursor in any order and filter, with each post once and a constant number of statements', async () => {
    await using site = await open()
    const { store, users } = site
    const rows = Array.from({ length: 1000 }, (_, index) => ({
      title: `Title ${index % 7}`,
      slug: `t-${index}`,
      type: 'post',
      status: index % 5 === 0 ? 'draft' : 'publish',
      author_id: index % 2 === 0 ? users.ann : users.ed,
      date: `2024-${String((index % 12) + 1).padStart(2, '0')}-10 10:00:00`,
      date_gmt: `2024-${String((index % 12) + 1).padStart(2, '0')}-10 10:00:00`,
    }))
    for (let at = 0; at < rows.length; at += 100)
      await store.run(store.db.insertInto('posts').values(rows.slice(at, at + 100)))
    const editor = await enter(site, 'ed')
    const walk = async (query: string, maxPages = 60) => {
      const found: number[] = []
      let next: string | undefined = `/svc-admin/content/post?${query}`
      for (let step = 0; next !== undefined && step < maxPages; step += 1) {
        const text: string = await page(editor, next)
        found.push(...rowsOf(text))
        next = nextOf(text)
      }
      return found
    }
    const all = await walk('per_page=100&orderby=title')
    assert.is(all.length, 1002)
    assert.is(new Set(all).size, 1002)
    const byAuthor = await walk(`per_page=100&orderby=author&order=asc&author=${users.ann}&status=draft`)
    assert.is(byAuthor.length, 100)
    assert.is(new Set(byAuthor).size, 100)
    const march = await walk('per_page=50&after=2024-03-10&before=2024-03-10&search=Title&order=asc')
    assert.is(march.length, rows.filter(({ date }) => date.startsWith('2024-03')).length)
    assert.is((await walk('status=mine&per_page=100')).length, 500)
    const statements = async (size: number) =>
      (await site.statements(() => page(editor, `/svc-admin/content/post?per_page=${size}`))).length
    await statements(20)
    assert.is(await statements(100), await statements(5))
    assert.is((await editor.open('/svc-admin/content/post?cursor=nonsense')).status, 400)
    assert.match(await page(editor, '/svc-admin/content/post?search=nothingatall'), 'No items match')
  })

  lists('show a type without posts, then its posts as a tree, with columns of plugins', async () => {
    await using site = await open()
    const editor = await enter(site, 'admin')
    assert.match(await page(editor, '/svc-admin/content/plant'), 'Nothing here yet.')
    const tree = await create(site, 'admin', 'plants', { title: 'Tree', status: 'publish' })
    const branch = await create(site, 'admin', 'plants', { title: 'A branch', status: 'publish', parent: tree })
    const leaf = await create(site, 'admin', 'plants', { title: 'A leaf', status: 'draft', parent: branch })
    const text = await page(editor, '/svc-admin/content/plant')
    assert.equal(rowsOf(text), [tree, branch, leaf])
    assert.match(text, /<span class="depth" aria-hidden="true">— — <\/span>/)
    assert.match(text, 'litres &#60;tree&#62;')
    const flat = await page(editor, '/svc-admin/content/plant?orderby=date')
    assert.match(flat, /class="above" dir="auto">Tree › <\/span>\s*<span class="above" dir="auto">A branch › /)
    assert.equal(rowsOf(await page(editor, `/svc-admin/content/plant?parent=${branch}`)), [leaf])
  })

  lists('name the user who currently edits a post, and link to the block editor if it is installed', async () => {
    await using folder = await editorFolder()
    await using site = await serveWithUsers(place, { plugins: { editor: { folder: folder.folder } } })
    const { services } = site.kernel
    const mine = await create(site, 'ed', 'posts', { title: 'Mine' })
    const theirs = await create(site, 'ed', 'posts', { title: 'Theirs' })
    const current = async (id: number) => (await services.users.current(id))!
    await takeLock({ services }, mine, await current(site.users.ed))
    await takeLock({ services }, theirs, await current(site.users.ann))
    const editor = await enter(site, 'ed')
    const list = '/svc-admin/content/post'
    const text = await page(editor, list)
    assert.equal(text.match(/[\w ]+ is currently editing/g), ['ANN Writer is currently editing'])
    assert.not.match(text, 'Edit as blocks')
    await folder.fill()
    assert.match(await page(editor, list), services.editor.urlOf('post', mine))
  })

  lists('offer contributors only the actions that the REST API permits, and show nothing to other users', async () => {
    await using site = await open()
    const own = await create(site, 'con', 'posts', { title: 'My draft' })
    await create(site, 'ed', 'posts', { title: 'Hidden draft' })
    await create(site, 'ed', 'posts', { title: 'Hidden private', status: 'private' })
    const writer = await enter(site, 'con')
    for (const query of ['', '?status=draft', '?status=private', '?search=Hidden', '?status=trash', '?status=any']) {
      const response = await writer.open(`/svc-admin/content/post${query}`)
      assert.not.match(await response.text(), /Hidden (?:draft|private)/)
    }
    const text = await page(writer, '/svc-admin/content/post')
    assert.equal(rowsOf(text), [own])
    assert.not.match(text, /<option value="publish">Publish|name="edit-author"/)
    const others = await act(writer, '/svc-admin/content/post', [
      ['do', 'trash'],
      ['ids[]', 1],
    ])
    assert.match(noticeOf(others), '1 item failed:')
    assert.is(await statusOf(site, 1), 'publish')
    assert.is((await writer.open('/svc-admin/content/page')).status, 403)
    const reader = await enter(site, 'sub')
    assert.is((await reader.open('/svc-admin/content/post')).status, 403)
    assert.not.match(await page(reader, '/svc-admin/'), 'content/post')
  })

  lists('move posts to the trash, undo it, delete permanently, and report failures with reasons', async () => {
    await using site = await open()
    const draft = await create(site, 'ed', 'posts', { title: 'Draft <b>' })
    const out = await create(site, 'ed', 'posts', { title: 'Out', status: 'publish' })
    const editor = await enter(site, 'ed')
    const list = '/svc-admin/content/post'
    const trashed = await act(editor, `${list}?orderby=title`, [
      ['do', 'trash'],
      ['ids[]', draft],
      ['ids[]', out],
      ['ids[]', 99_999],
    ])
    assert.match(noticeOf(trashed), /2 items moved to trash\. 1 item failed: “#99999”/)
    assert.is(await statusOf(site, out), 'trash')
    const undoValue = hiddenValue(trashed, 'what')
    const mark = hiddenValue(trashed, 'mark')
    const nonce = formNonce(trashed)
    const forged = await editor.send(list, { do: 'undo', _svcnonce: nonce, what: `${draft}:publish`, mark })
    assert.is(forged.status, 403)
    const undone = await act(editor, list, [
      ['do', 'undo'],
      ['what', undoValue],
      ['mark', mark],
    ])
    assert.match(noticeOf(undone), '2 items restored from trash.')
    assert.is(await statusOf(site, out), 'publish')
    assert.is(await statusOf(site, draft), 'draft')
    assert.match(
      noticeOf(
        await act(editor, list, [
          ['do', 'row'],
          ['row', `trash:${draft}`],
        ]),
      ),
      '1 item moved to trash.',
    )
    const trash = await page(editor, `${list}?status=trash`)
    assert.equal(rowsOf(trash), [draft])
    assert.match(trash, 'Permanently delete “Draft &#60;b&#62;”?')
    assert.match(
      noticeOf(
        await act(editor, `${list}?status=trash`, [
          ['do', 'delete'],
          ['ids[]', draft],
        ]),
      ),
      'permanently deleted',
    )
    assert.is((await site.get(`/svc/v2/posts/${draft}`, site.by('admin'))).status, 404)
    assert.match(noticeOf(await act(editor, list, [['do', 'trash']])), 'Select at least one item')
    const unknown = await editor.send(list, { do: 'row', _svcnonce: nonce, row: `constructor:${out}` })
    assert.is(unknown.status, 400)
  })

  lists('edit several posts in bulk: status, author, comments, parent and terms', async () => {
    await using site = await open()
    const { ann } = site.users
    const news = await create(site, 'ed', 'categories', { name: 'News & more' })
    const old = await create(site, 'ed', 'tags', { name: 'Old' })
    const ids = [
      await create(site, 'ed', 'posts', { title: 'One', tags: [old] }),
      await create(site, 'ed', 'posts', { title: 'Two', status: 'publish' }),
    ]
    const editor = await enter(site, 'ed')
    const list = '/svc-admin/content/post'
    const chosen = ids.map((id): [string, number] => ['ids[]', id])
    const changed = await act(editor, list, [
      ['do', 'edit'],
      ...chosen,
      ['edit-status', 'pending'],
      ['edit-author', ann],
      ['edit-comments', 'closed'],
      ['edit-sticky', '1'],
      ['add-categories', 'news & MORE'],
      ['add-tags', 'Fresh, fresh ,Ripe'],
      ['remove-tags', 'old'],
    ])
    assert.is(noticeOf(changed), '2 items updated.')
    const tags = (await site.json('/svc/v2/tags?_fields=id,name')) as { id: number; name: string }[]
    const fresh = tags.filter(({ name: tag }) => tag !== 'Old').map(({ id }) => id)
    assert.is(fresh.length, 2)
    for (const id of ids) {
      const post = await site.json(`/svc/v2/posts/${id}?context=edit`, site.by('admin'))
      assert.is(post.status, 'pending')
      assert.is(post.author, ann)
      assert.is(post.comment_status, 'closed')
      assert.is(post.sticky, true)
      assert.ok(post.categories.includes(news))
      assert.equal(sorted(post.tags), sorted(fresh))
    }
    const nothing = await act(editor, list, [['do', 'edit'], ...chosen])
    assert.match(noticeOf(nothing), 'Choose at least one field')
    const missing = await act(editor, list, [['do', 'edit'], ...chosen, ['add-categories', 'No such']])
    assert.match(noticeOf(missing), 'There is no term “No such”')
    const filtered = await page(editor, `${list}?categories=${news}&status=pending`)
    assert.equal(sorted(rowsOf(filtered)), ids)
  })

  lists('copy a post with all its stored meta, except what describes the state of one post', async () => {
    await using site = await open()
    const original = await create(site, 'ed', 'posts', { title: 'One', status: 'publish' })
    const { meta } = site.kernel.services
    const scope = new RequestCache()
    const values = { colour: ['red'], _colour: ['field_1'], rows: [{ a: 1 }, 'two'], _yoast_title: ['Best'] }
    const state = { _edit_lock: ['1:2'], _edit_last: ['7'], _old_slug: ['former'], _desired_post_slug: ['one'] }
    await meta.writeAll('post', original, { ...values, ...state }, scope)
    const editor = await enter(site, 'ed')
    const copied = await act(editor, '/svc-admin/content/post', [
      ['do', 'row'],
      ['row', `duplicate:${original}`],
    ])
    assert.match(copied, 'One (copy)')
    const [copy] = (await site.json('/svc/v2/posts?status=draft&_fields=id', site.by('ed'))) as { id: number }[]
    const stored: Record<string, unknown[]> = {}
    for (const { key, value } of await meta.rows('post', copy!.id, scope)) (stored[key] ??= []).push(value)
    // The REST API shows footnotes, so the request that creates the copy stores them, too.
    assert.equal(stored, { ...values, footnotes: [''] })
  })

  lists.run()
}
