import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import { EventClient } from '../../../helpers/event-source.ts'
import { databases, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'
import { hooked, type HookedOptions } from '../webhooks/hooks.ts'

/** A tag touched at the end, so that all receivers are known to have processed every earlier change. */
const MARK = 'mark:1'

const places = definePlugin({
  name: 'two-places',
  needs: ['menus', 'settings'],
  apply({ services }) {
    services.menus.registerLocation('primary', 'Primary')
    services.menus.registerLocation('footer', 'Footer')
    services.settings.register('garden_name', { type: 'string', default: 'Kew', visible: true })
    services.settings.register('garden_key', { type: 'string', default: '' })
  },
})

/**
 * A site, with the events that a write sends to a visitor's feed and to a webhook: `post update`, `option update
 * garden_name`.
 */
async function followed(place: (typeof databases)[number]['place'], options: HookedOptions = {}) {
  const { plugins, ...more } = options
  const hook = await hooked(place, {
    add: [places],
    plugins: { 'change-feed': { heartbeat: 0.05 }, ...plugins },
    ...more,
  })
  const { site, receiver } = hook
  const client = new EventClient(() => `${site.home}/svc-json/svc/v2/changes`)
  await until(() => client.of('ready').length > 0)
  const { changes } = site.kernel.services
  const caughtUp = async () => {
    await changes.touch([MARK])
    const { last } = await site.kernel.services.changeHistory.bounds()
    await until(() => Number(client.lastEventId) >= last)
    await hook.waitForDeliveries()
  }
  const nameOf = ({ kind, object }: { kind: string; object: unknown }) => `${kind} ${String(object)}`
  return {
    site,
    /** The events that reached the feed, and those that reached the webhook. */
    collectEvents: async (write: () => Promise<unknown>) => {
      await caughtUp()
      const [events, messages] = [client.changes.length, receiver.messages.length]
      await write()
      await caughtUp()
      const sent = receiver.messages
        .slice(messages)
        .flatMap(({ data }) => (data.tags.includes(MARK) ? [] : [nameOf(data)]))
      return { feed: client.changes.slice(events).map(nameOf), webhook: sent }
    },
    async [Symbol.asyncDispose]() {
      client.close()
      await hook[Symbol.asyncDispose]()
    },
  }
}

async function created(site: SiteWithUsers, path: string, body: object): Promise<number> {
  const response = await site.send('POST', `/svc/v2${path}`, body, 'admin')
  return ((await response.json()) as { id: number }).id
}

for (const { name, place } of databases) {
  const announced = suite(`announced changes on ${name}`)

  announced('reach visitors for open menus with their items and locations, but not for other menus', async () => {
    await using follow = await followed(place, { plugins: { menus: { public: ['primary'] }, 'site-pages': false } })
    const { site, collectEvents } = follow
    const send = (method: string, path: string, body: object = {}) => site.send(method, `/svc/v2${path}`, body, 'admin')
    const open = await created(site, '/menus', { name: 'Open', locations: ['primary'] })
    const closed = await created(site, '/menus', { name: 'Closed', locations: ['footer'] })
    const link = { title: 'Link', url: 'https://example.com/' }
    const [shown, hidden] = [
      await created(site, '/menu-items', { ...link, menus: open }),
      await created(site, '/menu-items', { ...link, menus: closed }),
    ]
    const assertAnnounced = async (object: string, write: () => Promise<unknown>) => {
      const { feed, webhook } = await collectEvents(write)
      assert.ok(feed.includes(object) && webhook.includes(object), `${object}: ${feed.join()}; ${webhook.join()}`)
    }
    const assertHidden = async (write: () => Promise<unknown>) => {
      const { feed, webhook } = await collectEvents(write)
      // Deleting a menu clears its locations.
      const others = [...feed, ...webhook].filter((object) => object !== 'option menu_locations')
      assert.equal(others, [])
    }
    for (const change of [
      { title: 'Other' },
      { url: 'https://other.example/' },
      { classes: ['a'] },
      { menu_order: 7 },
      { status: 'draft' },
      { status: 'publish' },
    ]) {
      await assertAnnounced(`post ${shown}`, () => send('POST', `/menu-items/${shown}`, change))
      await assertHidden(() => send('POST', `/menu-items/${hidden}`, change))
    }
    const { meta } = site.kernel.services
    const url = (id: number) => meta.write('post', id, '_menu_item_url', ['https://third.example/'], new RequestCache())
    await assertAnnounced(`post ${shown}`, () => url(shown))
    await assertHidden(() => url(hidden))
    await assertAnnounced(`term ${open}`, () => send('POST', `/menus/${open}`, { name: 'Opened' }))
    await assertHidden(() => send('POST', `/menus/${closed}`, { name: 'Still closed' }))
    await assertAnnounced('option menu_locations', () =>
      send('POST', `/menus/${open}`, { name: 'Opened', locations: ['primary', 'footer'] }),
    )
    await assertAnnounced('option menus_auto_add', () =>
      send('POST', `/menus/${open}`, { name: 'Opened', auto_add: true }),
    )
    // An object that becomes hidden is deleted, one that becomes visible is created.
    await assertAnnounced(`post ${shown}`, () => send('POST', `/menu-items/${shown}`, { menus: closed }))
    await assertAnnounced(`post ${shown}`, () => send('POST', `/menu-items/${shown}`, { menus: open }))
    await assertHidden(() => send('DELETE', `/menu-items/${hidden}?force=true`))
    await assertAnnounced(`post ${shown}`, () => send('DELETE', `/menu-items/${shown}?force=true`))
    await assertHidden(() => send('DELETE', `/menus/${closed}?force=true`))
    // Deleting the menu frees its location.
    await assertAnnounced('option menu_locations', () => send('DELETE', `/menus/${open}?force=true`))
  })

  announced('reach visitors with type and ID only for objects shown in pages and content', async () => {
    await using follow = await followed(place)
    const { site, collectEvents } = follow
    const send = (method: string, path: string, body: object = {}) => site.send(method, `/svc/v2${path}`, body, 'admin')
    const { globalStyles, themes } = site.kernel.services
    const styles = await globalStyles.idOf((await themes.active()).stylesheet)
    const block = await created(site, '/blocks', { title: 'b', content: 'One', status: 'publish' })
    const draft = await created(site, '/blocks', { title: 'b', content: 'One' })
    const announcedBy = async (write: () => Promise<unknown>) => {
      const { feed, webhook } = await collectEvents(write)
      assert.equal(feed.toSorted(), webhook.toSorted())
      return feed
    }
    assert.equal(await announcedBy(() => send('POST', `/blocks/${block}`, { content: 'Two' })), [`post ${block}`])
    assert.equal(await announcedBy(() => send('POST', `/blocks/${draft}`, { content: 'Two' })), [])
    assert.equal(
      (await announcedBy(() => send('POST', '/templates/default//index', { content: 'Text' }))).length > 0,
      true,
    )
    assert.equal(
      (await announcedBy(() => send('POST', '/template-parts/default//header', { content: 'Text' }))).length > 0,
      true,
    )
    const css = { styles: { color: { text: '#123456' } } }
    assert.equal(await announcedBy(() => send('POST', `/global-styles/${styles}`, css)), [`post ${styles}`])
    const menu = await created(site, '/menus', { name: 'Main', locations: ['primary'] })
    const item = await created(site, '/menu-items', { title: 'A', url: 'https://example.com/', menus: menu })
    assert.equal(await announcedBy(() => send('POST', `/menu-items/${item}`, { title: 'B' })), [`post ${item}`])
    assert.equal(await announcedBy(() => site.kernel.services.options.set('theme', { stylesheet: 'other' })), [
      'option theme',
    ])
    const seen = await (await site.get(`/svc/v2/changes?since=0&kinds=post&per_page=1000`)).json()
    const thin = (seen as { changes: Record<string, unknown>[] }).changes.filter(({ object }) =>
      [block, styles, item].includes(Number(object)),
    )
    assert.ok(thin.length > 3)
    for (const change of thin) {
      assert.equal([change['slug'], change['status'], change['previous_status']], [undefined, undefined, undefined])
      assert.not.match(String(change['tags']), /author=|parent=|unpublished:|meta=/)
    }
  })

  announced('do not reach visitors for hidden objects, except names of options, which reach webhooks', async () => {
    await using follow = await followed(place)
    const { site, collectEvents } = follow
    const { users, kernel } = site
    const { meta, options, sessions, applicationPasswords } = kernel.services
    const send = (method: string, path: string, body: object = {}, login: 'admin' | 'ann' = 'admin') =>
      site.send(method, `/svc/v2${path}`, body, login)
    await options.set('comment_flood_seconds', 0)
    const draft = await created(site, '/posts', { title: 'Draft' })
    const post = await created(site, '/posts', { title: 'Shown', status: 'publish' })
    const held = await created(site, '/comments', { post, content: 'Held', status: 'hold' })
    const hidden: Record<string, () => Promise<unknown>> = {
      'a draft': () => send('POST', `/posts/${draft}`, { content: 'More', title: 'Still a draft' }),
      'a private post': () => send('POST', `/posts/${draft}`, { status: 'private' }),
      'a pending post': () => send('POST', `/posts/${draft}`, { status: 'pending' }),
      'a scheduled post': () => send('POST', `/posts/${draft}`, { status: 'future', date: '2099-01-01T00:00:00' }),
      'the trash': () => send('DELETE', `/posts/${draft}`),
      'an autosave': () => send('POST', `/posts/${post}/autosaves`, { content: 'Saved aside' }),
      'a held comment': () => send('POST', `/comments/${held}`, { content: 'Still held' }),
      spam: () => send('POST', `/comments/${held}`, { status: 'spam' }),
      'a user without posts': () => send('POST', `/users/${users.sub}`, { name: 'Somebody', description: 'x' }),
      'a session': () => sessions.create(users.ann, { ip: '', agent: '' }),
      'an application password': () => applicationPasswords.create(users.ann, { name: 'x' }),
      'meta of a draft': () => meta.write('post', draft, 'plain_key', ['x'], new RequestCache()),
    }
    for (const [label, write] of Object.entries(hidden))
      assert.equal(await collectEvents(write), { feed: [], webhook: [] }, label)
    const secret = await collectEvents(() => options.set('garden_key', 'x'))
    assert.equal(secret, { feed: [], webhook: ['option garden_key'] })
    const shown = await collectEvents(() => options.set('garden_name', 'Other'))
    assert.equal(shown, { feed: ['option garden_name'], webhook: ['option garden_name'] })
  })

  announced.run()
}
