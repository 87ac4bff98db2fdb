import type { ItemSchema, PropertySchema } from '../../resources/index.ts'
import { PostsController, type ListedPost } from '../../content/posts/index.ts'

/** Routes of navigation menus. Embedded ones include the fields that an editor needs. */
export class NavigationController extends PostsController {
  protected override tagsOf(navigation: ListedPost): readonly string[] {
    return super.tagsOf(navigation)
  }

  protected override itemSchema(): ItemSchema {
    const schema = super.itemSchema()
    if (!this.plugin.since('6.3')) return schema
    const { title, content, status, ...others } = schema.properties
    return {
      ...schema,
      properties: {
        ...others,
        ...(status && { status: embedded(status) }),
        ...(title && { title: embedded(title) }),
        ...(content && { content: embedded(content) }),
      },
    }
  }
}

/** Adds the context `embed` to a property and all of its parts. */
function embedded(property: PropertySchema): PropertySchema {
  const context = [...new Set([...(property.context ?? []), 'embed'])]
  const parts = Object.entries(property.properties ?? {}).map(([name, part]) => [name, embedded(part)] as const)
  return { ...property, context, ...(property.properties && { properties: Object.fromEntries(parts) }) }
}
