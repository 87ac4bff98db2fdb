import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'
import { defaultPages } from '../../../../../plugins/site/admin/pages/index.ts'

const LOGINS = ['admin', 'ed', 'ann', 'con', 'sub'] as const
type Login = (typeof LOGINS)[number]

const EDITORS: readonly Login[] = ['admin', 'ed']
const AUTHORS: readonly Login[] = ['admin', 'ed', 'ann']
const WRITERS: readonly Login[] = ['admin', 'ed', 'ann', 'con']

/** The users who can open each page. Every default page must be listed. */
const OPEN: Readonly<Record<string, readonly Login[]>> = {
  '': LOGINS,
  'log-out': LOGINS,
  account: LOGINS,
  search: LOGINS,
  'welcome/site': ['admin'],
  'welcome/appearance': ['admin'],
  'welcome/content': ['admin'],
  'welcome/account': ['admin'],
  'welcome/post': ['admin'],
  'content/post': WRITERS,
  'content/post/new': WRITERS,
  'content/page': EDITORS,
  'content/page/new': EDITORS,
  'content/post/SHY': EDITORS,
  'content/post/SHY/revisions': EDITORS,
  'terms/category': EDITORS,
  'terms/category/TERM': EDITORS,
  comments: EDITORS,
  'comments/COMMENT': EDITORS,
  media: AUTHORS,
  'media/new': AUTHORS,
  'media/FILE': AUTHORS,
  menus: ['admin'],
  'menus/MENU': ['admin'],
  users: ['admin'],
  'users/new': ['admin'],
  'users/roles': ['admin'],
  'users/USER': ['admin'],
  'users/delete?ids=USER': ['admin'],
  settings: ['admin'],
  'settings/permalinks': ['admin'],
  'settings/reading': ['admin'],
  appearance: ['admin'],
  import: ['admin'],
  export: ['admin'],
  jobs: ['admin'],
  health: ['admin'],
  changes: EDITORS,
  plugins: ['admin'],
  'plugins/posts': ['admin'],
}

for (const { name, place } of databases) {
  const rights = suite(`rights in the admin on ${name}`)

  rights('open each default page only for users with the permissions of the REST API', async () => {
    await using site = await serveWithUsers(place)
    const ids = await createObjects(site)
    const paths = Object.keys(OPEN)
    const router = new Map(paths.map((path) => [path, new URL(filled(path, ids), 'http://x/').pathname.slice(1)]))
    const admin = site.kernel.services.admin
    const shown = new Set([...router.values()].map((path) => admin.find(path)?.page.path))
    assert.equal(
      defaultPages.filter(({ path }) => !shown.has(path)).map(({ path }) => path),
      [],
      'pages that are not looked at',
    )
    for (const login of LOGINS) {
      const browser = await loggedIn(site, login)
      for (const [path, logins] of Object.entries(OPEN)) {
        const { status } = await browser.open(`/svc-admin/${filled(path, ids)}`)
        assert.is(status, logins.includes(login) ? 200 : 403, `${login} at ${path}`)
      }
    }
    const visitor = browse(site)
    for (const path of paths) {
      const { status, headers } = await visitor.open(`/svc-admin/${filled(path, ids)}`)
      assert.equal([status, headers.get('location')?.includes('/svc-login?')], [302, true], path)
    }
  })

  rights('refuse every form without the nonce of its user', async () => {
    await using site = await serveWithUsers(place)
    const ids = await createObjects(site)
    const [admin, sub] = [await loggedIn(site, 'admin'), await loggedIn(site, 'sub')]
    const visitor = browse(site)
    const [own, other] = [await nonceOf(admin), await nonceOf(sub)]
    const fields = {
      title: 'Changed',
      name: 'Changed',
      slug: 'changed',
      'ids[]': String(ids.POST),
      status: 'publish',
    }
    const before = await state(site)
    let tried = 0
    for (const path of Object.keys(OPEN)) {
      const at = `/svc-admin/${filled(path, ids)}`
      for (const action of await actionsOf(site, filled(path, ids))) {
        const form = { ...fields, do: action }
        const label = `${action} at ${path}`
        assert.is((await visitor.send(at, { ...form, _svcnonce: own })).status, 401, label)
        assert.is((await admin.send(at, form)).status, 403, label)
        assert.is((await admin.send(at, { ...form, _svcnonce: other })).status, 403, label)
        const sent = { ...form, _svcnonce: own }
        for (const headers of [{ origin: 'https://elsewhere.test' }, { 'sec-fetch-site': 'cross-site' }])
          assert.is((await admin.send(at, sent, headers)).status, 403, label)
        tried += 1
      }
    }
    assert.ok(tried > 40, `${tried}`)
    assert.equal(await state(site), before)
  })

  rights('refuse forms of users without permission', async () => {
    await using site = await serveWithUsers(place)
    const ids = await createObjects(site)
    const browsers = { sub: await loggedIn(site, 'sub'), con: await loggedIn(site, 'con') }
    const before = await state(site)
    for (const login of ['sub', 'con'] as const) {
      const browser = browsers[login]
      const nonce = await nonceOf(browser)
      for (const [path, logins] of Object.entries(OPEN)) {
        if (logins.includes(login)) continue
        for (const action of await actionsOf(site, filled(path, ids))) {
          const form = { _svcnonce: nonce, do: action, title: 'Changed', name: 'Changed', 'ids[]': String(ids.POST) }
          const { status } = await browser.send(`/svc-admin/${filled(path, ids)}`, form)
          // Invalid values can be refused before the nonce is checked.
          assert.ok([400, 403, 404].includes(status), `${login}: ${action} at ${path}: ${status}`)
        }
      }
    }
    assert.equal(await state(site), before)
  })

  rights.run()
}

/** One object of each kind, by the placeholder of its ID in paths. */
type ObjectIds = Readonly<Record<'SHY' | 'POST' | 'TERM' | 'COMMENT' | 'FILE' | 'MENU' | 'USER', number>>

async function createObjects(site: SiteWithUsers): Promise<ObjectIds> {
  const idOf = async (path: string, body: unknown) => {
    const response = await site.send('POST', `/svc/v2/${path}`, body, 'admin')
    assert.is(response.status, 201, `${path}: ${await response.clone().text()}`)
    return ((await response.json()) as { id: number }).id
  }
  await site.kernel.services.options.set('site_setup', { status: 'started', steps: [] })
  const POST = await idOf('posts', { title: 'Public', status: 'publish' })
  const [draft] = (await site.json(`/svc/v2/posts?status=draft&author=${site.users.shy}`, site.by('admin'))) as {
    id: number
  }[]
  const upload = await site.request('/svc/v2/media', {
    method: 'POST',
    headers: { ...site.by('ann'), 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' },
    body: 'A text.',
  })
  return {
    SHY: draft!.id,
    POST,
    TERM: await idOf('categories', { name: 'News' }),
    COMMENT: await idOf('comments', { post: POST, content: 'Well said.' }),
    FILE: ((await upload.json()) as { id: number }).id,
    MENU: await idOf('menus', { name: 'Main' }),
    USER: site.users.shy,
  }
}

const filled = (path: string, ids: ObjectIds) => path.replace(/[A-Z]+/g, (word) => String(ids[word as keyof ObjectIds]))

async function loggedIn(site: SiteWithUsers, login: Login): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

async function nonceOf(browser: Browser): Promise<string> {
  const text = await (await browser.open('/svc-admin/account')).text()
  return /name="_svcnonce" value="([^"]+)"/.exec(text)![1]!
}

/** Returns the form actions of a page. */
async function actionsOf({ kernel }: SiteWithUsers, path: string): Promise<string[]> {
  const { page } = kernel.services.admin.find(new URL(path, 'http://x/').pathname.slice(1))!
  const { actions = {} } = 'load' in page ? await page.load() : page
  return Object.keys(actions)
}

/** Returns a fingerprint that changes with every write, and the sessions. */
async function state({ store }: SiteWithUsers): Promise<unknown> {
  const { db } = store
  return store.first(db.selectFrom('changes').select(({ fn }) => fn.max('id').as('last')))
}
