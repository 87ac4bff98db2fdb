import { definePlugin, type RestRequest } from '../../../kernel/index.ts'
import { registerFor } from '../../resources/index.ts'
import { postsControllerOf } from '../posts/index.ts'
import { addPreviewCommands } from './commands.ts'
import { previewEndpoint, previewSchema, MIN_LINK_SECONDS } from './route.ts'
import { PREVIEW_TOKEN, Previews, type PreviewsOptions } from './service.ts'

export { PREVIEW_TOKEN } from './service.ts'
export type { PreviewedPost, PreviewLink, Previews, PreviewsOptions, PreviewWish } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Links that show posts with unpublished changes, also to people without an account.
     * @example
     * const { link } = await services.previews.link(post, request.user, { expiresIn: 600 })
     */
    previews: Previews
  }
}

const WEEK_SECONDS = 604_800
const MONTH_SECONDS = 2_678_400

/** Signed links that show posts with unpublished changes, for front ends without credentials of the site. */
export default definePlugin<PreviewsOptions>({
  name: 'previews',
  needs: ['store', 'settings', 'content-types', 'posts', 'permalinks', 'users'],
  provides: ['previews'],
  formerOptions: { longest: 'max_lifetime' },
  options: {
    front_ends: {
      default: {},
      type: 'object',
      patternProperties: { '^[A-Za-z0-9_-]{1,50}$': { type: 'string', maxLength: 2000 } },
      additionalProperties: false,
    },
    lifetime: { default: 3600, type: 'integer', minimum: MIN_LINK_SECONDS, maximum: MONTH_SECONDS },
    max_lifetime: { default: WEEK_SECONDS, type: 'integer', minimum: MIN_LINK_SECONDS, maximum: MONTH_SECONDS },
  },
  apply(plugin, options) {
    const { hooks, provide, services } = plugin
    const { contentTypes, posts } = services
    const previews = new Previews(plugin, options)
    provide('previews', previews)
    addPreviewCommands(plugin, previews, options)
    hooks.rest_api_init.tap({ name: 'previews', stage: 100 }, (server) => {
      for (const type of contentTypes.exposed()) {
        if (!previews.isPreviewed(type)) continue
        registerFor(type.rest_controller_class, () => {
          const controller = postsControllerOf(posts.context, type)
          server.registerRoute(type.rest_namespace, `${type.rest_base}/(?P<id>[\\d]+)/preview`, {
            0: previewEndpoint(controller, previews, options),
            schema: previewSchema,
          })
        })
      }
    })

    /** Requests with a preview token, successful or refused. */
    const tokenRequests = new WeakSet<RestRequest>()
    hooks.rest_shown_post.tapPromise(
      { name: 'previews', methods: 'GET', context: ['view', 'embed'] },
      (shown, request, type) => {
        const token = request.query[PREVIEW_TOKEN]
        const isImage = type.name === 'attachment'
        // The token applies only to the requested post, not to internal requests for related data.
        const isInside = request.parent !== null || request.url === null
        if (shown !== null || token === undefined || isInside || !(isImage || previews.isPreviewed(type))) return shown
        tokenRequests.add(request)
        request.preventCaching('it has a preview token')
        return isImage ? previews.shownImage(token, request) : previews.shown(token, request, type)
      },
    )
    // Runs after the plugins that set Cache-Control on every response.
    hooks.rest_pre_serve_request.tap({ name: 'previews', stage: 100 }, (served, { request, response: { headers } }) => {
      if (!tokenRequests.has(request)) return served
      headers.set('Cache-Control', 'private, no-store')
      headers.set('Referrer-Policy', 'no-referrer')
      headers.set('X-Robots-Tag', 'noindex')
      return served
    })

    if (previews.frontEnds.length === 0) return
    // Runs after taps that extend links to pages of this site.
    hooks.preview_post_link.tapPromise(
      { name: 'previews', stage: 100 },
      async (link, post, user, autosave) => (await previews.linkOfEditor(post, user, autosave)) ?? link,
    )
  },
})
