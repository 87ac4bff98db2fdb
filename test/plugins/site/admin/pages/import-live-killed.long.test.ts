import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { branding } from '../../../../../plugins/library/branding/index.ts'
import { sendForm } from '../../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { holdSite } from '../../../../helpers/held-site.ts'
import { differencesOf, filesOf, PASSWORD, serveOldSite } from '../../../../helpers/moved-site.ts'
import { databases } from '../../../../helpers/site-with-users.ts'
import type { Place } from '../../../../helpers/stores.ts'
import { run } from '../../../../helpers/svc-serve.ts'
import { until } from '../../../../helpers/until.ts'

const path = '/svc-admin/import'
const POSTS = 400
const FILES = filesOf({ outgoing: { allow: ['127.0.0.1:*'] }, jobs: { lease: 1 } })

for (const { name, place } of databases) {
  const test = suite(`live imports of the admin whose server ends: ${name}`)

  test('continue with the password after a kill in each phase, and bring every row once', async () => {
    await using old = await serveOldSite(POSTS)
    await using proxy = await holdSite(old)
    await using herePlace = await place()
    await using here = await NewSite.start(herePlace)
    const form = { live_url: proxy.url, live_user: 'mover', live_download: '1', revisions: '1', compare: 'all' }
    const resume = { do: 'resume', live_password: PASSWORD }

    const posts = proxy.hold(/\/posts\?.*offset=2\d\d/)
    await here.send({ ...form, do: 'live', live_password: PASSWORD })
    await posts.reached
    await here.restart('SIGKILL')
    posts.release()
    assert.match(await here.page(), 'The import was interrupted because the server stopped.')
    assert.match(await here.page(), 'Enter it again to continue as mover.')
    const { response } = await sendForm(here.admin, path, { do: 'resume' })
    assert.is(response.status, 400)

    await here.send(resume)
    await until(() => here.hasRead())
    await here.restart('SIGKILL')

    const files = proxy.hold(/\.jpg$/)
    await here.send(resume)
    await files.reached
    await here.restart('SIGKILL')
    files.release()

    await here.send(resume)
    const { status, text } = await here.ended()
    assert.is(status, 'done', text)
    const firstPages = proxy.requests.filter((url) => /\/posts\?.*offset=0&/.test(url))
    assert.is(firstPages.length, 1)
    const page = await here.page()
    assert.match(page, 'Comparison of both sites')
    assert.not.match(page, 'Unexplained:')
    const [owner = '', ...others] = await differencesOf(old, herePlace, here.homes)
    assert.match(owner, /^no user \d+ → .*"login":"admin"/)
    assert.equal(others, [])
  })

  test('continue without the user if they need no password, after a stop and after a kill', async () => {
    await using old = await serveOldSite(POSTS)
    await using proxy = await holdSite(old)
    await using herePlace = await place()
    await using here = await NewSite.start(herePlace)
    const posts = proxy.hold(/\/posts\?.*offset=2\d\d/)
    await here.send({ do: 'live', live_url: proxy.url, live_download: '1', compare: 'all' })
    await posts.reached
    await here.restart('SIGTERM')
    posts.release()

    const files = proxy.hold(/\.jpg$/)
    await files.reached
    await here.restart('SIGKILL')
    files.release()
    const { status, text } = await here.ended()
    assert.is(status, 'done', text)
    assert.not.match(await here.page(), 'Unexplained:')
    for (const route of ['posts', 'pages', 'recipes', 'media', 'comments', 'categories', 'tags', 'courses']) {
      assert.equal(await listed(here.home, route), await listed(old.home, route), route)
    }
  })

  test.run()
}

/** A new site that `svc-serve` serves, with the browser of its administrator. */
class NewSite implements AsyncDisposable {
  admin!: Browser
  home = ''
  readonly homes: string[] = []
  readonly #place: Place
  readonly #folder: AsyncDisposable & { path: string }
  #server!: Awaited<ReturnType<typeof run>>
  #password = ''

  private constructor(place: Place, folder: AsyncDisposable & { path: string }) {
    this.#place = place
    this.#folder = folder
  }

  static async start(place: Place): Promise<NewSite> {
    const site = new NewSite(place, await mkdtempDisposable(join(tmpdir(), 'svc-import-killed-')))
    await site.#start()
    return site
  }

  async #start(): Promise<void> {
    this.#server = await run(['--database', this.#place.url, '--port', '0'], FILES, {}, this.#folder.path)
    if (this.#password === '') this.#password = (await this.#server.printed(/Password {3}(\S+)/))[1]!
    this.home = await this.#server.home()
    this.homes.push(this.home)
    this.admin = browse({ home: this.home, kernel: { branding: branding('svc') } as never })
    assert.is((await this.admin.logIn('admin', this.#password)).status, 302)
  }

  /** Ends the server, and starts it again. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    this.#server.kill(signal)
    await this.#server.end()
    await this.#server[Symbol.asyncDispose]()
    await this.#start()
  }

  /** Sends the form that starts or continues an import. */
  async send(form: Readonly<Record<string, string>>): Promise<void> {
    const { response, text } = await sendForm(this.admin, path, form)
    assert.is(response.status, 303, text)
  }

  async page(): Promise<string> {
    return (await this.admin.open(path)).text()
  }

  /** Waits until the import has ended, also if it first has to be continued by a job. */
  async ended(): Promise<{ status: string; text: string }> {
    let state = { status: '', text: '' }
    await until(async () => {
      state = (await (await this.admin.open(`${path}?format=json`)).json()) as typeof state
      return state.status !== 'running' && state.status !== 'unfinished'
    })
    return state
  }

  /** Whether the import has read everything and begins to store it. */
  async hasRead(): Promise<boolean> {
    const files = await readdir(join(this.#folder.path, 'data/uploads/.imports'), { recursive: true })
    return files.some((file) => file.endsWith('read.json'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
    await this.#folder[Symbol.asyncDispose]()
  }
}

/** All objects of a route, by ID. */
async function listed(home: string, route: string): Promise<string[]> {
  const objects: string[] = []
  for (let page = 1; ; page += 1) {
    const url = `${home}/svc-json/svc/v2/${route}?per_page=100&page=${page}&orderby=id&order=asc&_fields=id,slug,post`
    const response = await fetch(url)
    assert.is(response.status, 200, url)
    const found = (await response.json()) as { id: number; slug?: string; post?: number }[]
    objects.push(...found.map(({ id, slug, post }) => `${id} ${slug ?? ''} ${post ?? ''}`))
    if (found.length < 100) return objects
  }
}
