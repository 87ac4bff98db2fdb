import { definePlugin, type PluginContext, type RestRequest } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import { relatedPosts } from './related-posts.ts'

/** Meta key of posts whose sharing buttons are switched off. */
const SHARING_KEY = 'sharing_disabled'
const EVERYWHERE = ['view', 'edit', 'embed'] as const

/** Options of the fields of Jetpack. */
export interface JetpackFieldsOptions {
  /** Maximum related posts of a post. */
  related_posts: number
}

/** Shows the fields of Jetpack that front ends read: URL of the featured image, sharing, and related posts. */
export default definePlugin<JetpackFieldsOptions>({
  name: 'jetpack-fields',
  description: 'Fields jetpack_featured_media_url, jetpack_sharing_enabled and jetpack-related-posts of Jetpack.',
  needs: [
    'store',
    'settings',
    'posts',
    'terms',
    'taxonomies',
    'media',
    'meta',
    'users',
    'permalinks',
    'content-types',
    'content-rendering',
    'translations',
    'extra-fields',
  ],
  startsIf: switchedOn('jetpack-fields'),
  options: { related_posts: { default: 3, type: 'integer', minimum: 0, maximum: 20 } },
  apply(plugin, options) {
    const { hooks, services } = plugin
    // Registered, so that one statement reads it with the other keys of a post.
    services.meta.register('post', SHARING_KEY, { type: 'string', single: true })
    hooks.rest_api_init.tap('jetpack-fields', () => {
      for (const { name, show_in_rest: isShown, viewable } of services.contentTypes.all()) {
        if (!isShown || !viewable || name === 'attachment') continue
        if (services.contentTypes.supports(name, 'thumbnail')) addImage(plugin, name)
        addSharing(plugin, name)
        services.extraFields.register(name, 'jetpack-related-posts', {
          get_callback: ({ id }, _field, request) => relatedPosts(plugin, Number(id), request, options.related_posts),
          schema: { description: 'Posts with the same terms.', type: 'array', context: EVERYWHERE, readonly: true },
        })
      }
    })
  },
})

function addImage(plugin: PluginContext, type: string): void {
  plugin.services.extraFields.register(type, 'jetpack_featured_media_url', {
    get_callback: ({ id }, _field, request) => imageUrl(plugin, Number(id), request),
    schema: { description: 'URL of the featured image.', type: 'string', context: EVERYWHERE, readonly: true },
  })
}

/** Returns the URL of the featured image; '' if the post has none that the requesting user may read. */
async function imageUrl({ services }: PluginContext, id: number, { scope, user }: RestRequest): Promise<string> {
  const image = await services.posts.get(await services.posts.featuredMedia(id, scope), scope)
  if (image?.type !== 'attachment' || !(await services.posts.isReadable(image, user, scope))) return ''
  return (await services.media.data(image, scope)).url
}

function addSharing({ services }: PluginContext, type: string): void {
  const { extraFields, meta } = services
  extraFields.register(type, 'jetpack_sharing_enabled', {
    get_callback: async ({ id }, _field, { scope }) => !(await meta.single('post', Number(id), SHARING_KEY, scope)),
    update_callback: (isEnabled, { id }: { id: number }, _field, { scope }) =>
      meta.write('post', id, SHARING_KEY, isEnabled === true ? [] : ['1'], scope),
    schema: { description: 'Whether sharing buttons are shown.', type: 'boolean', context: EVERYWHERE },
  })
}
