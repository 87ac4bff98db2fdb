import { RequestCache } from '../../kernel/index.ts'
import type { Random } from './random.ts'
import { nestedContent, RareWrites } from './random-changes.ts'
import type { RandomObjects } from './random-reads.ts'
import type { SiteWithUsers } from './site-with-users.ts'

/** A write that changes a site at random, and what to call it. */
export interface RandomWrite {
  readonly name: string
  run(this: void): Promise<unknown>
}

/** Chooses writes of every kind, made in every way in which something may be written. */
export class RandomWriter {
  readonly objects: RandomObjects = {
    posts: [],
    pages: [],
    blocks: [],
    media: [],
    comments: [],
    categories: [],
    tags: [],
  }
  readonly #site: SiteWithUsers
  readonly #random: Random
  readonly #rare: RareWrites
  #count = 0

  constructor(site: SiteWithUsers, random: Random) {
    this.#site = site
    this.#random = random
    this.#rare = new RareWrites(site, this.objects, random)
  }

  /** Some objects of each kind. */
  async begin(): Promise<void> {
    for (let made = 0; made < 2; made += 1) {
      await this.#create('categories', '/categories', { name: `cat ${made}` })
      await this.#create('tags', '/tags', { name: `tag ${made}` })
    }
    await this.#addMedia()
    for (let made = 0; made < 2; made += 1)
      await this.#create('blocks', '/blocks', { title: 'block', content: this.#text(), status: 'publish' })
    for (let made = 0; made < 8; made += 1) await this.#create('posts', '/posts', this.#post())
    for (let made = 0; made < 3; made += 1)
      await this.#create('pages', '/pages', { ...this.#page(), status: 'publish' })
    for (let made = 0; made < 3; made += 1) await this.#comment()
  }

  /** The next write. */
  next(): RandomWrite {
    const { services } = this.#site.kernel
    const { posts, pages, media, comments, categories, tags } = this.objects
    const [post, page, image, comment] = [this.#one(posts), this.#one(pages), this.#one(media), this.#one(comments)]
    const [category, tag] = [this.#one(categories), this.#one(tags)]
    const user = this.#one(Object.values(this.#site.users))
    const writes: [name: string, run: () => Promise<unknown>][] = [
      ['create a post', () => this.#create('posts', '/posts', this.#post())],
      ['create a page', () => this.#create('pages', '/pages', this.#page())],
      [`change post ${post}`, () => this.#send('POST', `/posts/${post}`, this.#part(this.#post()))],
      [`change content of post ${post}`, () => this.#send('POST', `/posts/${post}`, { content: this.#text() })],
      [`change the status of post ${post}`, () => this.#send('POST', `/posts/${post}`, { status: this.#status() })],
      [`change page ${page}`, () => this.#send('POST', `/pages/${page}`, this.#part(this.#page()))],
      [`trash post ${post}`, () => this.#send('DELETE', `/posts/${post}`)],
      [`delete post ${post}`, () => this.#remove('posts', '/posts', post)],
      [`delete page ${page}`, () => this.#remove('pages', '/pages', page)],
      [`autosave post ${post}`, () => this.#send('POST', `/posts/${post}/autosaves`, { title: this.#text() })],
      ['comment', () => this.#comment()],
      [`change comment ${comment}`, () => this.#send('POST', `/comments/${comment}`, { content: this.#text() })],
      [
        `moderate comment ${comment}`,
        () => this.#send('POST', `/comments/${comment}`, { status: this.#one(['hold', 'approved', 'spam', 'trash']) }),
      ],
      [`delete comment ${comment}`, () => this.#remove('comments', '/comments', comment)],
      [
        'create a category',
        () => this.#create('categories', '/categories', { name: `cat ${this.#text()}`, parent: this.#maybe(category) }),
      ],
      [
        `change category ${category}`,
        () => this.#send('POST', `/categories/${category}`, { name: this.#text(), description: this.#text() }),
      ],
      [
        `move category ${category}`,
        () => this.#send('POST', `/categories/${category}`, { parent: this.#maybe(this.#one(categories)) }),
      ],
      [`delete category ${category}`, () => this.#remove('categories', '/categories', category)],
      [`change tag ${tag}`, () => this.#send('POST', `/tags/${tag}`, { slug: `tag-${this.#text()}` })],
      ['create a tag', () => this.#create('tags', '/tags', { name: this.#text() })],
      [
        `change user ${user}`,
        () =>
          this.#send('POST', `/users/${user}`, {
            name: this.#text(),
            description: this.#text(),
            url: 'https://me.example/',
          }),
      ],
      [
        `change the role of user ${user}`,
        () =>
          user === this.#site.users.admin
            ? Promise.resolve()
            : services.users.update(user!, { roles: [this.#one(['author', 'editor', 'contributor', 'subscriber'])!] }),
      ],
      [`change the slug of user ${user}`, () => this.#send('POST', `/users/${user}`, { slug: `u-${this.#count}` })],
      ['change settings', () => this.#send('POST', '/settings', { title: this.#text(), description: this.#text() })],
      [
        'change the time zone',
        () => services.options.set('timezone', this.#one(['UTC', 'Europe/Berlin', 'Asia/Tokyo'])),
      ],
      [
        'change permalinks',
        () =>
          services.options.set(
            'permalink',
            this.#one(['/%year%/%postname%/', '/%category%/%postname%/', '/%author%/%post_id%/', '']),
          ),
      ],
      ['choose a front page', () => services.options.set('page_on_front', page ?? 0)],
      [
        `give meta to post ${post}`,
        () => services.meta.write('post', post ?? 0, 'template', [`t${this.#count}.php`], this.#scope()),
      ],
      [`feature image ${image}`, () => this.#send('POST', `/posts/${post}`, { featured_media: image ?? 0 })],
      [
        `change image ${image}`,
        () => this.#send('POST', `/media/${image}`, { alt_text: this.#text(), caption: this.#text() }),
      ],
      [`attach image ${image}`, () => this.#send('POST', `/media/${image}`, { post: this.#maybe(post) })],
      ['add an image', () => this.#addMedia()],
      [`delete image ${image}`, () => this.#remove('media', '/media', image)],
      ['write to the database', () => this.#writeRaw(post ?? 0)],
      ['write and take back', () => this.#takeBack(post ?? 0)],
    ]
    writes.push(...this.#rare.all(() => this.#text()))
    const [name, run] = this.#one(writes)!
    this.#count += 1
    return { name, run }
  }

  async #create(kind: keyof RandomObjects, path: string, body: Record<string, unknown>): Promise<void> {
    const response = await this.#send('POST', path, body)
    if (response.status === 201) this.objects[kind].push(((await response.json()) as { id: number }).id)
  }

  async #remove(kind: keyof RandomObjects, path: string, id: number | undefined): Promise<void> {
    // Something of each kind stays.
    if (id === undefined || this.objects[kind].length < 3) return
    await this.#send('DELETE', `${path}/${id}?force=true`)
    this.objects[kind] = this.objects[kind].filter((other) => other !== id)
  }

  #send(method: string, path: string, body: unknown = {}): Promise<Response> {
    return this.#site.send(method, `/svc/v2${path}`, body, 'admin')
  }

  async #comment(): Promise<void> {
    const { posts, comments } = this.objects
    const body = { post: this.#one(posts), content: this.#text(), parent: this.#maybe(this.#one(comments)) }
    await this.#create('comments', '/comments', body)
  }

  async #addMedia(): Promise<void> {
    const { posts, meta } = this.#site.kernel.services
    const write = { user: { id: this.#site.users.admin }, scope: this.#scope() }
    const image = {
      type: 'attachment',
      status: 'inherit',
      title: this.#text(),
      mime_type: 'image/png',
      parent_id: this.#one(this.objects.posts) ?? 0,
    }
    const { id } = await posts.create(image, write)
    await meta.write('post', id, '_attached_file', [`2025/01/image-${id}.png`], this.#scope())
    await meta.write(
      'post',
      id,
      '_attachment_metadata',
      [{ width: 20, height: 10, file: `2025/01/image-${id}.png` }],
      this.#scope(),
    )
    this.objects.media.push(id)
  }

  /** As a plugin does that knows SQL, or a program beside the server. */
  async #writeRaw(post: number): Promise<void> {
    const { store } = this.#site
    const { db } = store
    const statements = [
      db.updateTable('posts').set({ title: this.#text() }).where('id', '=', post),
      db.updateTable('posts').set({ author_id: this.#site.users.ed }).where('author_id', '=', this.#site.users.ann),
      db.updateTable('terms').set({ count: 7 }).where('taxonomy', '=', 'category'),
      db.updateTable('comments').set({ approved: '0' }).where('post_id', '=', post),
      db.deleteFrom('term_relationships').where('post_id', '=', post),
      db.deleteFrom('post_meta').where('post_id', '=', post),
      db.updateTable('users').set({ name: this.#text() }).where('id', '=', this.#site.users.ann),
    ]
    await store.run(this.#one(statements)!)
  }

  async #takeBack(post: number): Promise<void> {
    const { store } = this.#site
    const change = store.db.updateTable('posts').set({ title: 'taken back' }).where('id', '=', post)
    await store
      .transaction(async (tx) => {
        await tx.run(change)
        throw new Error('taken back')
      })
      .catch(() => {})
  }

  #post(): Record<string, unknown> {
    const { categories, tags, media } = this.objects
    const image = this.#one(media)
    return {
      title: this.#text(),
      content: `${this.#text()} <img class="svc-image-${image}" src="${this.#site.home}/uploads/2025/01/image-${image}.png">[gallery ids="${image}"]${nestedContent(this.objects, this.#random)}`,
      excerpt: this.#text(),
      status: this.#status(),
      slug: `river-${Math.floor(this.#random() * 5)}`,
      author: this.#one([this.#site.users.ann, this.#site.users.ed, this.#site.users.admin]),
      categories: [this.#one(categories)],
      tags: this.#random() < 0.5 ? [this.#one(tags)] : [],
      sticky: this.#random() < 0.3,
      password: this.#random() < 0.15 ? 'open sesame' : '',
      featured_media: this.#random() < 0.5 ? image : 0,
      date: `2025-0${1 + Math.floor(this.#random() * 9)}-11T10:00:00`,
    }
  }

  #page(): Record<string, unknown> {
    return {
      title: this.#text(),
      content: this.#text(),
      status: this.#status(),
      parent: this.#maybe(this.#one(this.objects.pages)),
      menu_order: Math.floor(this.#random() * 9),
    }
  }

  #status(): string {
    return this.#random() < 0.6 ? 'publish' : this.#one(['draft', 'private', 'pending', 'future'])!
  }

  #part(whole: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(whole).filter(() => this.#random() < 0.3))
  }

  #text(): string {
    this.#count += 1
    return `${this.#one(['river', 'Cat', 'stone “quoted”', 'a & b'])} ${this.#count}`
  }

  #scope() {
    return new RequestCache()
  }

  #maybe(id: number | undefined): number {
    return this.#random() < 0.5 ? 0 : (id ?? 0)
  }

  #one<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#random() * list.length)]
  }
}
