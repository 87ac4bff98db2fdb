import { definePlugin, parseTimestamp, runDetached, RequestCache, VISITOR } from '../../kernel/index.ts'
import type { LeanPost } from './posts/index.ts'

export interface ScheduledPostsOptions {
  /** Seconds after which posts that another process has scheduled are looked for. */
  interval: number
}

/** How many are published before the next are looked for. */
const AT_ONCE = 100

/** Says that another process was first, or that somebody has changed the date. */
const NOT_DUE = new Error('The post is not due any more.')

/**
 * Publishes scheduled posts of every type when their time has come, and those whose time came while no server ran.
 * Of several processes with one database one publishes a post, and its hooks run there alone.
 */
export default definePlugin<ScheduledPostsOptions>({
  name: 'scheduled-posts',
  needs: ['content-types', 'posts'],
  // There may be many, after a server was away for long.
  deadline: 3600,
  options: { interval: { default: 60, type: 'integer', minimum: 1, maximum: 86_400 } },
  apply({ hooks, services, log, onRemove }, { interval }) {
    let timer: NodeJS.Timeout | undefined
    let wakesAt = Infinity
    let looking: Promise<void> = Promise.resolve()
    let over = false

    const wakeAt = (at: number) => {
      if (over || at >= wakesAt) return
      clearTimeout(timer)
      wakesAt = at
      timer = runDetached(() => setTimeout(() => void look(), at - Date.now()).unref())
    }

    /** Looks once, and publishes what is due; all of it where `all` is asked for. */
    const look = (all = false) => {
      wakesAt = Infinity
      wakeAt(Date.now() + interval * 1000)
      looking = publishDue(all).catch((error: unknown) =>
        log.error({ err: error }, 'scheduled posts were not looked for'),
      )
      return looking
    }

    const publishDue = async (all: boolean): Promise<void> => {
      const next = { statuses: ['future'], orderby: 'date', order: 'asc', limit: AT_ONCE, readScope: null } as const
      const types = services.contentTypes.all().map(({ name }) => name)
      const { items, total } = await services.posts.queryLean({ ...next, types })
      let published = 0
      for (const post of items) {
        if (!isDue(post)) return wakeAt(dueAt(post))
        if (over) return
        if (await publish(post.id)) published += 1
      }
      if (published === 0 || total <= items.length) return
      if (all) return publishDue(all)
      wakeAt(Date.now())
    }

    const publish = async (id: number) => {
      const check = async (current: LeanPost) => {
        if (!isDue(current)) throw NOT_DUE
      }
      const write = { user: VISITOR, scope: new RequestCache(), autosave: true, check }
      try {
        await services.posts.update(id, { status: 'publish' }, write)
        log.info({ post: id }, 'a scheduled post is published')
        return true
      } catch (error) {
        if (error !== NOT_DUE) log.error({ err: error, post: id }, 'a scheduled post could not be published')
        return false
      }
    }

    // Those whose time came while no server ran are there before anybody can ask.
    hooks.server_starting.tapPromise('scheduled-posts', () => look(true))
    hooks.transition_post_status.tap('scheduled-posts', (to, _from, post) => {
      // Before the server starts there is nothing to wake.
      if (to === 'future' && wakesAt !== Infinity) wakeAt(dueAt(post))
    })
    onRemove(async () => {
      over = true
      clearTimeout(timer)
      await looking
    }, 'timer of the next post')
  },
})

/** When a post is to be published, in milliseconds; a date that is none is due. */
function dueAt({ date_gmt: date }: LeanPost): number {
  return Number(parseTimestamp(date)) * 1000
}

function isDue(post: LeanPost): boolean {
  return post.status === 'future' && dueAt(post) <= Date.now()
}
