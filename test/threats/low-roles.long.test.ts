import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'
import { EventClient } from '../helpers/event-source.ts'
import { until } from '../helpers/until.ts'
import { add, requestAs, LOGINS, V2 } from './request-as.ts'
import { pathsOf } from './paths.ts'

/** Options that responses show to users who cannot manage the site: texts of pages and date formats. */
const SHOWN = new Set(['title', 'description', 'date_format', 'time_format'])
/** Options that allow only certain values. */
const CHECKED = new Set(['timezone', 'language', 'theme', 'permalink', 'show_on_front', 'default_role', 'sticky_posts'])

/** Stores a text that is found again in each option: of settings, of plugins, of what no plugin knows. */
async function hideTexts(site: SiteWithUsers): Promise<Map<string, string>> {
  const { options, settings } = site.kernel.services
  const texts = new Map<string, string>()
  const names = settings
    .all()
    .flatMap(({ name, type, read }) => (type === 'string' && read === undefined ? [name] : []))
  for (const name of [...names, 'api_secret', 'smtp_password', 'svc_salt', 'mail_from', 'admin_notes']) {
    if (CHECKED.has(name)) continue
    const text = `canary${texts.size}x${name.replaceAll('_', '')}`
    texts.set(name, text)
    await options.set(name, name === 'email' ? `${text}@mail.example` : text)
  }
  return texts
}

for (const { name, place } of databases) {
  const roles = suite(`routes and streams on ${name}`)

  roles('S51: show only the listed options to users who cannot manage the site', async () => {
    await using site = await serveWithUsers(place)
    const texts = await hideTexts(site)
    assert.ok(texts.size > 8)
    const post = await add(site, {
      title: 'One',
      content: '<!-- wp:site-title /--><!-- wp:post-date /-->',
      status: 'publish',
    })
    const paths = new Set(await pathsOf(site, [post, 1]))
    const pages = [
      '/',
      '/feed/',
      '/comments/feed/',
      '/robots.txt',
      '/svc-login',
      '/sitemap.xml',
      '/?s=one',
      '/svc-admin/',
      '/svc-admin/settings',
    ]
    const leaks: string[] = []
    let read = 0
    for (const login of LOGINS.filter((one) => one !== 'admin')) {
      for (const path of [...paths].flatMap((one) => [one, `${one}?context=edit`, `${one}?_embed`])) {
        const { status, text, headers } = await requestAs(site, login, 'GET', path)
        read += status === 200 ? 1 : 0
        const whole = `${text} ${JSON.stringify([...headers])}`
        for (const [option, canary] of texts)
          if (!SHOWN.has(option) && whole.includes(canary)) leaks.push(`${option} by ${login}: ${path}`)
      }
      for (const path of pages) {
        const headers = login === 'visitor' ? {} : site.by(login)
        const text = await (await fetch(`${site.listening}${path}`, { headers })).text()
        for (const [option, canary] of texts)
          if (!SHOWN.has(option) && text.includes(canary)) leaks.push(`${option} by ${login}: ${path}`)
      }
      const { status } = await requestAs(site, login, 'GET', `${V2}/settings`)
      assert.is(status, login === 'visitor' ? 401 : 403, login)
      const written = await requestAs(site, login, 'POST', `${V2}/settings`, { title: 'Mine', api_secret: 'x' })
      assert.is(written.status, login === 'visitor' ? 401 : 403, login)
    }
    assert.ok(read > 100, `${read} responses were read`)
    assert.equal(leaks, [])
    // What the administrator reads of settings is a list, too: no option that is not a setting of the REST API.
    const { text } = await requestAs(site, 'admin', 'GET', `${V2}/settings`)
    const shown = site.kernel.services.settings.shown().map(({ setting }) => setting.name)
    for (const [option, canary] of texts) if (text.includes(canary)) assert.ok(shown.includes(option), option)
    assert.ok(text.includes(texts.get('title')!))
  })

  roles('S52: have the same CORS headers, and ignore sessions without a nonce', async () => {
    const listed = 'https://front.example'
    await using site = await serveWithUsers(place, {
      plugins: { cors: { origins: [listed] }, 'change-feed': { heartbeat: 0.05 } },
    })
    const { services } = site.kernel
    const { token } = await services.sessions.create(site.users.admin, { ip: '127.0.0.1', agent: 'test' })
    const cookie = `${services.sessionCookie.name}=${token}`
    // Every route of the index that answers with a stream when asked to.
    const paths = [...new Set(await pathsOf(site, [1])), '/svc/v2/changes']
    const streams: string[] = []
    const allowed = ({ headers }: { headers: Headers | Record<string, unknown> }) =>
      headers instanceof Headers ? headers.get('access-control-allow-origin') : headers['access-control-allow-origin']
    for (const path of paths) {
      const ended = new AbortController()
      const response = await fetch(`${site.listening}/svc-json${path}`, {
        headers: { accept: 'text/event-stream', origin: 'https://evil.example' },
        signal: ended.signal,
      })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      if (isStream) streams.push(path)
      assert.is(allowed(response), null, path)
      ended.abort()
    }
    assert.equal(streams, ['/svc/v2/changes'])
    for (const path of streams) {
      const url = `${site.home}/svc-json${path}`
      for (const origin of [
        'https://evil.example',
        'null',
        'https://front.example.evil.example',
        'http://front.example',
        listed,
      ]) {
        using client = new EventClient(() => url, { headers: { origin } })
        await until(() => client.response !== null)
        const plain = await fetch(url, { headers: { origin, accept: 'application/json' } })
        assert.is(allowed(client.response!) ?? null, origin === listed ? listed : null, origin)
        assert.is(allowed(client.response!) ?? null, allowed(plain), origin)
        await plain.body?.cancel()
      }
      // A page of another site that opens a stream with the cookies of a manager sees what a visitor sees.
      using forged = new EventClient(() => url, { headers: { origin: listed, cookie } })
      using visitor = new EventClient(() => url)
      await until(() => forged.of('ready').length > 0 && visitor.of('ready').length > 0)
      await services.options.set('api_secret', 'x')
      await requestAs(site, 'admin', 'POST', `${V2}/posts`, { title: 'Draft' })
      await requestAs(site, 'admin', 'POST', `${V2}/posts`, { title: 'Shown', status: 'publish' })
      await until(() => forged.changes.length > 0 && forged.changes.length === visitor.changes.length)
      assert.equal(forged.changes, visitor.changes)
      assert.not.match(JSON.stringify(forged.changes), /api_secret|draft/)
    }
  })

  roles.run()
}
