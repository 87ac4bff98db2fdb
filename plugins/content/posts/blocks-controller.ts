import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import type { ItemSchema, PropertySchema, Selection } from '../../resources/index.ts'
import { SYNC_STATUS_KEY } from '../meta-keys.ts'
import { PostsController } from './controller.ts'
import type { ListedPost } from './post.ts'

/** Name of the sync status of a reusable block in the REST API. */
const syncStatusName = ({ branding }: PluginContext) => branding.typeName('pattern_sync_status')

/** Registers the meta of reusable blocks. */
export function registerSyncStatus(plugin: PluginContext): void {
  if (!plugin.since('6.3')) return
  plugin.services.meta.register('post', SYNC_STATUS_KEY, {
    subtype: plugin.branding.typeName('block'),
    type: 'string',
    single: true,
    show_in_rest: { name: syncStatusName(plugin), schema: { type: 'string', enum: ['partial', 'unsynced'] } },
  })
}

/** Routes of reusable blocks: title and content are shown as stored, in every context. */
export class BlocksController extends PostsController {
  protected override itemSchema(): ItemSchema {
    const schema = super.itemSchema()
    const { title, content, ...properties } = schema.properties
    return {
      ...schema,
      properties: {
        ...properties,
        ...(title && { title: rawProperty(title) }),
        ...(content && { content: rawProperty(content) }),
      },
    }
  }

  /** Shows the sync status next to `meta`, where clients expect it. */
  protected override async toData(block: ListedPost, selection: Selection, request: RestRequest) {
    const { meta } = this.plugin.services
    const showsStatus = this.plugin.since('6.3') && request.wants(this.#syncName)
    const [data, status] = await Promise.all([
      super.toData(block, selection, request),
      showsStatus ? meta.single('post', block.id, SYNC_STATUS_KEY, request.scope) : undefined,
    ])
    const { [this.#syncName]: _, ...shown } = (data['meta'] ?? {}) as Record<string, unknown>
    if (data['meta'] !== undefined) data['meta'] = shown
    if (showsStatus) data[this.#syncName] = status ?? ''
    return data
  }

  get #syncName(): string {
    return syncStatusName(this.plugin)
  }

  protected override tagsOf(block: ListedPost): readonly string[] {
    return super.tagsOf(block)
  }

  /** A title without visible parts is an empty list, like other empty maps in this REST API. */
  protected override async texts(
    listed: ListedPost,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const texts = await super.texts(listed, selection, request)
    const shown = ['title.raw', 'title.rendered'].some((part) => selection.has(part))
    return selection.has('title') && !shown ? { ...texts, title: [] } : texts
  }
}

/** The property with `raw` shown in every context and without `rendered`. */
function rawProperty(property: PropertySchema): PropertySchema {
  const { rendered: _, raw, ...others } = property.properties ?? {}
  return { ...property, properties: { ...(raw && { raw: { ...raw, context: ['view', 'edit'] } }), ...others } }
}
