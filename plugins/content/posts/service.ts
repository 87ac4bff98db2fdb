import type { PluginContext } from '../../../kernel/index.ts'
import { PostModel, type Post } from './reader.ts'
import { PostWriter } from './writer.ts'
import type { NewPost, PostChange, Posts, PostTexts, PostWrite } from './post.ts'

/** Content of every type over the store: what is read by the model, written by the writer. */
export class SitePosts extends PostModel implements Posts {
  readonly #writer: PostWriter

  constructor(plugin: PluginContext) {
    super(plugin.services)
    this.#writer = new PostWriter(plugin)
  }

  create(post: NewPost, write: PostWrite): Promise<Post> {
    return this.#writer.create(post, write)
  }

  update(id: number, change: PostChange, write: PostWrite): Promise<Post> {
    return this.#writer.update(id, change, write)
  }

  trash(id: number, write: PostWrite): Promise<Post> {
    return this.#writer.trash(id, write)
  }

  remove(id: number, write: PostWrite): Promise<void> {
    return this.#writer.remove(id, write)
  }

  reassign(from: number, to: number): Promise<void> {
    return this.#writer.reassign(from, to)
  }

  trashOf(author: number, write: PostWrite): Promise<void> {
    return this.#writer.trashOf(author, write)
  }

  addVersion(post: Post, most: number, write: PostWrite): Promise<void> {
    return this.#writer.addVersion(post, most, write)
  }

  autosave(post: Post, texts: Partial<PostTexts>, write: PostWrite): Promise<Post | null> {
    return this.#writer.autosave(post, texts, write)
  }
}
