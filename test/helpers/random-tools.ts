import { RequestCache } from '../../kernel/index.ts'
import type { Random } from './random.ts'
import type { SiteWithUsers } from './site-with-users.ts'

/** Writes by what they do. Each draws what it is about when it is run. */
export type Writes = Readonly<Record<string, () => Promise<unknown>>>

/** The kinds of objects, as the paths of their lists are called. */
export const KINDS = ['posts', 'pages', 'blocks', 'navigation', 'media', 'comments', 'categories', 'tags'] as const
export type Kind = (typeof KINDS)[number]

/** Objects of a site by their IDs, as writes make and delete them. */
export interface RandomObjects extends Record<Kind, number[]> {
  /** Below the path of a kind: `12/revisions/15`, `12/autosaves/16`. */
  readonly versions: Map<`${Kind} ${'revisions' | 'autosaves'}`, string>
}

/** What random writes are made with. */
export class RandomTools {
  readonly objects: RandomObjects = Object.assign(
    Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Record<Kind, number[]>,
    { versions: new Map() },
  )
  /** Users that come and go. */
  readonly guests: number[] = []
  readonly site: SiteWithUsers
  readonly random: Random
  #count = 0

  constructor(site: SiteWithUsers, random: Random) {
    this.site = site
    this.random = random
  }

  /** A number that was not there before. */
  next(): number {
    return (this.#count += 1)
  }

  one<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)]
  }

  isOn(chance = 0.5): boolean {
    return this.random() < chance
  }

  /** An object: mostly the first, or another of those that are read on their own. */
  some(kind: Kind): number {
    const list = this.objects[kind]
    const place = this.random()
    return place < 0.4 ? (list[0] ?? 0) : (this.one(place < 0.85 ? list.slice(0, 3) : list) ?? 0)
  }

  /** An object, or none. */
  maybe(kind: Kind): number {
    return this.isOn(0.3) ? 0 : this.some(kind)
  }

  text(): string {
    return `${this.one(['river', 'Cat', 'stone “quoted” :-)', 'a & b'])} ${this.next()}`
  }

  /** Some of what an object is given. */
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
  async change(kind: Kind, body: Record<string, unknown>, id = this.some(kind)): Promise<void> {
    const { status } = await this.send('POST', `/${kind}/${id}`, body)
    // It has gone with something else.
    if (status === 404) this.#forget(kind, id)
  }

  /** Whether an object has all of some values. */
  async has(kind: Kind, id: number, values: Record<string, unknown>): Promise<boolean> {
    const response = await this.send('GET', `/${kind}/${id}?context=edit`)
    if (!response.ok) return false
    const object = (await response.json()) as Record<string, { raw?: unknown } | undefined>
    return Object.entries(values).every(([name, value]) => {
      const there = object[name]
      return JSON.stringify(name === 'content' ? there?.raw : there) === JSON.stringify(value)
    })
  }

  /** Gives an object values, unless it has them. */
  async restore(kind: Kind, id: number, values: Record<string, unknown>): Promise<void> {
    if (!(await this.has(kind, id, values))) await this.change(kind, values, id)
  }

  /** Deletes some object for good. */
  async remove(kind: Kind): Promise<void> {
    // Something of each kind stays.
    if (this.objects[kind].length < 4) return
    const id = this.one(this.objects[kind])!
    await this.send('DELETE', `/${kind}/${id}?force=true`)
    this.#forget(kind, id)
  }

  /** Has a comment written under a post that is open for it; 0 for a new thread. */
  async comment(parent = 0, author = this.site.users.admin, post = this.some('posts')): Promise<void> {
    const { store } = this.site
    const above = await store.first(store.db.selectFrom('comments').select('post_id').where('id', '=', parent))
    const id = above?.post_id ?? post
    const open = { status: 'publish', password: '', comment_status: 'open', date: '2025-03-01T10:00:00' }
    await this.change('posts', open, id)
    const about = { post: id, author, parent: above === undefined ? 0 : parent }
    await this.create('comments', { ...about, content: this.text() })
  }

  /** Makes a revision and an autosave of an object. */
  async saveVersions(kind: 'posts' | 'pages' | 'blocks' | 'navigation', id = this.some(kind)): Promise<void> {
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
