import { cp } from 'node:fs/promises'
import path from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers } from '../../helpers/site-with-users.ts'
import { themeFolder, type ThemeFolder } from '../../helpers/theme-folder.ts'

const FILES = {
  'theme.json': JSON.stringify({
    version: 3,
    customTemplates: [{ name: 'wide', title: 'Wide', postTypes: ['page'] }],
    templateParts: [{ name: 'header', title: 'Top', area: 'header' }],
  }),
  'templates/page.html': 'page',
  'templates/single.html': 'single',
  'templates/wide.html': 'wide',
  'parts/header.html': 'top',
}

for (const { name, place } of databases) {
  const templates = suite(`templates, ${name}`)

  const serveTheme = async ({ folder }: ThemeFolder) => {
    const site = await serveWithUsers(place, { plugins: { themes: { folder, recheck: 0 } } })
    await site.kernel.services.options.set('theme', { stylesheet: 'plain' })
    const send = async (
      method: string,
      path: string,
      body: unknown = {},
      login: 'admin' | 'ed' | 'con' | 'sub' = 'admin',
    ) => {
      const response = await site.send(method, `/svc/v2/${path}`, body, login)
      // oxlint-disable-next-line typescript/no-explicit-any -- bodies of several shapes
      return { status: response.status, body: (await response.json()) as any }
    }
    return { site, send }
  }

  templates(
    'have a route for any ID: without a slash the template is missing, for users who may read templates',
    async () => {
      await using theme = await themeFolder(FILES)
      const { site, send } = await serveTheme(theme)
      await using _ = site
      for (const base of ['templates', 'template-parts'])
        for (const id of ['nothing', 'plain//nothing', 'plain/nothing', 'nothing//page'])
          for (const method of ['GET', 'PUT', 'DELETE']) {
            const found = await send(method, `${base}/${id}`)
            assert.equal([found.status, found.body.code], [404, 'rest_template_not_found'], `${method} ${base}/${id}`)
            const refused = await send(method, `${base}/${id}`, {}, 'sub')
            assert.equal([refused.status, refused.body.code], [403, 'rest_cannot_manage_templates'])
          }
      const lookup = await send('GET', 'templates/lookup?slug=page')
      assert.is(lookup.body.id, 'plain//page')
    },
  )

  templates('of the theme can be edited, restored and compared by revision', async () => {
    await using theme = await themeFolder(FILES)
    const { site, send } = await serveTheme(theme)
    await using _ = site
    const index = await send('GET', 'templates/plain//index')
    assert.is(index.body.content.raw, '<!-- wp:template-part {"slug":"header","theme":"plain"} /-->\n')
    assert.is(index.body.svc_id, 0)

    const changed = await send('PUT', 'templates/plain//page', { content: 'mine' })
    assert.equal([changed.status, changed.body.source, changed.body.origin], [200, 'custom', 'theme'])
    assert.is(changed.body.title.raw, 'Pages')
    const again = await send('PUT', 'templates/plain//page', { content: 'mine again', title: 'My pages' })
    assert.is(again.body.svc_id, changed.body.svc_id)
    const revisions = await send('GET', 'templates/plain%2F%2Fpage/revisions')
    assert.equal(
      revisions.body.map((one: { parent: number }) => one.parent),
      [changed.body.svc_id],
    )
    const revision = revisions.body[0].svc_id as number
    assert.is((await send('GET', `templates/plain//page/revisions/${revision}`)).body.content.raw, 'mine again')
    for (const [method, path, status, code] of [
      ['GET', 'plain//single/revisions', 400, 'rest_invalid_template'],
      ['GET', 'plain//single/autosaves', 400, 'rest_invalid_template'],
      ['POST', 'plain//single/autosaves', 400, 'rest_invalid_template'],
      ['GET', 'plain//none/autosaves', 404, 'rest_post_invalid_parent'],
      ['GET', 'plain//page/autosaves/99999999', 404, 'rest_post_no_autosave'],
      ['GET', `plain//page/autosaves/${revision}`, 404, 'rest_post_no_autosave'],
      ['GET', 'plain//page/revisions/99999999', 404, 'rest_post_invalid_id'],
      ['DELETE', 'plain//page/revisions/99999999', 404, 'rest_post_invalid_id'],
    ] as const) {
      const refused = await send(method, `templates/${path}`)
      assert.equal([refused.status, refused.body.code], [status, code], `${method} ${path}`)
    }

    const reset = await send('PUT', 'templates/plain//page', { source: 'theme' })
    assert.equal([reset.body.source, reset.body.content.raw], ['theme', 'page'])
    await send('PUT', 'templates/plain//page', { content: 'mine' })
    assert.is((await send('DELETE', 'templates/plain//page?force=true')).body.deleted, true)
    assert.is((await send('DELETE', 'templates/plain//page?force=true')).body.code, 'rest_invalid_template')
    assert.is((await send('GET', 'templates/plain//page')).body.content.raw, 'page')
  })

  templates('are looked up by the template hierarchy, and listed by content type', async () => {
    await using theme = await themeFolder(FILES)
    const { site, send } = await serveTheme(theme)
    await using _ = site
    await send('POST', 'templates', { slug: 'single-post-hello', content: 'only for one' })
    const found = async (query: string) => (await send('GET', `templates/lookup?${query}`)).body.slug as string
    assert.equal(
      await Promise.all(
        [
          'slug=single-post-hello',
          'slug=single-post-hello-world',
          'slug=page-x',
          'slug=tag-y',
          'slug=x&is_custom=true',
        ].map(found),
      ),
      ['single-post-hello', 'single', 'page', 'index', 'page'],
    )
    const chosen = (await send('GET', 'templates?post_type=page')).body as { slug: string }[]
    assert.equal(
      chosen.map(({ slug }) => slug),
      ['single-post-hello', 'wide'],
    )
  })

  templates('get numbered slugs for duplicates, and are separate for each theme', async () => {
    await using theme = await themeFolder(FILES)
    await theme.write('../other/style.css', '/* Theme Name: Other */')
    await theme.write('../other/templates/page.html', 'other')
    const { site, send } = await serveTheme(theme)
    await using _ = site
    assert.is((await send('POST', 'templates', { slug: 'news', content: 'n' })).body.id, 'plain//news')
    assert.is((await send('POST', 'templates', { slug: 'news', content: 'n' })).body.id, 'plain//news-2')
    assert.is(
      (await send('POST', 'templates', { slug: 'x', theme: 'other', content: 'x' })).body.code,
      'rest_template_insert_error',
    )
    await send('PUT', 'templates/plain//page', { content: 'mine' })
    await site.kernel.services.themes.activate('other')
    const page = await send('PUT', 'templates/other//page', { content: 'of the other' })
    assert.is(page.body.id, 'other//page')
    assert.is((await send('GET', 'templates/plain//page')).body.code, 'rest_template_not_found')
    assert.is((await send('GET', 'templates')).body.length, 1)
  })

  templates('parts are listed by area, and keep their title and area when edited', async () => {
    await using theme = await themeFolder(FILES)
    const { site, send } = await serveTheme(theme)
    await using _ = site
    await send('POST', 'template-parts', { slug: 'end', area: 'footer', content: 'end' })
    assert.is((await send('GET', 'template-parts?area=footer')).body[0].slug, 'end')
    assert.is((await send('PUT', 'template-parts/plain//end', { area: 'header' })).body.area, 'header')
    const changed = await send('PUT', 'template-parts/plain//header', { content: 'other' })
    assert.equal([changed.body.area, changed.body.title.raw], ['header', 'Top'])
    const part = await site.kernel.services.templates.get('plain//header', 'template_part')
    assert.is(part?.content, 'other')
  })

  templates('are writable for users who can edit the theme, and readable for users who can edit posts', async () => {
    await using theme = await themeFolder(FILES)
    const { site, send } = await serveTheme(theme)
    await using _ = site
    await send('PUT', 'templates/plain//page', { content: 'mine' })
    for (const [method, path, body] of [
      ['POST', 'templates', { slug: 'x' }],
      ['PUT', 'templates/plain//page', { content: 'x' }],
      ['PUT', 'templates/plain//page', { source: 'theme' }],
      ['DELETE', 'templates/plain//page?force=true', {}],
      ['POST', 'template-parts', { slug: 'x' }],
    ] as const) {
      assert.is((await send(method, path, body, 'ed')).body.code, 'rest_cannot_manage_templates', `${method} ${path}`)
      assert.is((await site.send(method, `/svc/v2/${path}`, body)).status, 401)
    }
    for (const path of ['templates', 'templates/plain//page', 'templates/lookup?slug=page', 'template-parts']) {
      assert.is((await send('GET', path, {}, 'con')).status, 200, path)
      assert.is((await send('GET', path, {}, 'sub')).status, 403, path)
    }
    for (const path of ['templates/plain//page/revisions', 'templates/plain//page/autosaves'])
      assert.is((await send('GET', path, {}, 'ed')).body.code, 'rest_cannot_read', path)
    await send('PUT', 'templates/plain//page', { content: 'mine again' })
    const revision = (await send('GET', 'templates/plain//page/revisions')).body[0].svc_id as number
    for (const id of [revision, 99_999]) {
      const path = `templates/plain//page/revisions/${id}`
      assert.is((await send('DELETE', path, { force: true }, 'ed')).body.code, 'rest_cannot_delete', path)
      assert.is((await site.send('DELETE', `/svc/v2/${path}`, { force: true })).status, 401, path)
    }
    for (const template of ['page', 'single', 'none']) {
      const refused = await send('POST', `templates/plain//${template}/autosaves`, { content: 'x' }, 'ed')
      assert.equal([refused.status, refused.body.code], [403, 'rest_cannot_manage_templates'], template)
    }
    assert.is((await send('POST', 'templates/plain//page/autosaves', { content: 'x' })).body.parent > 0, true)
    assert.is((await send('POST', 'templates', { slug: '' })).status, 400)
    assert.is((await send('POST', 'templates', { slug: 'x', author: 99_999 })).body.code, 'rest_invalid_author')
  })

  templates('are stored exactly once by concurrent requests', async () => {
    await using theme = await themeFolder(FILES)
    const { site, send } = await serveTheme(theme)
    await using _ = site
    const times = <T>(of: () => Promise<T>) => Promise.all(Array.from({ length: 6 }, of))
    const created = await times(() => send('POST', 'templates', { slug: 'news', content: 'n' }))
    assert.is(new Set(created.map(({ body }) => body.id as string)).size, 6)
    const edited = await times(() => send('PUT', 'templates/plain//page', { content: 'mine' }))
    assert.is(new Set(edited.map(({ body }) => body.svc_id as number)).size, 1)
    await send('DELETE', 'templates/plain//page?force=true')
    assert.is((await send('GET', 'templates/plain//page')).body.source, 'theme')
  })

  templates('are listed with a constant number of statements', async () => {
    await using theme = await themeFolder(FILES)
    const { site, send } = await serveTheme(theme)
    await using _ = site
    const add = (slug: string) => send('POST', 'template-parts', { slug, content: 'x' })
    const statements = () => site.statements(() => send('GET', 'template-parts?context=edit'))
    await add('one')
    await add('another')
    const baseline = await statements()
    for (let number = 0; number < 5; number++) await add(`part-${number}`)
    assert.is((await statements()).length, baseline.length)
  })

  templates(
    'and styles are stored once for a theme with capitals and repeated hyphens, apart from a theme with its slug',
    async () => {
      await using theme = await themeFolder(FILES)
      const { site, send } = await serveTheme(theme)
      await using _ = site
      const { globalStyles, options } = site.kernel.services
      const shown: unknown[] = []
      for (const stylesheet of ['My--Theme', 'my-theme']) {
        await cp(path.join(theme.folder, 'plain'), path.join(theme.folder, stylesheet), { recursive: true })
        await options.set('theme', { stylesheet })
        for (const text of ['first', `of ${stylesheet}`]) {
          const saved = await send('PUT', `templates/${stylesheet}//page`, { content: text })
          assert.is(saved.status, 200, JSON.stringify(saved.body))
          const part = await send('PUT', `template-parts/${stylesheet}//header`, { content: text })
          assert.is(part.body.area, 'header')
        }
        const id = await globalStyles.idOf(stylesheet)
        const styles = { color: { text: stylesheet === 'my-theme' ? '#111111' : '#222222' } }
        assert.is((await send('PUT', `global-styles/${id}`, { styles })).status, 200)
      }
      for (const stylesheet of ['My--Theme', 'my-theme']) {
        await options.set('theme', { stylesheet })
        const page = await send('GET', `templates/${stylesheet}//page?context=edit`)
        const styles = await send('GET', `global-styles/${await globalStyles.idOf(stylesheet)}?context=edit`)
        shown.push([page.body.source, page.body.content.raw, styles.body.styles.color.text])
      }
      assert.equal(shown, [
        ['custom', 'of My--Theme', '#222222'],
        ['custom', 'of my-theme', '#111111'],
      ])
    },
  )

  templates.run()
}
