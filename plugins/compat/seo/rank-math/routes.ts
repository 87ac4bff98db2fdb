import {
  authorizationStatus,
  defineErrors,
  RestError,
  RestResponse,
  siteUrl,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../public.ts'
import { RANK_MATH_KEYS, RANK_MATH_PREFIX } from '../meta-keys.ts'
import { isOn } from '../options.ts'
import type { SeoHeads } from '../heads.ts'
import { rankMathHtml } from './html.ts'
import { RankMathSettings } from './settings.ts'

const NAMESPACE = 'rankmath/v1'
const OBJECT_TYPES = ['post', 'term', 'user'] as const
/** Maximum characters of a stored text. */
const MAX_TEXT_LENGTH = 5000
const KEYS: ReadonlySet<string> = new Set(RANK_MATH_KEYS.map((key) => RANK_MATH_PREFIX + key))

const errors = defineErrors({
  rest_cannot_edit: [403, (name: string) => `Sorry, you are not allowed to edit this ${name}.`],
})

/** Registers the routes of Rank Math that front ends and editors request. */
export async function registerRankMathRoutes(
  plugin: PluginContext,
  server: RestServer,
  heads: SeoHeads,
): Promise<void> {
  const settings = await RankMathSettings.read(plugin.services)
  if (isOn(settings.general, 'headless_support', true))
    server.registerRoute(NAMESPACE, '/getHead', {
      methods: 'GET',
      cache: true,
      permission_callback: () => true,
      args: {
        url: {
          description: 'URL of a page of the site.',
          type: 'string',
          required: true,
          validate_callback: (value) => typeof value === 'string' && siteUrl(value, plugin) !== null,
        },
      },
      callback: (request) => getHead(plugin, heads, request),
    })
  server.registerRoute(NAMESPACE, '/updateMeta', {
    methods: 'POST',
    permission_callback: (request) => mayEdit(plugin, request),
    args: {
      objectID: { description: 'ID of the post, term or user.', type: 'integer', required: true },
      objectType: { description: 'Kind of the object.', type: 'string', required: true, enum: [...OBJECT_TYPES] },
      meta: { description: 'Values by meta key; empty values are removed.', type: 'object', required: true },
    },
    callback: (request) => updateMeta(plugin, request),
  })
}

async function getHead(plugin: PluginContext, heads: SeoHeads, request: RestRequest): Promise<RestResponse> {
  const url = String(request.get('url'))
  const isSameScheme = new URL(url).protocol === new URL(plugin.urls.home).protocol
  const found = await heads.resolver.at(url, request.scope)
  const place = { url: null, page: 1, pages: 1, isFront: false, scope: request.scope }
  const page = found === null || !isSameScheme ? ({ ...place, kind: 'missing' } as const) : found
  const settings = await RankMathSettings.read(plugin.services)
  if (settings.isDisabled(page)) {
    const moved = new RestResponse(null, 301)
    moved.headers.set('Location', plugin.urls.site('/'))
    return moved
  }
  const response = new RestResponse({ success: true, head: rankMathHtml(await heads.of(page)) })
  if (page.kind === 'missing')
    response.headers.set('Cache-Control', 'no-cache, must-revalidate, max-age=0, no-store, private')
  return response
}

/** Whether the user may edit the object that the request names. */
async function mayEdit({ services }: PluginContext, request: RestRequest): Promise<boolean | RestError> {
  const { capabilities, posts, taxonomies, terms } = services
  const { user, scope } = request
  const id = Number(request.get('objectID'))
  const type = String(request.get('objectType'))
  const mayEditObject = async (): Promise<boolean> => {
    if (type === 'post') {
      const post = await posts.get(id, scope)
      return post !== undefined && posts.isReadableForEditing(post, user, scope)
    }
    if (type === 'term') {
      const term = await terms.get(id, scope)
      const taxonomy = term === undefined ? undefined : taxonomies.get(term.taxonomy)
      return taxonomy !== undefined && capabilities.can(user, taxonomy.capabilities.edit_terms)
    }
    return capabilities.can(user, 'edit_users') && (await services.users.get(id, scope)) !== undefined
  }
  if (await mayEditObject()) return true
  const refused = errors.rest_cannot_edit(type)
  return new RestError(refused.code, refused.message, { status: authorizationStatus(request) })
}

async function updateMeta({ services }: PluginContext, request: RestRequest): Promise<object> {
  const type = request.get('objectType') as (typeof OBJECT_TYPES)[number]
  const sent = Object.entries(request.get('meta') as Record<string, unknown>)
  const values = sent.flatMap(([key, value]) => (KEYS.has(key) ? [[key, storedValues(value)] as const] : []))
  await services.meta.writeAll(type, Number(request.get('objectID')), Object.fromEntries(values), request.scope)
  return { slug: true, schemas: [] }
}

/** Returns the values to store; none for an empty value. */
function storedValues(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    const texts = value.filter((one) => typeof one === 'string' && /^[\w-]{1,30}$/.test(one))
    return texts.length === 0 ? [] : [texts]
  }
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value).slice(0, MAX_TEXT_LENGTH)
    return text === '' ? [] : [text]
  }
  return []
}
