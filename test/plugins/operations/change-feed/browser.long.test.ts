import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../../kernel/index.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { serve, type Site } from '../../../helpers/site.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { until } from '../../../helpers/until.ts'

/** Subscribes like a front end, and collects the events. */
const LISTEN = `{
  globalThis.received = []
  globalThis.opened = 0
  const source = new EventSource('/svc-json/svc/v2/changes')
  source.addEventListener('ready', () => { opened += 1 })
  source.addEventListener('reset', () => received.push('reset'))
  source.addEventListener('message', ({ data }) => received.push(JSON.parse(data).id))
}`

const browsers = suite('change-feed in a browser')
const { inBrowser, openWindow } = useChromium(browsers)

const publish = async ({ kernel }: Site, titles: readonly string[]) => {
  for (const title of titles) {
    const act = { user: { id: 1 }, scope: new RequestCache() }
    await kernel.services.posts.create({ type: 'post', title, status: 'publish' }, act)
  }
}

inBrowser('continues after a restart of the server without gaps or duplicates', async () => {
  await using place = await filePlace()
  await using window = await openWindow()
  const { page } = window
  const readEvents = () => page.evaluate<(number | string)[]>('received')
  let port: number | null = null
  let since = 0
  {
    await using site = await serve({ database: place.url })
    ;({ port } = site.kernel)
    await page.goto(`${site.home}/svc-json/`)
    ;({ last: since } = await site.json('/svc/v2/changes'))
    await page.evaluate(LISTEN)
    await until(() => page.evaluate<boolean>('opened === 1'))
    await publish(site, ['One', 'Two'])
    await until(async () => (await readEvents()).length >= 2)
    // No client is connected when the last changes are made.
    await publish(site, ['Three'])
  }
  await using site = await serve({ database: place.url, port })
  await publish(site, ['Four', 'Five'])
  await until(() => page.evaluate<boolean>('opened === 2'))
  await publish(site, ['Six'])
  const { changes } = await site.json(`/svc/v2/changes?since=${since}&per_page=1000`)
  await until(async () => (await readEvents()).at(-1) === changes.at(-1).id)
  assert.equal(
    await readEvents(),
    changes.map(({ id }: { id: number }) => id),
  )
  assert.ok(changes.length >= 6)
})

browsers.run()
