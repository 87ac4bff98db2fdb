import { setTimeout as delay } from 'node:timers/promises'
import type { PluginContext } from '../../../../kernel/index.ts'
import type { Rendering } from '../renderer.ts'

/** How long a feed is kept, and how long it is not asked again that failed; milliseconds. */
const KEPT = 3_600_000
const FAILED = 300_000
/** The most milliseconds that a response waits for a feed; a later one has what comes after that. */
const PATIENCE = 1000
/** The most feeds of a response. */
const MOST_OF_RESPONSE = 10
/** How many feeds are kept, and the most bytes and milliseconds of one. */
const MOST = 50
const SIZE = 1_000_000
const TIME = 5000

interface Kept {
  readonly text: Promise<string | null>
  until: number
}

const kept = new WeakMap<PluginContext, Map<string, Kept>>()

/** The text of a feed, read at most once an hour; null where it cannot be read, or not yet. */
export async function feedOf({ plugin, scope }: Rendering, url: string): Promise<string | null> {
  const asked = scope.get('core-blocks: feeds', () => new Set<string>())
  if (asked.size >= MOST_OF_RESPONSE && !asked.has(url)) return null
  asked.add(url)
  const waiting = new AbortController()
  const patience = delay(PATIENCE, null, { signal: waiting.signal, ref: false }).catch(() => null)
  try {
    return await Promise.race([keptFeed(plugin, url), patience])
  } finally {
    waiting.abort()
  }
}

function keptFeed(plugin: PluginContext, url: string): Promise<string | null> {
  let feeds = kept.get(plugin)
  if (feeds === undefined) kept.set(plugin, (feeds = new Map()))
  const known = feeds.get(url)
  if (known !== undefined && known.until > Date.now()) return known.text
  feeds.delete(url)
  for (const oldest of feeds.keys()) if (feeds.size >= MOST) feeds.delete(oldest)
  const feed: Kept = { text: readFeed(plugin, url), until: Date.now() + KEPT }
  feeds.set(url, feed)
  void feed.text.then((text) => {
    if (text === null) feed.until = Date.now() + FAILED
  })
  return feed.text
}

async function readFeed({ has, services, log }: PluginContext, url: string): Promise<string | null> {
  if (!has('outgoing')) return null
  try {
    // Not ended with the request that asks first: others wait for it as well.
    const signal = AbortSignal.timeout(TIME)
    const response = await services.outgoing.request(url, { size: SIZE, timeout: TIME, signal })
    return response.status === 200 ? response.text() : null
  } catch (error) {
    log.info({ err: error, url }, 'a feed cannot be read')
    return null
  }
}
