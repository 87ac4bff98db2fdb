import { RestResponse, type Arguments, type EndpointGroup, type RestRequest } from '../../../kernel/index.ts'
import type { PostsController } from '../posts/index.ts'
import type { Previews, PreviewsOptions } from './service.ts'

/** Minimum lifetime of a link, in seconds. */
export const MIN_LINK_SECONDS = 60

/** Route that issues preview links for a post to users who may edit it. */
export function previewEndpoint(
  posts: PostsController,
  previews: Previews,
  options: Pick<PreviewsOptions, 'max_lifetime'>,
): EndpointGroup {
  return {
    methods: 'POST',
    args: previewArguments(options),
    // Hidden without front ends, so that the route index stays the same as on other servers.
    show_in_index: previews.frontEnds.length > 0,
    permission_callback: async (request) =>
      (await posts.permissions.refuseEdit(await posts.itemOf(request), request)) ?? true,
    callback: async (request) => {
      const { link, token, expires, frontEnd, revision } = await previews.link(
        await posts.itemOf(request),
        request.user,
        linkOptionsOf(request),
      )
      return new RestResponse({ link, token, expires: expires.toISOString(), front_end: frontEnd, revision }, 201)
    },
  }
}

/** Schema of the response. */
export function previewSchema(): Record<string, unknown> {
  return {
    title: 'preview',
    type: 'object',
    properties: {
      link: { description: 'URL that shows the preview.', type: 'string', format: 'uri' },
      token: { description: 'Token that shows the post to anyone who has it.', type: 'string' },
      expires: { description: 'When the link expires, in UTC.', type: 'string', format: 'date-time' },
      front_end: { description: 'Name of the front end that the link is for.', type: ['string', 'null'] },
      revision: {
        description: 'ID of the revision or autosave that is shown; null for the newest autosave.',
        type: ['integer', 'null'],
      },
    },
  }
}

function linkOptionsOf(request: RestRequest) {
  return {
    frontEnd: request.get('front_end') as string | undefined,
    revision: request.get('revision') as number | null | undefined,
    expiresIn: request.get('expires_in') as number | undefined,
  }
}

function previewArguments({ max_lifetime: maxLifetime }: Pick<PreviewsOptions, 'max_lifetime'>): Arguments {
  return {
    id: { description: 'ID of the post.', type: 'integer' },
    front_end: { description: 'Name of the front end that the link is for; by default the first one.', type: 'string' },
    revision: {
      description: 'ID of the revision or autosave to show; by default the newest autosave at each read.',
      type: ['integer', 'null'],
    },
    expires_in: {
      description: 'Lifetime of the link, in seconds.',
      type: 'integer',
      minimum: MIN_LINK_SECONDS,
      maximum: maxLifetime,
    },
  }
}
