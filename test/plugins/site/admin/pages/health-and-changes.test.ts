import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../../plugins/public.ts'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'
import { until } from '../../../../helpers/until.ts'

/** A job that fails with credentials in its message. */
const broken = definePlugin({
  name: 'broken',
  needs: ['jobs'],
  apply({ services }) {
    services.jobs.handle('broken/send', {
      retries: 0,
      run: () => {
        throw new Error('no answer from https://bob:secret@mail.example/')
      },
    })
  },
})

/** Titles in the list of changes, in order. */
const listed = async (browser: Browser, query = '') => {
  const text = await (await browser.open(`/svc-admin/changes${query}`)).text()
  const rows = [...text.slice(text.indexOf('<tbody>')).matchAll(/<tr>[^]*?<\/tr>/g)]
  return rows.map(([row]) =>
    row
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
}

const loggedIn = async (site: SiteWithUsers, login: string) => {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

for (const { name, place } of databases) {
  const pages = suite(`health and changes in the admin on ${name}`)

  pages('report versions, database, disk, jobs and their errors, without credentials', async () => {
    await using site = await serveWithUsers(place, { add: [broken] })
    const { jobs } = site.kernel.services
    await jobs.add('broken/send', null)
    await until(async () => (await jobs.list()).some(({ state }) => state === 'dead'))
    const admin = await loggedIn(site, 'admin')
    const text = await (await admin.open('/svc-admin/health')).text()
    const report = /<pre[^>]*>([^]*?)<\/pre>/.exec(text)![1]!
    for (const part of [
      `Node.js: ${process.version}`,
      /Version of the server: \d+\.\d+/,
      /Database: (SQLite|PostgreSQL) \d+\.\d/,
      'Plugins from the config: None',
      'Uploads: ',
      /Failed: 1\n/,
      'Error of broken/send: no answer from',
      'recommended: The site is not served over HTTPS',
      'Cache of responses: On, up to 67.1 MB per process',
    ])
      assert.match(report, part)
    assert.not.match(text, 'secret')
    assert.match(await (await admin.open('/svc-admin/')).text(), '>1 failed job</a>')
  })

  pages('list changes newest first, filtered by type, change and day, page by page', async () => {
    await using site = await serveWithUsers(place)
    const create = async (path: string, body: object) =>
      (await (await site.send('POST', `/svc/v2/${path}`, body, 'admin')).json()) as { id: number }
    const page = await create('pages', { title: 'Imprint & more', status: 'publish' })
    await site.send('POST', `/svc/v2/pages/${page.id}`, { content: 'Now with text.' }, 'ed')
    await create('tags', { name: 'Roses' })
    await site.send('POST', '/svc/v2/settings', { use_smilies: false, default_ping_status: 'closed' }, 'admin')
    const gone = await create('categories', { name: 'Weeds' })
    await site.request(`/svc/v2/categories/${gone.id}?force=true`, { method: 'DELETE', headers: site.by('admin') })

    const admin = await loggedIn(site, 'admin')
    const all = await listed(admin)
    assert.match(all[0]!, /^weeds Category Deleted/)
    assert.match(all[1]!, /^Weeds Category Created|^weeds Category Created|^#\d+ Category Created/)
    assert.match(all.slice(2, 4).join(), 'default_ping_status Setting')
    assert.match(all[4]!, /^Roses Tag Created/)
    const pageRows = await listed(admin, '?kind=post:page')
    assert.match(pageRows[0]!, /^Imprint &#38; more Page Updated ED Writer/)
    assert.ok(pageRows.every((row) => row.includes('Page')))
    assert.equal((await listed(admin, '?kind=term&change=delete')).length, 1)

    const day = new Date().toISOString().slice(0, 10)
    assert.equal(await listed(admin, `?after=${day}`), await listed(admin))
    assert.equal(await listed(admin, '?before=2001-01-01'), [])
    assert.equal(await listed(admin, '?after=2999-01-01'), [])

    // Follows the links to older changes.
    const paged: string[] = []
    let next = '?per_page=2'
    while (next !== '') {
      const rows = await listed(admin, next)
      paged.push(...rows)
      const text = await (await admin.open(`/svc-admin/changes${next}`)).text()
      const href = /href="([^"]+)" rel="next"/.exec(text)?.[1] ?? ''
      next = href.replaceAll('&#38;', '&').replace(/^[^?]*/, '')
    }
    assert.equal(paged, await listed(admin, '?per_page=100'))

    // Editors see only settings that visitors see, and authors cannot open the page.
    const ed = await loggedIn(site, 'ed')
    assert.match((await listed(ed, '?kind=option')).join('\n'), /^use_smilies Setting \w+ – [^\n]+$/)
    assert.is((await (await loggedIn(site, 'ann')).open('/svc-admin/changes')).status, 403)
    assert.is((await ed.open('/svc-admin/health')).status, 403)
  })

  pages.run()
}
