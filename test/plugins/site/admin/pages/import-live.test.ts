import { readdir, readFile, mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ImportState, LiveReport } from '../../../../../plugins/operations/importer/index.ts'
import { sendForm } from '../../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { stopClock } from '../../../../helpers/clock.ts'
import { holdSite } from '../../../../helpers/held-site.ts'
import type { Site } from '../../../../helpers/site.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'
import { until } from '../../../../helpers/until.ts'
import { englishTexts } from './report-texts.ts'
import { MOVER, serveGarden, writeRose } from '../../../operations/importer/live/old-site.ts'

const path = '/svc-admin/import'
const OPTIONS = { revisions: '1', live_download: '1', compare: 'all' }

for (const { name, place } of databases) {
  const pages = suite(`live sites on the import page of the admin: ${name}`)

  pages('checks a live site, imports it in the background, and shows report and comparison', async () => {
    await using old = await serveGarden()
    await using here = await open(place)
    const { site, admin } = here
    const form = { live_url: old.home, live_user: MOVER.user, live_password: MOVER.password, ...OPTIONS }
    const probed = await sendForm(admin, path, { ...form, do: 'probe' })
    assert.is(probed.response.status, 200)
    assert.match(probed.text, 'Content that can be imported')
    assert.match(probed.text, 'passwords of users: the REST API does not contain them')
    assert.match(probed.text, 'value="live"')
    assert.is(await site.kernel.services.importRuns.state(), null)
    assert.is((await sendForm(admin, path, { ...form, do: 'live' })).response.status, 303)
    const state = await ended(site)
    assert.is(state.status, 'done', state.error)
    const { comparison } = state.report as LiveReport
    const route = comparison!.routes.find((one) => one.route === '/svc/v2/pages')!
    assert.equal([route.old, route.compared], [2, 2])
    const page = await (await admin.open(path)).text()
    assert.match(page, 'Import complete.')
    assert.match(page, 'Comparison of both sites')
    assert.not.match(page, 'Unexplained:')
    assert.match(page, '/svc/v2/pages')
    assert.is((await site.json('/svc/v2/pages?slug=tools')).length, 1)
    assert.is((await site.send('POST', '/svc/v2/settings', { language: 'de_DE' }, 'admin')).status, 200)
    const visitor = await sendForm(admin, path, { live_url: old.home, do: 'probe' })
    assert.match(visitor.text, 'erfordert einen Benutzer: fülle „Benutzername auf der alten Website“ aus')
    for (const text of [visitor.text, await (await admin.open(path)).text()]) {
      // The messages of the old site are in its language.
      assert.equal(englishTexts(text.replaceAll(/\(Status \d+: [^()]*\)/g, '')), [])
    }
    const password = MOVER.password.replaceAll(' ', '')
    for (const text of [probed.text, page]) assert.not.match(text.replaceAll(' ', ''), password)
    for (const text of await textsIn(here.uploads)) assert.not.match(text.replaceAll(' ', ''), password)
  })

  pages(
    'shows the phase, the rate and the time left, and can be cancelled and continued with the password',
    async () => {
      await using old = await serveGarden()
      await using proxy = await holdSite(old)
      const held = proxy.hold(/\/comments\?.*per_page=100/)
      await using here = await open(place)
      const { site, admin } = here
      const form = { live_url: proxy.url, live_user: MOVER.user, live_password: MOVER.password, ...OPTIONS }
      await sendForm(admin, path, { ...form, do: 'live' })
      await Promise.race([
        held.reached,
        ended(site).then((state) => {
          throw new Error(JSON.stringify(state))
        }),
      ])
      const polled = async () => (await (await admin.open(`${path}?format=json`)).json()) as { text: string }
      await until(async () =>
        /^Reading the old site: \d+ of \d+ \(\d+ per second, \d+ s left\)$/.test((await polled()).text),
      )
      const running = await (await admin.open(path)).text()
      assert.match(running, 'Cancel import')
      assert.not.match(running, 'live_url')
      assert.is((await sendForm(admin, path, { ...form, do: 'live' })).response.status, 409)
      const jobs = await site.kernel.services.jobs.list({ name: 'import-live' })
      assert.is(jobs.length, 1)
      assert.not.match(JSON.stringify(jobs), MOVER.password)
      assert.is((await sendForm(admin, path, { do: 'cancel' })).response.status, 303)
      const cancelled = await ended(site)
      assert.is(cancelled.status, 'cancelled')
      // The job ends after the import.
      await until(async () => (await site.kernel.services.jobs.list({ name: 'import-live' })).length === 0)
      assert.is((await site.json('/svc/v2/pages?slug=tools')).length, 0)
      held.release()
      const page = await (await admin.open(path)).text()
      assert.match(page, `Enter it again to continue as ${MOVER.user}.`)
      const missing = await sendForm(admin, path, { do: 'resume' })
      assert.is(missing.response.status, 400)
      assert.match(missing.text, `The application password of ${MOVER.user} is missing.`)
      const before = proxy.requests.filter((url) => /\/pages\?.*per_page=100/.test(url)).length
      assert.is((await sendForm(admin, path, { do: 'resume', live_password: MOVER.password })).response.status, 303)
      const state = await ended(site)
      assert.is(state.status, 'done', state.error)
      // The pages were already read.
      assert.is(proxy.requests.filter((url) => /\/pages\?.*per_page=100/.test(url)).length, before)
      assert.is((await site.json('/svc/v2/pages?slug=tools')).length, 1)
    },
  )

  pages('explains refused sites and passwords, and sends requests only to allowed hosts', async () => {
    await using old = await serveGarden()
    await using here = await open(place)
    const { admin, site } = here
    const refusedWith = async (form: Record<string, string>) => {
      const { response, text } = await sendForm(admin, path, { do: 'probe', ...form })
      assert.is(response.status, 400)
      return /class="field-error"[^>]*>([^<]*)</.exec(text)?.[1] ?? ''
    }
    assert.match(await refusedWith({ live_url: 'http://10.1.2.3' }), /cannot be reached: Requests to 10\.1\.2\.3/)
    assert.match(await refusedWith({ live_url: 'ftp://old.test' }), /is not the URL of a site|cannot be reached/)
    const wrong = { live_url: old.home, live_user: MOVER.user, live_password: 'wrong secret' }
    const login = await refusedWith(wrong)
    assert.match(login, /does not accept the application password of mover/)
    assert.not.match(login, 'wrong secret')
    await sendForm(admin, path, { ...wrong, do: 'live' })
    const state = await ended(site)
    assert.is(state.status, 'failed')
    assert.match(state.error!, /does not accept the application password/)
    const [editor] = [browse(site)]
    await editor.logIn('ed', 'pass phrase of ed')
    assert.is((await sendForm(editor, path, { ...wrong, do: 'live' })).response.status, 403)
  })

  pages('ends a check in which the old site is too slow, and offers to start the import without it', async () => {
    await using old = await serveGarden()
    await using proxy = await holdSite(old)
    await using here = await open(place)
    const { admin, site } = here
    const form = { live_url: proxy.url, live_user: MOVER.user, live_password: MOVER.password, ...OPTIONS }
    using clock = stopClock('plugins/site/admin/pages/import')
    // The first request of a check, the index of the API, and a list.
    for (const paths of [/^\/$/, /^\/svc-json\/$/, /\/comments\?/]) {
      const held = proxy.hold(paths)
      const sent = sendForm(admin, path, { ...form, do: 'probe' })
      await held.reached
      clock.advance(24_000)
      const { response, text } = await sent
      held.release()
      assert.is(response.status, 400, paths.source)
      assert.match(text, /class="field-error"[^>]*>The old site did not answer all requests of the check within 24 s\./)
      assert.match(text, 'value="live"')
    }
    assert.is(await site.kernel.services.importRuns.state(), null)
    assert.is((await sendForm(admin, path, { ...form, do: 'live' })).response.status, 303)
    assert.is((await ended(site)).status, 'done')
  })

  pages(
    'reports a cancelled download as cancelled, keeps the content, and continues with the missing files',
    async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-import-old-'))
      await using old = await serveGarden({ uploads: folder.path })
      await writeRose(folder.path)
      await using proxy = await holdSite(old)
      await using here = await open(place)
      const { site, admin } = here
      const held = proxy.hold(/rose.*\.jpg$/)
      const form = { live_url: proxy.url, live_user: MOVER.user, live_password: MOVER.password, ...OPTIONS }
      await sendForm(admin, path, { ...form, do: 'live' })
      await held.reached
      const polled = async () => (await (await admin.open(`${path}?format=json`)).json()) as { text: string }
      await until(async () => /^Downloading media files: \d+ of \d+/.test((await polled()).text))
      await sendForm(admin, path, { do: 'cancel' })
      assert.is((await ended(site)).status, 'cancelled')
      held.release()
      const text = 'Import cancelled after the content was imported.'
      assert.match((await polled()).text, text)
      assert.match(await (await admin.open(path)).text(), text)
      const [media] = await site.json('/svc/v2/media?search=rose')
      assert.is((await site.request(media.source_url)).status, 404)
      await sendForm(admin, path, { do: 'resume', live_password: MOVER.password })
      const state = await ended(site)
      assert.is(state.status, 'done', state.error)
      assert.is((await site.json('/svc/v2/media?search=rose')).length, 1)
      assert.is((await site.request(media.source_url)).status, 200)
    },
  )

  pages.run()
}

interface Opened extends AsyncDisposable {
  site: SiteWithUsers
  admin: Browser
  uploads: string
}

const PLUGINS = { outgoing: { allow: ['127.0.0.1:*'] } }

async function open(place: (typeof databases)[number]['place']): Promise<Opened> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'svc-import-live-'))
  const uploads = join(folder.path, 'uploads')
  const site = await serveWithUsers(place, { uploads, plugins: PLUGINS })
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  return {
    site,
    admin,
    uploads,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await folder.remove()
    },
  }
}

async function ended({ kernel }: Site): Promise<ImportState> {
  let state: ImportState | null = null
  await until(async () => {
    state = await kernel.services.importRuns.state()
    return state !== null && state.status !== 'running'
  })
  return state!
}

async function textsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), 'latin1')),
  )
}
