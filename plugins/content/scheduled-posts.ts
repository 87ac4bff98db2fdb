import { AsyncLocalStorage } from 'node:async_hooks'
import { definePlugin, RequestCache, VISITOR, type PluginContext } from '../../kernel/index.ts'
import { parseTimestamp } from '../requests/arguments/index.ts'
import type { Change } from '../storage/changes/index.ts'
import type { LeanPost } from './posts/index.ts'

/** Name of the jobs that publish posts. */
const JOB_NAME = 'publish-post'
/** Posts read in one query. */
const POSTS_PER_QUERY = 100

/** Thrown if another process has published the post already, or if its date has changed. */
const NOT_DUE = new Error('The post is not due.')

/**
 * Publishes scheduled posts of every type when they are due, and at startup all posts that became due while no server
 * was running. Each post has a job, so only one of several processes publishes it and runs its hooks; a failed attempt
 * is retried.
 */
export default definePlugin({
  name: 'scheduled-posts',
  needs: ['changes', 'content-types', 'jobs', 'posts'],
  // After a long downtime many posts can be due.
  deadline: 3600,
  apply(plugin) {
    const { hooks, log, onRemove, services } = plugin
    const { changes, jobs } = services
    const publisher = new Publisher(plugin)
    // Not on behalf of a request.
    const outside = AsyncLocalStorage.snapshot()
    let scan: Promise<void> = Promise.resolve()
    let isRemoved = false

    jobs.handle(JOB_NAME, {
      schema: { type: 'object', properties: { post: { type: 'integer', required: true } } },
      run: ({ post }) => publisher.publish(post),
    })
    hooks.save_post.tapPromise('scheduled-posts', async (post, before) => {
      const isMoved = post.status !== before?.status || post.date_gmt !== before.date_gmt
      if (post.status === 'future' && isMoved) await publisher.schedule(post)
    })
    // Posts written past the service, by an import or another program, are scheduled after the commit.
    const scheduleChanged = (committed: readonly Change[] | null) => {
      let concerns = committed === null
      for (const { kind, after } of committed ?? []) concerns ||= kind === 'all' || after?.['status'] === 'future'
      if (isRemoved || !concerns) return
      const scanPosts = () => publisher.scheduleAll()
      scan = outside(() => scan.then(scanPosts)).catch((error: unknown) =>
        log.error({ err: error }, 'finding scheduled posts failed'),
      )
    }
    changes.onCommit(scheduleChanged)
    changes.onOthers(scheduleChanged)
    onRemove(async () => {
      isRemoved = true
      await scan
    }, 'find scheduled posts')
    // Posts that became due while no server was running are published before the first request.
    hooks.server_starting.tapPromise('scheduled-posts', () => publisher.publishDue())
    hooks.server_listening.tapPromise('scheduled-posts', () => publisher.scheduleAll())
  },
})

/** Publishes due posts and ensures that each scheduled post has a job. */
class Publisher {
  readonly #services: PluginContext['services']
  readonly #log: PluginContext['log']

  constructor({ services, log }: PluginContext) {
    this.#services = services
    this.#log = log
  }

  /** Publishes a post if it is due. Schedules a new job if its date has been moved. */
  async publish(id: number): Promise<void> {
    let current: LeanPost | undefined
    const check = async (post: LeanPost) => {
      current = post
      if (!isDue(post)) throw NOT_DUE
    }
    const write = { user: VISITOR, scope: new RequestCache(), autosave: true, check }
    try {
      await this.#services.posts.update(id, { status: 'publish' }, write)
      this.#log.info({ post: id }, 'published a scheduled post')
    } catch (error) {
      // The post has been deleted: there was nothing to check.
      if (current === undefined && (error as { code?: unknown }).code === 'rest_post_invalid_id') return
      if (error !== NOT_DUE) {
        this.#log.error({ err: error, post: id }, 'publishing a scheduled post failed')
        throw error
      }
      if (current?.status === 'future') await this.schedule(current)
    }
  }

  async schedule(post: LeanPost): Promise<void> {
    await this.#services.jobs.add(JOB_NAME, { post: post.id }, { at: new Date(dueAt(post)), key: String(post.id) })
  }

  /** Publishes all due posts. A post that fails is left to its job. */
  async publishDue(): Promise<void> {
    for await (const post of this.#scheduled()) {
      if (!isDue(post)) return
      await this.publish(post.id).catch(() => {})
    }
  }

  /** Adds a job for each scheduled post that has none, or whose job is due at another time. */
  async scheduleAll(): Promise<void> {
    const posts: LeanPost[] = []
    for await (const post of this.#scheduled()) posts.push(post)
    if (posts.length === 0) return
    const existing = new Map((await this.#services.jobs.list({ name: JOB_NAME })).map((job) => [job.key, job]))
    for (const post of posts) {
      const job = existing.get(String(post.id))
      // A failed attempt has postponed the job.
      if (job === undefined || (job.attempts === 0 && job.due.getTime() !== dueAt(post))) await this.schedule(post)
    }
  }

  /** Scheduled posts of every type, earliest first. */
  async *#scheduled(): AsyncGenerator<LeanPost> {
    const { contentTypes, posts } = this.#services
    const types = contentTypes.all().map(({ name }) => name)
    const query = { types, statuses: ['future'], orderby: 'date', order: 'asc', readScope: null } as const
    const seen = new Set<number>()
    for (let isMore = true; isMore;) {
      // Posts that were published in the meantime are no longer in the list.
      const { items, total } = await posts.queryLean({ ...query, limit: POSTS_PER_QUERY, exclude: [...seen] })
      for (const post of items) {
        seen.add(post.id)
        yield post
      }
      isMore = items.length === POSTS_PER_QUERY && total > items.length
    }
  }
}

/** When a post is due, in Unix milliseconds; 0, hence due, for an invalid date. */
function dueAt({ date_gmt: date }: LeanPost): number {
  return Number(parseTimestamp(date)) * 1000
}

function isDue(post: LeanPost): boolean {
  return post.status === 'future' && dueAt(post) <= Date.now()
}
