import type { ItemSchema, PropertySchema, RestRequest, Selection } from '../../../kernel/index.ts'
import { PostsController } from './controller.ts'
import type { ListedPost } from './post.ts'

/** The routes of reusable blocks: they are shown as they are written, to those who write. */
export class BlocksController extends PostsController {
  protected override itemSchema(): ItemSchema {
    const schema = super.itemSchema()
    const { title, content, ...properties } = schema.properties
    return {
      ...schema,
      properties: {
        ...properties,
        ...(title && { title: asWritten(title) }),
        ...(content && { content: asWritten(content) }),
      },
    }
  }

  protected override tagsOf(block: ListedPost): readonly string[] {
    return super.tagsOf(block)
  }

  /** A title of which nothing shows is an empty list, as empty maps of this REST API are. */
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

/** The property with what is written shown to every reader, and without what is rendered of it. */
function asWritten(property: PropertySchema): PropertySchema {
  const { rendered: _, raw, ...others } = property.properties ?? {}
  return { ...property, properties: { ...(raw && { raw: { ...raw, context: ['view', 'edit'] } }), ...others } }
}
