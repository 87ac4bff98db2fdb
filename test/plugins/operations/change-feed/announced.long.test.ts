import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { createContent, restoreContent } from '../../../helpers/random-content.ts'
import { writesOfDesign, writesOfMoreOptions } from '../../../helpers/random-design.ts'
import { restoreSettings } from '../../../helpers/random-people.ts'
import { furniture, watched } from '../../../helpers/random-plugins.ts'
import { writesOfContent } from '../../../helpers/random-site.ts'
import { RandomTools } from '../../../helpers/random-tools.ts'
import { randomOf } from '../../../helpers/random.ts'
import { EventClient } from '../../../helpers/event-source.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'
import { VisitorView } from '../../../helpers/visitor-view.ts'
import { hooked } from '../webhooks/hooks.ts'
import { SchemaWriter } from './schema-writer.ts'

// A change to the responses of a visitor must reach the visitor's change feed and a webhook once it is committed. Set
// SVC_TEST_ANNOUNCED=300 for a longer run, and SVC_TEST_SEED=7 for other writes.

const WRITES = Number(process.env['SVC_TEST_ANNOUNCED'] ?? 25)
const SEED = Number(process.env['SVC_TEST_SEED'] ?? 1)
/** Number of writes after which the objects are restored. */
const RESTORED = 9

/** A tag touched at the end, so that all receivers are known to have processed every earlier change. */
const MARK = 'mark:1'

/** Menu locations, and an option that a plugin shows to visitors. */
const garden = definePlugin({
  name: 'garden',
  needs: ['menus', 'settings', 'extra-fields'],
  apply({ services }) {
    services.menus.registerLocation('primary', 'Primary')
    services.menus.registerLocation('footer', 'Footer')
    services.settings.register('garden_name', { type: 'string', default: 'Kew', visible: true })
    services.extraFields.register('post', 'garden', {
      dependsOn: 'nothing',
      get_callback: async () => services.options.get('garden_name'),
      schema: { type: 'string' },
    })
  },
})

for (const { name, place } of databases) {
  const announced = suite(`announced changes on ${name}`)

  announced(`reach a visitor's feed and a webhook when a visitor's responses differ (seed ${SEED})`, async () => {
    await using uploads = await mkdtempDisposable(join(tmpdir(), 'announced-'))
    await using hook = await hooked(place, {
      uploads: uploads.path,
      add: [furniture, garden],
      plugins: {
        menus: { public: true },
        'login-attempts': { tries: 1_000_000 },
        'change-feed': { heartbeat: 0.05 },
        'response-cache': { tags_header: 'Cache-Tag' },
      },
    })
    const { site, receiver } = hook
    const random = randomOf(SEED)
    const tools = new RandomTools(site, random)
    watched.objects = tools.objects
    await restoreSettings(tools)
    await createContent(tools)
    const restore = async () => {
      await restoreSettings(tools)
      await restoreContent(tools)
    }
    const schemas = await SchemaWriter.open(site, SEED)
    const writes = {
      ...writesOfContent(tools, [site.kernel]),
      ...writesOfDesign(tools),
      ...writesOfMoreOptions(tools),
    }
    using client = new EventClient(() => `${site.home}/svc-json/svc/v2/changes`)
    using view = new VisitorView(site)
    const { changeHistory, changes } = site.kernel.services
    const caughtUp = async () => {
      // Changes of revisions alone send no webhook on its way.
      await changes.touch([MARK])
      const { last } = await changeHistory.bounds()
      await until(() => client.lastEventId === String(last) || Number(client.lastEventId) > last)
      await hook.waitForDeliveries()
    }
    await until(() => client.of('ready').length > 0)
    const difference = (one: Awaited<ReturnType<typeof view.read>>, other: typeof one) =>
      [...other].filter(([path, { text }]) => one.has(path) && one.get(path)!.text !== text)

    let before = await view.read(tools.objects)
    assert.equal(difference(before, await view.read(tools.objects)), [], 'responses must not differ without a change')
    const missing: string[] = []
    let differing = 0
    let left: string[] = []
    for (let count = 0; count < WRITES; count += 1) {
      await caughtUp()
      const [events, messages] = [client.changes.length, receiver.messages.length]
      let write = 'restore order'
      let run: () => Promise<unknown> = restore
      if (count % RESTORED !== RESTORED - 1) {
        if (random() < 0.35) ({ name: write, run } = await schemas.next())
        else {
          if (left.length === 0) left = Object.keys(writes)
          write = left.splice(Math.floor(random() * left.length), 1)[0]!
          run = writes[write as keyof typeof writes]!
        }
      }
      await run()
      const after = await view.read(tools.objects)
      const different = difference(before, after)
      await caughtUp()
      const feedEvents = client.changes.slice(events)
      const webhookEvents = receiver.messages
        .slice(messages)
        .flatMap(({ data }) => (data.tags.includes(MARK) ? [] : [data]))
      differing += different.length > 0 ? 1 : 0
      for (const [channel, list] of [
        ['feed', feedEvents],
        ['webhook', webhookEvents],
      ] as const) {
        const unannounced = different.filter(([path, { tags }]) => {
          const former = before.get(path)!.tags
          // Errors and some files have no tags.
          const knownTags = tags.length === 0 || former.length === 0 ? null : new Set([...tags, ...former])
          return !list.some((one) => concerns(one.tags, knownTags))
        })
        if (unannounced.length === 0) continue
        const [path, { text, tags }] = unannounced[0]!
        const events = JSON.stringify(list.map((one) => one.tags))
        missing.push(
          `write ${count} (${write}), ${channel}: ${unannounced.length} responses, as ${path}: ${part(before.get(path)!.text, text)} without an event about ${tags.join(' ')}, with ${events}`,
        )
      }
      before = after
    }
    console.log(`${differing} of ${WRITES} writes changed what visitors see`)
    assert.equal(missing.slice(0, 20), [])
    assert.ok(differing > WRITES / 5)
  })

  announced.run()
}

/** Whether an event belongs to a response: they share a tag, or the tags of the response are unknown. */
function concerns(tags: readonly string[], responseTags: ReadonlySet<string> | null): boolean {
  return responseTags === null || tags.includes('*') || tags.some((tag) => responseTags.has(tag))
}

/** The first difference between two texts, with its surroundings. */
function part(one: string, other: string): string {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 100)
  return `…${around(one)}… became …${around(other)}…`
}
