import { LRUCache } from 'lru-cache'
import {
  definePlugin,
  forbidden,
  messageOf,
  RestResponse,
  runDetached,
  type PluginContext,
  type RestRequest,
} from '../../../kernel/index.ts'
import { isTooOften } from '../../foundation/outgoing/index.ts'
import { errors } from './errors.ts'
import { decodePage, readPage, type UrlDetails } from './read-page.ts'

/** Milliseconds for which the details of a page are cached. */
const DETAILS_LIFETIME_MS = 3_600_000
const MAX_CACHED_PAGES = 500
const MAX_URL_LENGTH = 2000
/** Bytes of a page. */
const MAX_PAGE_BYTES = 2_000_000

/** Title, icon, description and image of a URL, for the link dialog of editors. */
export default definePlugin({
  name: 'url-details',
  since: '5.9',
  needs: ['roles', 'content-types', 'settings'],
  uses: ['outgoing', 'oembed'],
  apply(plugin) {
    const { branding, has, hooks, services } = plugin
    const { capabilities, contentTypes } = services
    const cachedDetails = new LRUCache<string, Promise<UrlDetails>>({ max: MAX_CACHED_PAGES, ttl: DETAILS_LIFETIME_MS })

    /** Whether the user may edit posts of any type. */
    const mayEditPosts = ({ user }: RestRequest) =>
      contentTypes.exposed().some(({ capabilities: { edit_posts: edit } }) => capabilities.can(user, edit))
    const isUrl = (value: unknown) =>
      typeof value === 'string' &&
      value.length <= MAX_URL_LENGTH &&
      (isOwn(plugin, value) || services.outgoing.admits(value))

    const detailsOf = (url: string, user: number): Promise<UrlDetails> => {
      let details = cachedDetails.get(url)
      if (details === undefined) {
        // Detached: other requests may wait for the same page.
        details = runDetached(() => requestDetails(plugin, url, user))
        cachedDetails.set(url, details)
        // Errors are not cached.
        details.catch(() => cachedDetails.delete(url))
      }
      return details
    }

    hooks.rest_api_init.tap('url-details', (server) => {
      if (!has('outgoing')) return
      server.registerRoute(`${branding.word}-block-editor/v1`, 'url-details', {
        0: {
          callback: async (request) => {
            request.preventCaching('another site is requested')
            const url = String(request.get('url'))
            const details = isOwn(plugin, url) ? await ownDetails(plugin, url) : await detailsOf(url, request.user.id)
            return new RestResponse(details)
          },
          permission_callback: (request) =>
            mayEditPosts(request) || forbidden(request, errors.rest_cannot_view_url_details),
          args: {
            url: {
              description: 'URL of the page to read.',
              type: 'string',
              format: 'uri',
              required: true,
              validate_callback: isUrl,
            },
          },
        },
        schema: schemaOf,
      })
    })
  },
})

function isOwn({ urls }: PluginContext, text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.host === new URL(urls.home).host
}

/** Returns the details of a page of this site from its post, without a network request. */
async function ownDetails(plugin: PluginContext, url: string): Promise<UrlDetails> {
  const post = plugin.has('oembed') ? await plugin.services.oembed.ofPost(url) : null
  if (post === null) throw errors.no_response()
  const { title = '', thumbnail_url: image = '' } = post
  return { title, icon: '', description: '', image }
}

/**
 * Requests a page and parses its details.
 * @throws no_response, no_content, rest_invalid_url, rest_too_many_outgoing_requests
 */
async function requestDetails({ log, services }: PluginContext, url: string, user: number): Promise<UrlDetails> {
  const headers = { accept: 'text/html,application/xhtml+xml' }
  const response = await services.outgoing
    .request(url, { headers, size: MAX_PAGE_BYTES, timeout: 10_000, redirects: 5, requester: user })
    .catch((error: unknown) => {
      if (isTooOften(error)) throw error
      const code = error instanceof Error && 'code' in error ? error.code : ''
      log.debug({ reason: messageOf(error) }, 'cannot read the details of a page')
      const isRefused = code === 'OUTGOING_ADDRESS_REFUSED' || code === 'OUTGOING_URL_INVALID'
      throw isRefused ? errors.rest_invalid_url() : errors.no_response()
    })
  if (response.status !== 200) throw errors.no_response()
  const type = response.headers.get('content-type')
  if (type !== null && !/^\s*(?:text\/html|application\/xhtml\+xml)/i.test(type)) throw errors.no_content()
  const html = decodePage(response.body, type)
  if (html.trim() === '') throw errors.no_content()
  return readPage(html, response.url)
}

function schemaOf(): Record<string, unknown> {
  const text = (description: string, format?: string) => ({
    description,
    type: 'string',
    ...(format !== undefined && { format }),
    context: ['view', 'edit', 'embed'],
    readonly: true,
  })
  return {
    $schema: 'http://json-schema.org/draft-04/schema#',
    title: 'url-details',
    type: 'object',
    properties: {
      title: text('Title of the page.'),
      icon: text('URL of the icon of the page.', 'uri'),
      description: text('Description of the page.'),
      image: text('URL of an image of the page.', 'uri'),
    },
  }
}
