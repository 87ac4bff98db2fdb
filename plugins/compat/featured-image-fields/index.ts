import { definePlugin, type PluginContext, type RestRequest } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'

/** Shows the featured image of a post as an object in the field `better_featured_image`. */
export default definePlugin({
  name: 'featured-image-fields',
  description: 'Field better_featured_image of Better REST API Featured Images.',
  needs: ['posts', 'media', 'extra-fields', 'content-types'],
  startsIf: switchedOn('featured-image-fields'),
  apply(plugin) {
    const { hooks, services } = plugin
    hooks.rest_api_init.tap('featured-image-fields', () => {
      const types = services.contentTypes.all().filter(({ name }) => services.contentTypes.supports(name, 'thumbnail'))
      for (const { name } of types) {
        // Without a schema, because the original plugin has none: requests can select only the whole field.
        services.extraFields.register(name, 'better_featured_image', {
          // Null unless the response contains `featured_media`, as in the original plugin.
          get_callback: ({ featured_media: image }, _field, request) =>
            betterImage(plugin, Number(image ?? 0), request),
        })
      }
    })
  },
})

/** Returns an image as an object; null without an image that the requesting user may read. */
async function betterImage({ services }: PluginContext, id: number, { scope, user }: RestRequest) {
  const image = id > 0 ? await services.posts.get(id, scope) : undefined
  if (image?.type !== 'attachment' || !(await services.posts.isReadable(image, user, scope))) return null
  const file = await services.media.data(image, scope)
  return {
    id: image.id,
    alt_text: file.alt,
    caption: image.excerpt,
    description: image.content,
    media_type: image.mime_type.startsWith('image/') ? 'image' : 'file',
    media_details: detailsOf(file.details),
    post: image.parent_id === 0 ? null : image.parent_id,
    source_url: file.url,
  }
}

/** The details without the version `full`, which the field lacks, and with the key `mime-type` of the original. */
function detailsOf(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { full: _, ...versions } = { ...(details['sizes'] as Record<string, Record<string, unknown>> | undefined) }
  const sizes = Object.entries(versions).map(([name, { mime_type: type, ...version }]) => [
    name,
    { ...version, 'mime-type': type },
  ])
  return { ...details, sizes: Object.fromEntries(sizes) as unknown }
}
