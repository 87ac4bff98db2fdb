import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { setTimeout } from 'node:timers/promises'
import { fieldsOf, formNonce, hiddenValue } from '../../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'

/** Milliseconds to wait for the other request. */
const PATIENCE = 5_000

type Fields = Readonly<Record<string, string>>

/** A form that two administrators have open, and their changes. */
interface Case {
  readonly label: string
  /** Path below the admin's URL. */
  readonly path: string
  readonly fields: Fields
  /** The field that both change. */
  readonly one: Fields
  readonly other: Fields
  /** A field that only the first changes, and a field that only the second changes. */
  readonly apart?: readonly [Fields, Fields]
  /** REST route that the form changes, or null. */
  readonly route: RegExp | null
  /** Returns the stored values. */
  readonly stored: () => Promise<Readonly<Record<string, unknown>>>
}

for (const { name, place } of databases) {
  const editors = suite(`simultaneous edits in the admin on ${name}`)

  const open = async () => {
    const site = await serveWithUsers(place)
    site.kernel.services.menus.registerLocation('top', 'At the top')
    const browsers = [browse(site), browse(site)] as const
    for (const browser of browsers) await browser.logIn('admin', 'pass phrase of admin')
    return { site, browsers, cases: await casesOf(site) }
  }

  editors('of the same field are reported, and no change is lost silently', async () => {
    const { site, browsers, cases } = await open()
    await using _ = site
    const unmet = meetingAtWrites(site, cases)
    for (const { label, path, fields, one, other, stored } of cases) {
      const [first, second] = await Promise.all([
        formOf(browsers[0], path, { ...fields, ...one }),
        formOf(browsers[1], path, { ...fields, ...other }),
      ])
      const answers = await Promise.all([first(), second()])
      const statuses = answers.map(({ status }) => status)
      const isDone = statuses.map((status) => status === 303)
      assert.is(isDone.filter(Boolean).length, 1, `${label}: ${statuses.join()}`)
      const conflictText = answers.find(({ status }) => status !== 303)!.text
      assert.match(conflictText, /omeone else (?:has )?(?:changed|saved)/, label)
      const expected = isDone[0] ? one : other
      const now = await stored()
      for (const [field, value] of Object.entries(expected)) assert.equal(now[field], value, `${label}: ${field}`)
    }
    assert.equal(unmet(), [])
  })

  editors('of different fields are both stored', async () => {
    const { site, browsers, cases } = await open()
    await using _ = site
    const unmet = meetingAtWrites(site, cases)
    for (const { label, path, fields, apart, stored } of cases) {
      if (apart === undefined) continue
      const [first, second] = await Promise.all([
        formOf(browsers[0], path, { ...fields, ...apart[0] }),
        formOf(browsers[1], path, { ...fields, ...apart[1] }),
      ])
      const answers = await Promise.all([first(), second()])
      assert.equal(
        answers.map(({ status }) => status),
        [303, 303],
        `${label}: ${answers.flatMap(({ text }) => text.match(/role="alert">[^<]*|class="error"[^<]*/g) ?? []).join()}`,
      )
      const now = await stored()
      for (const [field, value] of Object.entries({ ...apart[0], ...apart[1] }))
        assert.equal(now[field], value, `${label}: ${field}`)
    }
    assert.equal(
      unmet().filter((label) => label !== 'roles of a user' && label !== 'settings of a menu'),
      [],
    )
  })

  editors.run()
}

/**
 * Makes two requests to the same route wait for each other before they are handled, once per case.
 * @returns the cases whose requests have not met yet
 */
function meetingAtWrites(site: SiteWithUsers, cases: readonly Case[]): () => string[] {
  const waiting = new Map<Case, () => void>()
  const met = new Set<Case>()
  site.kernel.hooks.rest_request_before_callbacks.tapPromise('meet', async (response, _handler, { method, route }) => {
    const found = method === 'POST' ? cases.find((one) => one.route?.test(route) === true) : undefined
    if (found === undefined || met.has(found)) return response
    const other = waiting.get(found)
    if (other === undefined)
      await Promise.race([new Promise<void>((resolve) => waiting.set(found, resolve)), setTimeout(PATIENCE)])
    else {
      met.add(found)
      other()
    }
    return response
  })
  return () => cases.flatMap((one) => (one.route === null || met.has(one) ? [] : [one.label]))
}

/** Returns the values of a form, to submit later. */
async function formOf(browser: Browser, path: string, fields: Fields) {
  const page = await (await browser.open(`/svc-admin/${path}`)).text()
  const roles = page.slice(page.indexOf('id="roles"'))
  const own = fields['do'] === 'roles' ? { _svcnonce: formNonce(page), was: hiddenValue(roles, 'was') } : fieldsOf(page)
  return async () => {
    const response = await browser.send(`/svc-admin/${path}`, { ...own, ...fields })
    return { status: response.status, text: await response.text() }
  }
}

async function casesOf(site: SiteWithUsers): Promise<Case[]> {
  const idOf = async (path: string, body: unknown) =>
    ((await (await site.send('POST', `/svc/v2/${path}`, body, 'admin')).json()) as { id: number }).id
  const read = async (path: string) =>
    (await site.json(`/svc/v2/${path}`, site.by('admin'))) as Readonly<Record<string, unknown>>
  const term = await idOf('categories', { name: 'News', slug: 'news' })
  const comment = await idOf('comments', { post: 1, content: 'Well said.' })
  const menu = await idOf('menus', { name: 'Main' })
  const link = { title: 'Link', url: 'https://one.example/', menus: menu, status: 'publish' }
  const item = await idOf('menu-items', link)
  const { stylesheet } = await site.kernel.services.themes.active()
  const styles = await site.kernel.services.globalStyles.idOf(stylesheet)
  const { con, shy } = site.users
  return [
    {
      label: 'profile of a user',
      path: `users/${shy}`,
      route: new RegExp(`/users/${shy}$`),
      fields: {},
      one: { last_name: 'First' },
      other: { last_name: 'Second' },
      apart: [{ description: 'About me' }, { first_name: 'Shy' }],
      stored: () => read(`users/${shy}?context=edit`),
    },
    {
      label: 'account',
      path: 'account',
      route: /\/users\/me$/,
      fields: {},
      one: { last_name: 'First' },
      other: { last_name: 'Second' },
      apart: [{ description: 'About me' }, { first_name: 'Ad' }],
      stored: () => read('users/me?context=edit'),
    },
    {
      label: 'roles of a user',
      path: `users/${con}`,
      route: new RegExp(`/users/${con}$`),
      fields: { do: 'roles' },
      one: { 'roles[]': 'author' },
      other: { 'roles[]': 'editor' },
      stored: async () => ({ 'roles[]': String((await read(`users/${con}?context=edit`))['roles']) }),
    },
    {
      label: 'settings',
      path: 'settings',
      route: /\/settings$/,
      fields: {},
      one: { title: 'First' },
      other: { title: 'Second' },
      apart: [{ title: 'Third' }, { description: 'Fourth' }],
      stored: () => read('settings'),
    },
    {
      label: 'permalinks',
      path: 'settings/permalinks',
      route: null,
      fields: {},
      one: { category_base: 'one' },
      other: { category_base: 'other' },
      apart: [{ category_base: 'third' }, { tag_base: 'fourth' }],
      stored: () => site.kernel.services.options.many(['category_base', 'tag_base']),
    },
    {
      label: 'term',
      path: `terms/category/${term}`,
      route: new RegExp(`/categories/${term}$`),
      fields: {},
      one: { description: 'First' },
      other: { description: 'Second' },
      apart: [{ description: 'Third' }, { slug: 'the-news' }],
      stored: () => read(`categories/${term}?context=edit`),
    },
    {
      label: 'comment',
      path: `comments/${comment}`,
      route: new RegExp(`/comments/${comment}$`),
      fields: {},
      one: { author_name: 'First' },
      other: { author_name: 'Second' },
      apart: [{ author_name: 'Third' }, { author_url: 'https://other.example/' }],
      stored: () => read(`comments/${comment}?context=edit`),
    },
    {
      label: 'settings of a menu',
      path: `menus/${menu}`,
      route: new RegExp(`/menus/${menu}$`),
      fields: {},
      one: { name: 'First' },
      other: { name: 'Second' },
      stored: () => read(`menus/${menu}?context=edit`),
    },
    {
      label: 'item of a menu',
      path: `menus/${menu}`,
      route: new RegExp(`/menu-items/${item}$`),
      fields: {},
      one: { [`attr_title-${item}`]: 'First' },
      other: { [`attr_title-${item}`]: 'Second' },
      apart: [{ [`attr_title-${item}`]: 'Third' }, { [`description-${item}`]: 'Fourth' }],
      stored: async () => {
        const now = await read(`menu-items/${item}?context=edit`)
        return Object.fromEntries(Object.entries(now).map(([field, value]) => [`${field}-${item}`, value]))
      },
    },
    {
      label: 'appearance',
      path: 'appearance',
      route: /\/global-styles\/\d+$/,
      fields: {},
      one: { content_size: '600px' },
      other: { content_size: '700px' },
      apart: [{ content_size: '800px' }, { wide_size: '900px' }],
      stored: async () => {
        const { settings } = (await read(`global-styles/${styles}?context=edit`)) as {
          settings: { layout: { contentSize?: string; wideSize?: string } }
        }
        return { content_size: settings.layout.contentSize, wide_size: settings.layout.wideSize }
      },
    },
  ]
}
