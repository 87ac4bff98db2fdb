import { definePlugin, RequestCache, VISITOR } from '../../kernel/index.ts'
import { PIXEL } from '../audit/uploading.ts'
import type { Random } from './random.ts'
import type { RandomObjects } from './random-reads.ts'
import type { SiteWithUsers } from './site-with-users.ts'

type Write = [name: string, run: () => Promise<unknown>]

/** What a plugin adds that is switched on and off while the site runs. */
export const switched = definePlugin({
  name: 'switched',
  needs: ['content-types', 'posts', 'extra-fields', 'taxonomies'],
  apply({ hooks, services }) {
    services.contentTypes.register('note', { public: true, show_in_rest: true, rest_base: 'notes' })
    services.fields.register('post', 'mood', {
      dependsOn: 'nothing',
      get_callback: () => 'calm',
      schema: { type: 'string' },
    })
    hooks.rest_prepare.for('category').tap({ name: 'switched', dependsOn: 'nothing' }, (response) => {
      Object.assign(response.data as object, { switched: true })
      return response
    })
  },
})

/** Content that shows other content: a block, a gallery of the post's own images. */
export function nestedContent({ blocks, posts }: RandomObjects, random: Random): string {
  const block = blocks[Math.floor(random() * blocks.length)] ?? 0
  const post = posts[Math.floor(random() * posts.length)] ?? 0
  return [`<!-- wp:block {"ref":${block}} /-->`, '[gallery]', `[gallery id="${post}"]`][Math.floor(random() * 3)]!
}

/** Rarer writes: of people and their secrets, of settings, of files, by time, and of the code itself. */
export class RareWrites {
  readonly #site: SiteWithUsers
  readonly #objects: RandomObjects
  readonly #random: Random
  readonly #guests: number[] = []
  #count = 0

  constructor(site: SiteWithUsers, objects: RandomObjects, random: Random) {
    this.#site = site
    this.#objects = objects
    this.#random = random
  }

  /** All that there are. @param text makes a new one */
  all(text: () => string): Write[] {
    const { options } = this.#site.kernel.services
    const { posts, pages, blocks, categories } = this.#objects
    const [post, page, block, category] = [this.#one(posts), this.#one(pages), this.#one(blocks), this.#one(categories)]
    const isOn = this.#random() < 0.5
    return [
      [`change block ${block}`, () => this.#send('POST', `/blocks/${block}`, { content: text(), status: 'publish' })],
      [`hide block ${block}`, () => this.#send('POST', `/blocks/${block}`, { status: 'draft' })],
      [`nest content in post ${post}`, () => this.#send('POST', `/posts/${post}`, this.#nested())],
      [`protect post ${post}`, () => this.#send('POST', `/posts/${post}`, { password: isOn ? 'sesame' : '' })],
      [`move page ${page}`, () => this.#send('POST', `/pages/${page}`, { slug: text(), parent: this.#one(pages) })],
      [
        `change the slug of category ${category}`,
        () => this.#send('POST', `/categories/${category}`, { slug: text() }),
      ],
      ['unstick posts', () => options.set('sticky_posts', isOn ? [] : [post ?? 0])],
      ['show a page in front', () => options.set('show_on_front', isOn ? 'page' : 'posts')],
      ['close old comments', () => options.set('close_comments_for_old_posts', isOn)],
      ['upload an image', () => this.#upload()],
      ['a guest comes and writes', () => this.#invite(text)],
      ['a guest leaves', () => this.#expel()],
      ['change a password', () => this.#changePassword()],
      ['publish what is due', () => this.#publishDue()],
    ]
  }

  #send(method: string, path: string, body: unknown = {}): Promise<Response> {
    return this.#site.send(method, `/svc/v2${path}`, body, 'admin')
  }

  #nested() {
    return { content: nestedContent(this.#objects, this.#random), status: 'publish' }
  }

  async #upload(): Promise<void> {
    const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="pixel.png"' }
    const sent = { method: 'POST', headers: { ...headers, ...this.#site.by('admin') }, body: new Uint8Array(PIXEL) }
    const response = await this.#site.request('/svc/v2/media', sent)
    if (response.status !== 201) throw new Error(`The upload failed: ${await response.text()}`)
    const { id } = (await response.json()) as { id: number }
    this.#objects.media.push(id)
    await this.#send('POST', `/media/${id}`, { post: this.#one(this.#objects.posts) })
  }

  async #invite(text: () => string): Promise<void> {
    const { users, posts } = this.#site.kernel.services
    this.#count += 1
    const login = `guest${this.#count}`
    const { id } = await users.create({ login, email: `${login}@mail.example`, name: login, roles: ['author'] })
    this.#guests.push(id)
    const write = { user: { id: this.#site.users.admin }, scope: new RequestCache() }
    const made = await posts.create({ type: 'post', status: 'publish', title: text(), author_id: id }, write)
    this.#objects.posts.push(made.id)
  }

  async #expel(): Promise<void> {
    const guest = this.#guests.pop()
    if (guest === undefined) return
    const reassign = this.#random() < 0.5 ? this.#site.users.ann : 'false'
    await this.#send('DELETE', `/users/${guest}?force=true&reassign=${reassign}`)
  }

  async #changePassword(): Promise<void> {
    const { users } = this.#site.kernel.services
    await users.update(this.#site.users.shy, await users.secured({ password: `other phrase ${(this.#count += 1)}` }))
  }

  /** As the plugin does whose timer it is. */
  async #publishDue(): Promise<void> {
    const { store, services } = { store: this.#site.store, services: this.#site.kernel.services }
    const soon = store.db.selectFrom('posts').select('id').where('status', '=', 'future').limit(1)
    const found = await store.first<{ id: number }>(soon)
    if (found === undefined) return
    const date = '2025-06-01 10:00:00'
    await store.run(store.db.updateTable('posts').set({ date, date_gmt: date }).where('id', '=', found.id))
    const write = { user: VISITOR, scope: new RequestCache(), autosave: true }
    await services.posts.update(found.id, { status: 'publish' }, write)
  }

  #one<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#random() * list.length)]
  }
}
