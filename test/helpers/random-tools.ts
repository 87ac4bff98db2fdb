import { RequestCache } from '../../kernel/index.ts'
import type { Random } from './random.ts'
import type { SiteWithUsers } from './site-with-users.ts'

/** Writes by name. Each selects random objects when it runs. */
export type Writes = Readonly<Record<string, () => Promise<unknown>>>

/** The kinds of objects: the paths of their lists. */
export const KINDS = ['posts', 'pages', 'blocks', 'navigation', 'media', 'comments', 'categories', 'tags'] as const
export type Kind = (typeof KINDS)[number]

/** IDs of the objects of a site, updated by writes. */
export interface RandomObjects extends Record<Kind, number[]> {
  /** Paths relative to that of the kind: `12/revisions/15`, `12/autosaves/16`. */
  readonly versions: Map<`${Kind} ${'revisions' | 'autosaves'}`, string>
}

/** Creates, changes and deletes random objects of a site. */
export class RandomTools {
  readonly objects: RandomObjects = Object.assign(
    Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Record<Kind, number[]>,
    { versions: new Map() },
  )
  /** IDs of users that writes create and delete. */
  readonly guests: number[] = []
  readonly site: SiteWithUsers
  readonly random: Random
  #count = 0

  constructor(site: SiteWithUsers, random: Random) {
    this.site = site
    this.random = random
  }

  /** Returns a new number on each call. */
  next(): number {
    return (this.#count += 1)
  }

  one<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)]
  }

  isOn(chance = 0.5): boolean {
    return this.random() < chance
  }

  /** Returns the ID of an object: mostly the first, or another one that is also read by its own route. */
  pick(kind: Kind): number {
    const list = this.objects[kind]
    const place = this.random()
    return place < 0.4 ? (list[0] ?? 0) : (this.one(place < 0.85 ? list.slice(0, 3) : list) ?? 0)
  }

  /** Returns the ID of an object, or 0. */
  maybe(kind: Kind): number {
    return this.isOn(0.3) ? 0 : this.pick(kind)
  }

  text(): string {
    return `${this.one(['river', 'Cat', 'stone “quoted” :-)', 'a & b'])} ${this.next()}`
  }

  /** Returns a random part of the properties. */
  part(whole: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(whole).filter(() => this.isOn(0.3)))
  }

  scope(): RequestCache {
    return new RequestCache()
  }

  send(method: string, path: string, body: unknown = {}): Promise<Response> {
    return this.site.send(method, `/svc/v2${path}`, body, 'admin')
  }

  /** Creates an object. */
  async create(kind: Kind, body: Record<string, unknown>): Promise<void> {
    const response = await this.send('POST', `/${kind}`, body)
    if (response.status === 201) this.objects[kind].push(((await response.json()) as { id: number }).id)
  }

  /** Changes some object. */
  async change(kind: Kind, body: Record<string, unknown>, id = this.pick(kind)): Promise<void> {
    const { status } = await this.send('POST', `/${kind}/${id}`, body)
    // It was deleted together with another object.
    if (status === 404) this.#forget(kind, id)
  }

  /** Whether an object has all given values. */
  async has(kind: Kind, id: number, values: Record<string, unknown>): Promise<boolean> {
    const response = await this.send('GET', `/${kind}/${id}?context=edit`)
    if (!response.ok) return false
    const object = (await response.json()) as Record<string, { raw?: unknown } | undefined>
    return Object.entries(values).every(([name, value]) => {
      const there = object[name]
      return JSON.stringify(name === 'content' ? there?.raw : there) === JSON.stringify(value)
    })
  }

  /** Writes values of an object unless it has them. */
  async restore(kind: Kind, id: number, values: Record<string, unknown>): Promise<void> {
    if (!(await this.has(kind, id, values))) await this.change(kind, values, id)
  }

  /** Permanently deletes a random object. */
  async remove(kind: Kind): Promise<void> {
    // Some objects of each kind must remain.
    if (this.objects[kind].length < 4) return
    const id = this.one(this.objects[kind])!
    await this.send('DELETE', `/${kind}/${id}?force=true`)
    this.#forget(kind, id)
  }

  /** Adds a comment to a post that allows comments. `parent` 0 starts a new thread. */
  async comment(parent = 0, author = this.site.users.admin, post = this.pick('posts')): Promise<void> {
    const { store } = this.site
    const above = await store.first(store.db.selectFrom('comments').select('post_id').where('id', '=', parent))
    const id = above?.post_id ?? post
    const open = { status: 'publish', password: '', comment_status: 'open', date: '2025-03-01T10:00:00' }
    await this.change('posts', open, id)
    const about = { post: id, author, parent: above === undefined ? 0 : parent }
    await this.create('comments', { ...about, content: this.text() })
  }

  /** Creates a revision and an autosave of an object. */
  async saveVersions(kind: 'posts' | 'pages' | 'blocks' | 'navigation', id = this.pick(kind)): Promise<void> {
    await this.send('POST', `/${kind}/${id}`, { content: this.text(), title: this.text() })
    await this.send('POST', `/${kind}/${id}/autosaves`, { content: this.text() })
    for (const name of ['revisions', 'autosaves'] as const) {
      const response = await this.send('GET', `/${kind}/${id}/${name}`)
      const [first] = response.ok ? ((await response.json()) as { id: number }[]) : []
      if (first !== undefined) this.objects.versions.set(`${kind} ${name}`, `${id}/${name}/${first.id}`)
    }
  }
  #forget(kind: Kind, id: number): void {
    this.objects[kind] = this.objects[kind].filter((other) => other !== id)
  }
}
