import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse, type Browser } from '../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers, type UserIds } from '../../../helpers/site-with-users.ts'
import { editorFolder } from './fake-bundle.ts'

/** The data that a page passes to its script. */
interface PageData {
  readonly word: string
  readonly root: string
  readonly nonce: string
  readonly preloaded: Readonly<Record<string, unknown>>
  readonly dates: {
    readonly l10n: { readonly locale: string; readonly months: string[]; readonly relative: Record<string, string> }
  }
  readonly settings: {
    readonly titlePlaceholder?: string
    readonly __unstableResolvedAssets?: { readonly styles: string }
    readonly postLock?: { readonly isLocked: boolean; readonly user?: { readonly name: string } }
  }
  readonly post: { readonly type: string; readonly id: number } | null
  readonly resizing: boolean
}

for (const { name, place } of databases) {
  const pages = suite(`pages of the block editor on ${name}`)

  const open = async (word = 'svc', plugins: Record<string, object> = {}) => {
    const files = await editorFolder()
    const site = await serveWithUsers(place, { word, plugins: { editor: { folder: files.folder }, ...plugins } })
    return {
      ...site,
      files,
      async [Symbol.asyncDispose]() {
        await site[Symbol.asyncDispose]()
        await files[Symbol.asyncDispose]()
      },
    }
  }

  pages('appear after the installation without a restart, and disappear with an invalid manifest', async () => {
    await using site = await open()
    const { editor: blockEditor } = site.kernel.services
    const admin = await as(site, 'admin')
    assert.is(blockEditor.installed, false)
    assert.is((await admin.open('/svc-admin/editor/post/1')).status, 404)
    await site.files.fill()
    assert.is(blockEditor.installed, true)
    assert.is(blockEditor.urlOf('post', 1), `${site.home}/svc-admin/editor/post/1`)
    assert.is((await admin.open('/svc-admin/editor/post/1')).status, 200)
    await site.files.fill({ script: '../../secret' })
    assert.is(blockEditor.installed, false)
  })

  pages('are linked from the admin menu while the editor is installed', async () => {
    await using site = await open()
    const admin = await as(site, 'admin')
    const menu = async () => (await admin.open('/svc-admin/')).text()
    assert.not.match(await menu(), 'Site editor')
    await site.files.fill()
    assert.match(await menu(), `href="${site.home}/svc-admin/editor/site"`)
    const ed = await as(site, 'ed')
    assert.not.match(await (await ed.open('/svc-admin/')).text(), 'Site editor')
  })

  pages('preload the first requests of the editor, and allow only its script', async () => {
    await using site = await open()
    await site.files.fill()
    const response = await (await as(site, 'admin')).open('/svc-admin/editor/post/1')
    const text = await response.text()
    const { word, root, nonce, preloaded, post, settings } = dataIn(text)
    assert.equal([word, root, post], ['svc', `${site.home}/svc-json/`, { type: 'post', id: 1 }])
    assert.is(settings.postLock?.isLocked, false)
    const page = await (await fetch(site.home)).text()
    const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+\/themes\/default\/style\.css[^"]+)"/.exec(page)!
    assert.match(settings.__unstableResolvedAssets!.styles, `<link rel="stylesheet" href="${sheet}">`)
    assert.match(nonce, /^[0-9a-f]{10,}$/)
    const styles = await site.kernel.services.globalStyles.idOf('default')
    const fields = Object.keys(preloaded).find((path) => path.startsWith('/?_fields=description,gmt_offset,home,'))
    assert.ok(fields !== undefined)
    assert.equal(
      Object.keys(preloaded)
        .filter((path) => path !== fields)
        .sort(),
      [
        'OPTIONS',
        '/svc/v2/block-patterns/categories',
        `/svc/v2/global-styles/${styles}?context=edit`,
        '/svc/v2/global-styles/themes/default/variations?context=view',
        '/svc/v2/global-styles/themes/default?context=view',
        '/svc/v2/posts/1/autosaves?context=edit',
        '/svc/v2/posts/1?context=edit',
        '/svc/v2/settings',
        '/svc/v2/taxonomies?context=edit',
        '/svc/v2/taxonomies?context=view',
        '/svc/v2/templates/lookup?slug=front-page',
        '/svc/v2/templates/lookup?slug=single-post-hello',
        '/svc/v2/themes?context=edit&status=active',
        '/svc/v2/types/post?context=edit',
        '/svc/v2/types?context=view',
        '/svc/v2/users/me',
        `/svc/v2/users/${site.users.ann}?context=view&_fields=id,name`,
      ].sort(),
    )
    assert.equal(Object.keys(preloaded['OPTIONS'] as object).sort(), [
      '/svc/v2/blocks',
      `/svc/v2/global-styles/${styles}`,
      '/svc/v2/media',
      '/svc/v2/pages',
      '/svc/v2/posts',
      '/svc/v2/settings',
      '/svc/v2/templates',
    ])
    const policy = response.headers.get('content-security-policy') ?? ''
    const [, allowed] = /script-src 'nonce-([^']+)' 'sha256-[^']+';/.exec(policy) ?? []
    assert.ok(
      text.includes(`<script type="module" src="${site.home}/svc-admin/editor/files/editor-A1.js" nonce="${allowed}">`),
    )
    assert.match(policy, "default-src 'none'")
    assert.is(response.headers.get('x-frame-options'), 'DENY')
    assert.match(response.headers.get('cache-control') ?? '', 'no-store')
  })

  pages('are isolated, and allow a worker, if images are resized in the browser', async () => {
    await using site = await open('svc', { media: { client_resizing: true } })
    const path = '/svc-admin/editor/post/1'
    const worker = '/svc-admin/editor/files/resizing-D4.js'
    const read = async () => {
      const response = await (await as(site, 'admin')).open(path)
      const policy = response.headers.get('content-security-policy') ?? ''
      return {
        resizing: dataIn(await response.text()).resizing,
        isolation: response.headers.get('document-isolation-policy'),
        workers: /worker-src ([^;]*);/.exec(policy)?.[1],
        policy,
      }
    }
    await site.files.fill()
    const without = await read()
    assert.equal([without.resizing, without.isolation, without.workers], [false, null, undefined])
    assert.not.equal((await browse(site).open(worker)).status, 200)
    await site.files.fill({ resizing: 'resizing-D4.js' })
    const { policy, ...found } = await read()
    assert.equal(found, {
      resizing: true,
      isolation: 'isolate-and-credentialless',
      workers: `${site.home}${worker} blob:`,
    })
    assert.not.match(policy, 'eval')
    const { headers } = await browse(site).open(worker)
    assert.is(headers.get('document-isolation-policy'), 'isolate-and-credentialless')
    assert.match(headers.get('content-security-policy') ?? '', "default-src 'none'; script-src 'unsafe-eval';")
    const other = await browse(site).open('/svc-admin/editor/files/editor-A1.js')
    assert.is(other.headers.get('content-security-policy'), null)
  })

  pages('do not resize images if the server accepts no resized versions', async () => {
    await using site = await open()
    await site.files.fill({ resizing: 'resizing-D4.js' })
    const response = await (await as(site, 'admin')).open('/svc-admin/editor/post/1')
    assert.is(response.headers.get('document-isolation-policy'), null)
    assert.is(dataIn(await response.text()).resizing, false)
  })

  pages('escape titles in the data for the script', async () => {
    await using site = await open()
    await site.files.fill()
    const title = '</script><script>alert(1)</script>'
    const response = await site.send('POST', '/svc/v2/posts', { title }, 'admin')
    const { id } = (await response.json()) as { id: number }
    const text = await (await (await as(site, 'admin')).open(`/svc-admin/editor/post/${id}`)).text()
    assert.not.match(text, '<script>alert')
    assert.ok(JSON.stringify(dataIn(text).preloaded).includes(JSON.stringify(title).slice(1, -1)))
  })

  pages('require permission to edit the post or the site', async () => {
    await using site = await open()
    await site.files.fill()
    const visitor = await browse(site).open('/svc-admin/editor/post/1?x=1')
    assert.is(visitor.status, 302)
    assert.match(visitor.headers.get('location') ?? '', /svc-login\?redirect_to=.*editor%2Fpost%2F1/)
    const status = async (login: keyof UserIds, path: string) =>
      (await (await as(site, login)).open(`/svc-admin/editor/${path}`)).status
    assert.is(await status('ann', 'post/1'), 200)
    assert.is(await status('shy', 'post/1'), 403)
    assert.is(await status('sub', 'post/1'), 403)
    assert.is(await status('ed', 'site'), 403)
    assert.is(await status('admin', 'site'), 200)
    assert.is(await status('con', 'page/new'), 403)
    assert.is(await status('admin', 'post/999'), 404)
    assert.is(await status('admin', 'attachment/new'), 404)
    assert.is(await status('admin', 'no-such-type/new'), 404)
  })

  pages('create an empty draft for a new post, but not for a link on another site', async () => {
    await using site = await open()
    await site.files.fill()
    const ann = await as(site, 'ann')
    const count = async () =>
      (await site.store.all(site.store.db.selectFrom('posts').select('id').where('status', '=', 'auto-draft'))).length
    const foreign = await ann.open('/svc-admin/editor/post/new', { headers: { 'sec-fetch-site': 'cross-site' } })
    assert.equal([foreign.status, await count()], [200, 0])
    const response = await ann.open('/svc-admin/editor/post/new')
    assert.equal([response.status, await count()], [302, 1])
    const page = await ann.open(response.headers.get('location') ?? '')
    assert.is(page.status, 200)
    assert.match(await page.text(), '"edits":{"title":"","content":"","excerpt":""}')
  })

  pages('name the user who holds the lock, until another user takes it over with a nonce', async () => {
    await using site = await open()
    await site.files.fill()
    const [admin, ed] = [await as(site, 'admin'), await as(site, 'ed')]
    const lockFor = async (user: Browser, query = '') =>
      dataIn(await (await user.open(`/svc-admin/editor/post/post.php?post=1&action=edit${query}`)).text()).settings as {
        postLock: { isLocked: boolean; user?: { name: string } }
        postLockUtils: { nonce: string }
      }
    await lockFor(admin)
    const { postLock, postLockUtils } = await lockFor(ed)
    assert.equal(postLock, { isLocked: true, user: { name: 'ADMIN Writer' } })
    assert.is((await lockFor(ed, '&get-post-lock=1&_wpnonce=0123456789')).postLock.isLocked, true)
    assert.is((await lockFor(ed, `&get-post-lock=1&_wpnonce=${postLockUtils.nonce}`)).postLock.isLocked, false)
    assert.is((await lockFor(admin)).postLock.isLocked, true)
  })

  pages('serve immutable files, compressed if the browser accepts Brotli', async () => {
    await using site = await open()
    await site.files.fill()
    const path = '/svc-admin/editor/files/editor-A1.js'
    const plain = await browse(site).open(path, { headers: { 'accept-encoding': 'identity' } })
    assert.is(await plain.text(), 'document.title = "edited"')
    assert.is(plain.headers.get('content-encoding'), null)
    assert.match(plain.headers.get('cache-control') ?? '', 'immutable')
    const small = await browse(site).open(path, { headers: { 'accept-encoding': 'gzip, br' } })
    assert.is(small.headers.get('content-encoding'), 'br')
    assert.is(await small.text(), 'document.title = "edited"')
    const tag = plain.headers.get('etag') ?? ''
    assert.is((await browse(site).open(path, { headers: { 'if-none-match': tag } })).status, 304)
    for (const other of ['manifest.json', '..%2Fmanifest.json', 'editor-A1.js.br', '__proto__']) {
      assert.not.equal((await browse(site).open(`/svc-admin/editor/files/${other}`)).status, 200, other)
    }
  })

  pages('respond to the paths of WordPress if the word is wp', async () => {
    await using site = await open('wp')
    await site.files.fill()
    const admin = await as(site, 'admin')
    const data = dataIn(await (await admin.open('/wp-admin/post.php?post=1&action=edit')).text())
    assert.equal([data.word, data.post], ['wp', { type: 'post', id: 1 }])
    assert.is((await admin.open('/wp-admin/post-new.php?post_type=page')).status, 302)
    assert.is(dataIn(await (await admin.open('/wp-admin/site-editor.php')).text()).post, null)
  })

  pages('are in the language of the user', async () => {
    await using site = await open('svc', { translations: { languages: ['de'] } })
    await site.files.fill()
    const english = await (await as(site, 'admin')).open('/svc-admin/editor/post/1')
    assert.match(await english.text(), /<title>.* – Post<\/title>/)
    for (const login of ['admin', 'ann'] as const)
      assert.is((await site.send('POST', '/svc/v2/users/me', { locale: 'de_DE' }, login)).status, 200)
    const admin = await as(site, 'admin')
    const text = await (await admin.open('/svc-admin/editor/post/1')).text()
    assert.match(text, /<title>.* – Beitrag<\/title>/)
    assert.match(text, '<p lang="de-DE">Der Block-Editor benötigt JavaScript.</p>')
    const { settings, dates } = dataIn(text)
    assert.is(settings.titlePlaceholder, 'Titel hinzufügen')
    assert.equal([dates.l10n.locale, dates.l10n.months[2]], ['de-DE', 'März'])
    assert.equal([dates.l10n.relative['past'], dates.l10n.relative['mm']], ['vor %s', '%d Minuten'])
    const missing = await admin.open('/svc-admin/editor/post/999999')
    assert.is(missing.status, 404)
    const shown = await missing.text()
    assert.match(shown, '<html lang="de-DE">')
    assert.match(shown, 'Der Beitrag existiert nicht oder sein Typ wird vom Block-Editor nicht unterstützt.')
    const refused = await (await as(site, 'ann')).open('/svc-admin/editor/site')
    assert.is(refused.status, 403)
    assert.match(await refused.text(), 'Du darfst Templates und Stile nicht bearbeiten.')
  })

  pages.run()
}

async function as(site: SiteWithUsers, login: keyof UserIds): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

function dataIn(text: string): PageData {
  const [, json = ''] = /<script type="application\/json" id="editor-page">([^<]*)<\/script>/.exec(text) ?? []
  return JSON.parse(json) as PageData
}
