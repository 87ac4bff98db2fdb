import {
  defineErrors,
  definePlugin,
  type Arguments,
  type ItemSchema,
  type RestRequest,
  type RestResponse,
  type RestServer,
  type Selection,
} from '../../../kernel/index.ts'
import type { LeanPost, Post } from '../posts/index.ts'
import { isServed, RevisionsController } from '../revisions/index.ts'

const errors = defineErrors({
  rest_autosave_no_changes: [400, 'There is nothing to save: the content says the same.'],
  rest_post_no_autosave: [404, 'Nothing of this content has been saved under this number.'],
})

/** What editors have saved of content without publishing it. */
export default definePlugin({
  name: 'autosaves',
  needs: [
    'roles',
    'settings',
    'content-types',
    'taxonomies',
    'terms',
    'meta',
    'html',
    'rendering',
    'posts',
    'permalinks',
  ],
  uses: ['cookie-auth', 'users'],
  apply(plugin) {
    const { has, hooks, services } = plugin
    // What is saved beside content is shown to nobody but the person who saved it.
    hooks.preview_post_link.tap('autosaves', (link, post, user) => {
      if (!has('cookie-auth') || !link.includes(`preview_id=${post.id}&preview=`)) return link
      const nonce = services.nonces.create(`post_preview_${post.id}`, user)
      return link.replace(/&preview=true$/, `&preview_nonce=${nonce}$&`)
    })
    hooks.rest_api_init.tap({ name: 'autosaves', stage: 100 }, (server) => {
      for (const type of plugin.services.contentTypes.exposed()) {
        if (type.name !== 'attachment' && isServed(type)) new AutosavesController(plugin, type).register(server)
      }
    })
  },
})

/** The routes of what is saved of one content type's items. */
class AutosavesController extends RevisionsController {
  override register(server: RestServer): void {
    const schema = () => this.publicSchema()
    const parent = { description: 'Number of the item.', type: 'integer' }
    server.registerRoute(this.namespace, `${this.restBase}/(?P<id>[\\d]+)/autosaves`, {
      args: { parent },
      0: {
        callback: (request) => this.#list(request),
        permission_callback: (request) => this.mayRead(request, 'id'),
        args: this.collectionParams(),
      },
      1: {
        methods: 'POST',
        callback: (request) => this.#save(request),
        permission_callback: (request) => this.parent.mayUpdate(request),
        args: this.parent.itemArguments('update'),
      },
      schema,
    })
    server.registerRoute(this.namespace, `${this.restBase}/(?P<parent>[\\d]+)/autosaves/(?P<id>[\\d]+)`, {
      args: { parent, id: { description: 'Number of what is saved.', type: 'integer' } },
      0: {
        callback: async (request) => this.prepare(await this.#savedOf(request), request),
        permission_callback: (request) => this.mayRead(request, 'parent'),
        args: { context: this.contextParam('view') },
      },
      schema,
    })
  }

  protected override get hookName(): string {
    return 'autosave'
  }

  override collectionParams(): Arguments {
    return { context: this.contextParam('view') }
  }

  protected override itemSchema(): ItemSchema {
    const { properties, ...schema } = super.itemSchema()
    const preview = {
      description: 'Address at which the saved text can be seen.',
      type: 'string',
      format: 'uri',
      context: ['edit'],
      readonly: true,
    }
    return { ...schema, properties: { ...properties, preview_link: preview } }
  }

  async #list(request: RestRequest): Promise<unknown[]> {
    const { items } = await this.versions(request, 'id')
    return this.prepareList(items.filter(isAutosave), request)
  }

  /**
   * Saves what a person writes: a draft of their own in place, anything else beside it, where it is theirs alone.
   * Nothing but the texts: status, date and the like are for those who save on purpose.
   * @throws rest_autosave_no_changes
   */
  async #save(request: RestRequest): Promise<RestResponse> {
    const { posts } = this.plugin.services
    const { user, scope } = request
    const post = await this.parent.itemOf(request)
    const texts = await this.parent.input.textsOf(request)
    const inPlace = isDraft(post) && post.author_id === user.id
    const check = async (current: Post) => {
      const refused = await this.parent.permissions.refuseEdit(current, request)
      if (refused !== null) throw refused
      if (inPlace && !isDraft(current)) throw errors.rest_autosave_no_changes()
    }
    const write = { user, scope, check, autosave: true }
    const saved = inPlace
      ? await posts.update(post.id, { ...texts, status: 'draft' }, write)
      : await posts.autosave(post, texts, write)
    if (saved === null) throw errors.rest_autosave_no_changes()
    request.set('context', 'edit')
    return this.prepare(saved, request)
  }

  /** @throws rest_post_no_autosave */
  async #savedOf(request: RestRequest): Promise<Post> {
    const parent = await this.parentOf(request, 'parent')
    const saved = await this.plugin.services.posts.get(Number(request.captures['id']), request.scope)
    if (saved === undefined || saved.parent_id !== parent.id || !isAutosave(saved)) throw errors.rest_post_no_autosave()
    return saved
  }

  protected override async toData(
    saved: Post | LeanPost,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const data = await super.toData(saved, selection, request)
    if (!selection.has('preview_link')) return data
    const { posts, permalinks } = this.plugin.services
    const beside = saved.type === 'revision'
    const post = beside ? await posts.get(saved.parent_id, request.scope) : saved
    return post === undefined
      ? data
      : { ...data, preview_link: await permalinks.preview(post, request.user, request.scope, beside) }
  }
}

/** Whether a post is not published yet, nor handed in for it. */
function isDraft({ status }: Post): boolean {
  return status === 'draft' || status === 'auto-draft'
}

/** Whether a version is what an editor saved last, rather than what was published or stored. */
function isAutosave({ type, slug, parent_id: parent }: Post | LeanPost): boolean {
  return type === 'revision' && slug === `${parent}-autosave-v1`
}
